"""The simulator held to theory and to standards: one file per subject, each with its figure.

`python -m verification` carries everything out, prints what was measured beside what was expected, and
draws the figures; `--quick` does so in a minute. Every tolerance is derived where it stands; which of the
derivations were completed after a first look at results is told in docs/verification.md.
"""
