"""The settings that chapters 2 and 3 leave open, Table I among them: levels of plans/settings-survey.toml.

Chapter 5's are in stack.py. The levels here are those of the verdicts; a search changes them.
"""

from __future__ import annotations

__all__ = ["LEVELS", "SEEDS", "packets", "seeds"]

LEVELS = {
    "recovery": "newreno",
    "users_timeout": "1 s",
    "limited_transmit": "without",
    "pages": "4 to 32 packets",
    "rate": "10 Mbit/s",
    "t_tcp": "one packet",
    "sctp": "4 packets",
    "byte_count": "limited",
    "first_window": "2 packets",
    "queue": "7 packets",
    "short_flows": "32 packets",
    "timer": "0.3 s",
    "large_queue": "100 packets",
    "ring_queue": "50 packets",
}
SEEDS = {"search": 0}
"""The number of seeds of each experiment in a search; 0: those of a quick run."""


def packets(factor: str) -> int:
    """The number of packets of a level."""
    return int(LEVELS[factor].split()[0])


def seeds(quick: int) -> int:
    """The number of seeds of a quick run, or of a search."""
    return SEEDS["search"] or quick
