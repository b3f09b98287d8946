"""A slow link that many users share: plans of sweeps, and the figure and tables made of their results."""
