"""Evaluations of a congestion control by the criteria of RFC 9743, one file for each criterion."""
