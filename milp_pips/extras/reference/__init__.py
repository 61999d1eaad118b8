"""Published models, added as anyone could: by entry points of this distribution; nobody imports them."""
