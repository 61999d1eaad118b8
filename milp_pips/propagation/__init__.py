"""Reductions of domains, made once on the problem for any engine, and simple proofs of infeasibility.

A reduction removes values that no solution has. ``filter_domains`` is this package's own: it propagates all
constraints until none removes a value. ``reductions`` has those of others. ``obstruction`` and ``shortage``
prove in one sentence that there is no solution. They share no code with the others except the search for a
perfect matching, whose failure yields a certificate that is verified.
"""
