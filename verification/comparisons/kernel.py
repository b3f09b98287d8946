"""The simulator's TCP and Linux's, with the same controllers and with the kernel's own, on the same paths.

`python -m verification.comparisons.kernel` prints the tables; `--publish` renews those that the
documentation shows. It needs root and the programs that `make link kernel` builds, and takes a quarter of an
hour. A busy host delays packets: the tables show by how much.
"""

from __future__ import annotations

import json
import platform
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ackclock
from verification.comparisons.publication import ROOT, parser, print_and_publish

PROGRAM = ROOT / "target" / "release" / "ackclock-kernel"

FROM_S, SECONDS = 5, 30
"""The length of the beginning that does not count, and of the whole run."""

RUNS = 2
"""The runs of each cell, which alternate with those of all others, so that a disturbance of the host affects
few of one cell."""

ATTEMPTS = 4
"""A run in which the host was late by half a round-trip time is made again, up to this many times in all."""

APART_S = 0.4
"""Drops further apart than this are of different episodes."""


@dataclass(frozen=True)
class Path:
    """A path of one bottleneck; packets of 1500 bytes, of which 1448 are payload."""

    mbit_s: int
    delay_ms: int
    buffer: int

    @property
    def cells(self) -> list[str]:
        """For a table."""
        return [str(self.mbit_s), str(2 * self.delay_ms), str(self.buffer)]


SLOW, FAST = Path(20, 20, 20), Path(100, 10, 160)

OURS = ("reno(limit=inf)", "cubic", "htcp", "hetcp", "bbr3")
"""Reno counts every packet that an acknowledgment stands for, as Linux does."""

THEIRS = ("reno", "cubic")

Measured = dict[str, Any]


def simulated(path: Path, algorithm: str, seconds: int = SECONDS) -> Measured:
    """The prediction: RACK's recovery and an acknowledgment for every other packet, as in Linux."""
    scenario = f"""
        name = "path"
        duration = "{seconds} s"
        warm_up = "{FROM_S} s"
        [[topology.graph.link]]
        from = "sender"
        to = "receiver"
        rate = "{path.mbit_s} Mbit/s"
        delay = "{path.delay_ms} ms"
        buffer = "{path.buffer} packets"
        [tcp]
        mss = "1448 B"
        header = "52 B"
        segments_per_ack = 2
        ack_delay = "40 ms"
        [[flow]]
        from = "sender"
        to = "receiver"
        algorithm = "rack+{algorithm}"
        [trace]
        interval = "1 s"
    """
    result = ackclock.run(ackclock.Scenario.from_toml(scenario))
    flow = result.flows.row(0, named=True)
    return {
        "goodput_mbit_s": flow["goodput_bit_per_s"] / 1e6,
        "loss_period_s": loss_period(result.drops["time_s"].to_list(), seconds),
        "retransmissions": flow["retransmissions"],
        "mean_rtt_ms": flow["mean_rtt_s"] * 1e3,
    }


def loss_period(drops: Sequence[float], until: float) -> float | None:
    """The mean time between episodes after the beginning; none for fewer than two periods."""
    episodes: list[float] = []
    last = float("-inf")
    for drop in drops:
        if drop - last > APART_S and FROM_S <= drop < until:
            episodes.append(drop)
        last = drop
    periods = len(episodes) - 1
    return (episodes[-1] - episodes[0]) / periods if periods >= 2 else None


def once(
    path: Path, algorithm: str, *options: str, begin_s: float = FROM_S, end_s: float = SECONDS
) -> Measured:
    """A run in the kernel."""
    command = [
        *(str(PROGRAM), "measure", algorithm, *options, "--from", f"{begin_s} s", "--for", f"{end_s} s"),
        *("--rate", f"{path.mbit_s} Mbit/s", "--delay", f"{path.delay_ms} ms"),
        *("--buffer", f"{path.buffer} packets"),
    ]
    ran = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    account: Measured = json.loads(ran.stdout)
    return account


def measured(path: Path, algorithm: str, *options: str, end_s: float = SECONDS) -> Measured:
    """A run in the kernel, made again while the host is too late."""
    attempts = 0
    while True:
        account = once(path, algorithm, *options, end_s=end_s)
        attempts += 1
        if attempts == ATTEMPTS or account["host_late_max_us"] < 1000 * path.delay_ms:
            return account | {"attempts": attempts}


HEADINGS = [
    *(
        "algorithm",
        "Mbit/s",
        "RTT, ms",
        "buffer, packets",
        "stack",
        "goodput, Mbit/s",
        "of the simulator's, %",
    ),
    *(
        "loss period, s",
        "of the simulator's, %",
        "retransmissions",
        "mean RTT, ms",
        "ACK to controller, p99, us",
    ),
    *("records lost", "host late, p99, us", "at most, us", "runs"),
]


def cells(runs: Sequence[Measured], simulator: Measured | None) -> list[str]:
    """The cells of a stack: the means of its runs, and their largest delays."""

    def mean(key: str) -> float | None:
        values = [run[key] for run in runs if run.get(key) is not None]
        return statistics.fmean(values) if values else None

    def of_simulator(key: str) -> str:
        own, other = mean(key), simulator and simulator[key]
        return f"{100 * (own / other - 1):+.1f}" if own and other else ""

    def most(values: Iterator[float]) -> str:
        return f"{max(values, default=0):.0f}"

    period, controllers = mean("loss_period_s"), [run["controller"] for run in runs if run.get("controller")]
    delay = most(account["to_controller_us"]["p99"] for account in controllers)
    lost = str(sum(account["ring_drops"] for account in controllers))
    late = [run for run in runs if "host_late_p99_us" in run]
    return [
        f"{mean('goodput_mbit_s'):.2f}",
        of_simulator("goodput_mbit_s"),
        "" if period is None else f"{period:.2f}",
        of_simulator("loss_period_s"),
        f"{mean('retransmissions'):.0f}",
        f"{mean('mean_rtt_ms'):.1f}",
        *((delay, lost) if controllers else ("", "")),
        most(run["host_late_p99_us"] for run in late) if late else "",
        most(run["host_late_max_us"] for run in late) if late else "",
        str(sum(run["attempts"] for run in late)) if late else "",
    ]


def agreement() -> Iterator[list[str]]:
    """A row per path: the simulator, our controllers in the kernel, and the kernel's own."""
    yield HEADINGS
    for path in (SLOW, FAST):
        runs: dict[tuple[str, str], list[Measured]] = {}
        for _ in range(RUNS):
            for algorithm in OURS:
                runs.setdefault((algorithm, "kernel (ours)"), []).append(measured(path, algorithm))
            for algorithm in THEIRS:
                runs.setdefault((algorithm, "kernel (its own)"), []).append(
                    measured(path, algorithm, "--own")
                )
        for algorithm in OURS:
            simulator = simulated(path, algorithm)
            name = algorithm.partition("(")[0]
            yield [algorithm, *path.cells, "simulator", *cells([simulator], None)]
            yield [
                algorithm,
                *path.cells,
                "kernel (ours)",
                *cells(runs[algorithm, "kernel (ours)"], simulator),
            ]
            if (name, "kernel (its own)") in runs:
                yield [
                    name,
                    *path.cells,
                    "kernel (its own)",
                    *cells(runs[name, "kernel (its own)"], simulator),
                ]


def without_controller() -> Iterator[list[str]]:
    """Ten seconds after the controller was killed, compared with the kernel's Reno in the same seconds."""
    yield ["algorithm", *HEADINGS[1:4], "goodput, Mbit/s", "of kernel Reno's, %", "host late, at most, us"]
    begin, end = 6, 16
    reno = once(SLOW, "reno", "--own", begin_s=begin, end_s=end)
    yield ["reno", *SLOW.cells, f"{reno['goodput_mbit_s']:.2f}", "", f"{reno['host_late_max_us']:.0f}"]
    for algorithm in OURS:
        controller = subprocess.Popen(
            [str(PROGRAM), "run", algorithm, "--name", "ack_killed"], stdout=subprocess.DEVNULL
        )
        time.sleep(1)
        # The link and the connection take half a second.
        killed = subprocess.Popen(
            ["sh", "-c", f"sleep {begin - 0.5}; kill -{signal.SIGKILL.value} {controller.pid}"]
        )
        run = once(SLOW, "ack_killed", "--own", begin_s=begin, end_s=end)
        killed.wait()
        controller.wait()
        share = 100 * run["goodput_mbit_s"] / reno["goodput_mbit_s"]
        yield [
            algorithm,
            *SLOW.cells,
            f"{run['goodput_mbit_s']:.2f}",
            f"{share:.1f}",
            f"{run['host_late_max_us']:.0f}",
        ]


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them if asked."""
    chosen = parser("kernel", __doc__).parse_args(arguments)
    tables = {"kernel": agreement(), "without-controller": without_controller()}
    print_and_publish("kernel", tables, chosen.publish, f"Linux {platform.release()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
