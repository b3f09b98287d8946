"""The simulator's prediction with a host's jitter, and measurements of sockets and the kernel.

`python -m verification.comparisons.host_jitter` prints the table; `--publish` renews that of the
documentation. The measurements are those of the published `ackclock crosscheck stacks`.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence

from ackclock.crosscheck.cases import QUICK, Case
from ackclock.crosscheck.kernel import OursInKernel
from ackclock.crosscheck.simulated import Simulated
from ackclock.measures.statistics import mean_interval
from verification.comparisons.publication import folder, parser, print_and_publish, written

JITTERS_MS = (0.05, 0.1, 0.2)
"""Means of the exponential jitter each way."""

EXPECTED_MS = 0.05
"""The jitter of the last column. On a busy host a link that kept time delivered a hundredth of the packets
0.2 to 0.5 ms late, as an exponential jitter of 0.05 to 0.1 ms does. Goodputs were known when this was
chosen."""

SEEDS = range(1, 11)
MEASURED = {
    "quinn, sockets": Simulated().payload,
    "noq, sockets": Simulated().payload,
    "kernel, ours": OursInKernel.payload,
}
"""The stacks by the host's clock, and the payload bytes of their packets."""

HEADINGS = [
    *("algorithm", "path", "stack", "measured, Mbit/s", "simulated, Mbit/s"),
    *(f"with {jitter} ms" for jitter in JITTERS_MS),
    *("measured of simulated, %", f"of that with {EXPECTED_MS} ms, %"),
]


def goodput(case: Case, payload: int, jitter_ms: float) -> list[float]:
    """The goodput in Mbit/s by seed; a single value if nothing is random."""
    seeds = SEEDS if jitter_ms else SEEDS[:1]
    runs = [Simulated(payload=payload, jitter_ms=jitter_ms, seed=seed).measure(case) for seed in seeds]
    return [run.goodput_bit_per_s * 1e-6 for run in runs]


def table() -> Iterator[list[str]]:
    """A row for each algorithm, path and stack that was measured."""
    yield HEADINGS
    cases = {(case.algorithm, case.bottleneck.label): case for case in QUICK}
    with (folder("stacks") / "crosscheck" / "stacks.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["stack"] in MEASURED and row["goodput, Mbit/s"]:
                yield compared(cases[row["algorithm"], row["path"]], row)


def compared(case: Case, row: dict[str, str]) -> list[str]:
    """A measured row and its predictions."""
    measured = float(row["goodput, Mbit/s"].split()[0])
    payload = MEASURED[row["stack"]]
    [exact] = goodput(case, payload, 0)
    jittered = {jitter: mean_interval(goodput(case, payload, jitter)) for jitter in JITTERS_MS}
    shares = [(measured / other - 1) * 100 for other in (exact, jittered[EXPECTED_MS].estimate)]
    return [
        *(case.algorithm, case.bottleneck.label, row["stack"], row["goodput, Mbit/s"], f"{exact:.3f}"),
        *(written(interval, 3) for interval in jittered.values()),
        *(f"{share:+.2f}" for share in shares),
    ]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and publishes it if asked."""
    chosen = parser("host_jitter", __doc__).parse_args(arguments)
    print_and_publish("host-jitter", {"goodput": table()}, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
