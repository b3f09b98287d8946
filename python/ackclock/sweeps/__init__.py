"""Sweeps: plans over grids of settings, their runs, and the tables and figures of the runs."""
