"""The command line of web and site."""
