"""The engines: one short file each, all behind the contract in ``contract``."""
