"""Attacks: a search for the path on which an algorithm is worst, made small, with the reason."""
