"""Bit-rate adaptations of films, one per file."""
