"""The command line of generate."""
