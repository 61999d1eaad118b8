"""What results look like: one module for each kind of output, with one function for each result.

``text``, ``json`` and ``svg`` dispatch on the class of the result. Each extra registers its own results in
its module ``views``. ``schema`` turns the declared records into JSON Schema.
"""
