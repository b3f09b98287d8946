"""Tins, their shares and their codepoints: tc-cake(8), "Priority queue parameters", and `cake_config_*`.

In shaped mode a tin with a higher number goes first, as long as it keeps to its rate. Best effort is tin 0
and Bulk tin 1 of diffserv3 and diffserv4.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Share", "shares", "tin_of"]

LE, TOS2, TOS4, VOICE_ADMIT, EF = 1, 2, 4, 44, 46
CS1, CS2, CS3, CS4, CS5, CS6, CS7 = range(8, 64, 8)
AF1, AF2, AF3, AF4 = ({first, first + 2, first + 4} for first in (10, 18, 26, 34))

CODEPOINTS: dict[str, dict[int, set[int]]] = {
    "besteffort": {},
    "diffserv3": {1: {LE, CS1}, 2: {TOS4, VOICE_ADMIT, EF, CS6, CS7}},
    "diffserv4": {
        1: {LE, CS1},
        2: {TOS4, CS2, CS3} | AF2 | AF3 | AF4,
        3: {CS4, CS5, VOICE_ADMIT, EF, CS6, CS7},
    },
    "diffserv8": {
        0: {LE},
        1: {TOS2, CS1} | AF1,
        3: {CS3} | AF3 | AF4,
        4: {TOS4} | AF2,
        5: {CS2},
        6: {CS4, CS5, VOICE_ADMIT, EF},
        7: {CS6, CS7},
    },
    "precedence": {tin: set(range(8 * tin, 8 * tin + 8)) for tin in range(8)},
}
"""The tin of each codepoint with a name."""
OTHERS = {"diffserv8": 2}
"""The tin of all others, if it is not tin 0."""


def tin_of(mode: str, dscp: int) -> int:
    """The number of the tin for a codepoint."""
    for tin, codepoints in CODEPOINTS[mode].items():
        if dscp in codepoints:
            return tin
    return OTHERS.get(mode, 0)


@dataclass(frozen=True)
class Share:
    """A tin's part of the link."""

    rate: int | None
    """Bits per second above which the tin goes last; None if the shaper has none."""
    quantum: int
    """Bytes per turn without a shaper."""


def shares(mode: str, rate: int | None) -> list[Share]:
    """The tins of a mode, by their numbers."""
    if mode == "besteffort":
        return [Share(rate, 65535)]
    if mode in ("diffserv3", "diffserv4"):
        # Best effort, Bulk, and then Voice, or Video and Voice.
        parts = (1, 16, 4) if mode == "diffserv3" else (1, 16, 2, 4)
        return [Share(None if rate is None else rate // part, 1024 // part) for part in parts]
    found = [Share(rate, 256)]
    while len(found) < 8:
        last = found[-1]
        found.append(Share(None if last.rate is None else last.rate * 7 // 8, last.quantum * 7 // 8))
    return found
