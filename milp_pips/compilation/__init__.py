"""What a problem becomes when it is compiled: decision diagrams, and sums of products of them."""
