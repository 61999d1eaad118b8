"""Parts of the package that the core never imports; each is useful to some people."""
