"""Comparisons of algorithms and simulators, each shown on a page of docs/comparisons/."""
