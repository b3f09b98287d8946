"""Statements with a number in the sources of the congestion controls of calls, against simulated runs."""
