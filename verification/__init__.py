"""Compares the simulator with theory and standards: one file per check in `checks/`, each with its figure.

`python -m verification` runs all checks, prints measured and expected values and draws the figures; `--quick`
takes a minute. The docstring of a check derives its tolerances; docs/verification.md says which of the
derivations were completed after a first look at results. `peers/` runs ns-2 and ns-3; `comparisons/` holds
the studies that compare algorithms and simulators.
"""
