"""Slow starts at 500 Mbit/s: packets lost in the simulator, in the kernel, and by the kernel's own CUBIC.

`python -m verification.comparisons.slow_start_in_kernel` prints the table; `--publish` renews that of the
documentation. It needs root and the programs that `make link kernel` builds, and takes four minutes. No run
is repeated if the host was late: the table shows how late.
"""

from __future__ import annotations

import pathlib
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from verification.comparisons.kernel import HEADINGS, Measured, Path, once, simulated
from verification.comparisons.publication import parser, print_and_publish

PATH, SECONDS = Path(500, 5, 400), 12

RUNS = 3

HYSTART = pathlib.Path("/sys/module/tcp_cubic/parameters/hystart")
"""True if the kernel's CUBIC has HyStart: 1 unless it is changed."""

SLOW_STARTS = {"cubic": False, "hystart+cubic": None, "hystart-linux+cubic": True}
"""The controllers, and whether the similar CUBIC of the kernel has HyStart; None without a similar one."""


@contextmanager
def hystart_of_the_kernel(is_on: bool) -> Iterator[None]:
    """Sets the kernel's CUBIC with HyStart or without, and restores the setting at the end."""
    before = HYSTART.read_text(encoding="ascii")
    HYSTART.write_text("1" if is_on else "0", encoding="ascii")
    try:
        yield
    finally:
        HYSTART.write_text(before, encoding="ascii")


def row(name: str, stack: str, run: Measured) -> list[str]:
    """The row of a run."""
    late = [f"{run[key]:.0f}" if key in run else "" for key in ("host_late_p99_us", "host_late_max_us")]
    counts = (f"{run['retransmissions']:.0f}", f"{run['goodput_mbit_s']:.1f}")
    return [name, *PATH.cells, stack, *counts, *late]


def slow_starts() -> Iterator[list[str]]:
    """Each slow start in the simulator and in the kernel, and the kernel's own similar one."""
    counts = ("retransmissions", "goodput, Mbit/s", "host late, p99, us", "at most, us")
    yield ["algorithm", *HEADINGS[1:5], *counts]
    for algorithm, hystart in SLOW_STARTS.items():
        yield row(algorithm, "simulator", simulated(PATH, algorithm, SECONDS))
        for _ in range(RUNS):
            yield row(algorithm, "kernel (ours)", once(PATH, algorithm, end_s=SECONDS))
        if hystart is None:
            continue
        with hystart_of_the_kernel(hystart):
            for _ in range(RUNS):
                run = once(PATH, "cubic", "--own", end_s=SECONDS)
                yield row(f"cubic, hystart={int(hystart)}", "kernel (its own)", run)


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and publishes it if asked."""
    chosen = parser("slow_start_in_kernel", __doc__).parse_args(arguments)
    tables = {"slow-starts": slow_starts()}
    print_and_publish("slow-start-in-kernel", tables, chosen.publish, f"Linux {platform.release()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
