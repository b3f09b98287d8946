"""Controllers that own the whole life of a connection, one per file."""
