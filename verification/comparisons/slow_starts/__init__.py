"""A race of slow starts over drawn paths: which one to ship where."""
