"""The evidence for an algorithm that a machine makes, by one command: its row in the league, and its attacks.

`python -m verification.evidence NAME` evaluates the avoidance, slow start, controller, recovery or transport
of this name in full, by all criteria of RFC 9743 with ten seeds, and publishes the row in
`published/evaluation/league/`; then it attacks it, for `published/attacks/worst-paths.json`. It takes six
minutes of one processor, and fifteen more if `results/league` has no runs of the algorithms that all are
compared with. Nothing needs to be committed before: a row names its sources by content
(`verification/sources.py`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ackclock.errors import nearest
from verification.attacks import worst_paths
from verification.league import __main__ as league
from verification.league.contenders import SKIPPED, contenders


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 130 if Ctrl-C ended the program."""
    parser = argparse.ArgumentParser(prog="python -m verification.evidence", description=__doc__)
    parser.add_argument("name", help="an algorithm of `ackclock list algorithms`, such as cubic")
    parser.add_argument("--workers", type=int, help="how many runs at once; as many as processors otherwise")
    chosen = parser.parse_args(arguments)
    keys = keys_of(chosen.name)
    if not keys:
        parser.error(_unknown(chosen.name))
    options = [] if chosen.workers is None else ["--workers", str(chosen.workers)]
    return league.main([*keys, "--publish", *options]) or worst_paths.main([*keys, "--publish", *options])


def keys_of(name: str) -> list[str]:
    """The contenders of the league with a name: several kinds may have it."""
    return [contender.key for contender in contenders() if contender.entry.name == name]


def _unknown(name: str) -> str:
    for (kind, skipped), reason in SKIPPED.items():
        if skipped == name:
            return f"the {kind} {name} has no row of its own: it is {reason}"
    names = [contender.entry.name for contender in contenders()]
    close = nearest(name, names)
    hint = f"; did you mean {close}?" if close else ""
    return f"no algorithm is called {name}{hint} (see `ackclock list algorithms`)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
