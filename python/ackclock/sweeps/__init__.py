"""Sweeps: plans over grids of settings, their runs, and what is shown of them."""
