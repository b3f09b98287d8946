"""Which algorithm for a long fat pipe: plans of sweeps, and the maps and tables made of their results."""
