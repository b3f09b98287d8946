"""BIC, H-TCP and Scalable TCP as in Linux, compared with the code of Linux 2.6.22 in ns-2.

`python -m verification.comparisons.linux_variants` prints the table; `--publish` renews the one that the
documentation shows. ns-2 must be installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from verification.comparisons.high_speed.dumbbell import ALGORITHMS, DUMBBELLS, FAST, Algorithm, Dumbbell
from verification.comparisons.high_speed.measures import Growth, Sharing, kept, stretches
from verification.comparisons.high_speed.simulators import Trace, ns2, ours
from verification.comparisons.high_speed.tables import LONG_S, growth, number, span
from verification.comparisons.publication import parser, print_and_publish

VARIANTS = {"htcp": "htcp-linux", "bic": "bic-linux", "scalable": "scalable-linux(count=50,limit=1)"}
"""Our algorithms by the rules of that version of Linux; every packet is acknowledged."""


def traces(algorithm: Algorithm, dumbbell: Dumbbell) -> dict[str, Trace]:
    """The runs: by the paper, by the rules of Linux, and in ns-2."""
    return {
        algorithm.ours[0]: ours("rack", dumbbell, algorithm.ours[0]),
        VARIANTS[algorithm.key]: ours("rack", dumbbell, VARIANTS[algorithm.key]),
        "ns-2": ns2(dumbbell, algorithm),
    }


def table() -> Iterator[list[str]]:
    """A row per dumbbell, algorithm and run."""
    head = ["link", "run", "kept", "most gained per round trip", "losses per minute", "first", "second"]
    yield [*head, "Jain", "goodput %", "lost %"]
    for dumbbell in DUMBBELLS:
        for algorithm in (algorithm for algorithm in ALGORITHMS if algorithm.key in VARIANTS):
            for name, trace in traces(algorithm, dumbbell).items():
                shown = f"{name}, {algorithm.ns2}" if name == "ns-2" else name
                yield [dumbbell.name, shown, *measured(trace, dumbbell)]


def measured(trace: Trace, dumbbell: Dumbbell) -> list[str]:
    """The cells of a run."""
    parts = stretches(trace)
    shares = Sharing.of(trace, dumbbell)
    losses = 60 * sum(not part.first for part in parts) / dumbbell.end_s
    return [
        span(*kept(parts)),
        number(Growth.of(parts, dumbbell, LONG_S).fastest(), 1),
        f"{losses:.0f}",
        *(f"{window:.0f}" for window in shares.windows),
        f"{shares.jain:.3f}",
        f"{100 * shares.goodput:.1f}",
        f"{100 * shares.loss:.2f}",
    ]


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them if asked."""
    chosen = parser("linux_variants", __doc__).parse_args(arguments)
    htcp = ALGORITHMS[0]
    print_and_publish(
        "linux-variants",
        {"table": table(), "htcp": growth(htcp.key, traces(htcp, FAST), FAST)},
        chosen.publish,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
