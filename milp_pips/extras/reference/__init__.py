"""Published models, registered by entry points like a plugin; no other module of the package imports them."""
