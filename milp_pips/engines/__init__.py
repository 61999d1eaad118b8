"""The solvers: one short module per engine, all of which implement the protocols in ``contract``."""
