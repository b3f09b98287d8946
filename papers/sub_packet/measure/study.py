"""Many flows over one slow link: the networks of the paper, and what is measured on them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result, Scenario
from ackclock.measures import epochs, short_term_fairness
from ackclock.papers import Context, ProgressCallback

Floats = NDArray[np.float64]

BOTTLENECK = "left->right"
PACKET_BYTES = 500
"""On the wire (section 2.3.1)."""
HEADER_BYTES = 40
RTT_S = 0.2
"""Of propagation."""
WARM_UP_S = 100
SECONDS, QUICK_SECONDS = 1000, 500
"""After the warm-up, of most runs; in a quick check of those that need no more for what they show."""
MOST_SENT = 6
"""Packets per epoch that the model has states for."""
SLICE_S = 20
"""The window of the paper's short-term fairness."""


@dataclass(frozen=True)
class Case:
    """A number of flows over a link: the paper's, except for what is given."""

    flows: int = 100
    rate_bit_s: float = 1e6
    random: float = 0.0
    """Up to how many packet times of the bottleneck senders take over each packet, at random."""
    overhead: str = ""
    """Up to how long, if it is another."""
    least_timeout: str = ""
    """ns-2's unless given."""
    window: str = ""
    """The receiver's; ns-2's unless given."""
    algorithm: str = "sack"
    queue: str | Mapping[str, object] = "droptail"
    buffer: int | None = None
    """In packets; one propagation RTT's worth unless given."""
    packet_bytes: int = PACKET_BYTES
    rtts_s: tuple[float, ...] = (RTT_S,)
    """Of propagation; flows take them in turn."""
    seconds: int = SECONDS
    """After the warm-up."""
    seed: int = 1
    epochs: bool = False
    """True if packets per epoch are counted."""
    settings: tuple[tuple[str, object], ...] = field(default=())
    """More values by their paths."""

    @property
    def fair_share_bit_s(self) -> float:
        """The fair share of a flow."""
        return self.rate_bit_s / self.flows

    @property
    def packets_per_rtt(self) -> float:
        """The fair share, with a full buffer of one RTT."""
        return self.fair_share_bit_s * 2 * RTT_S / (8 * self.packet_bytes)

    @property
    def buffer_packets(self) -> int:
        """The bottleneck's buffer."""
        if self.buffer is not None:
            return self.buffer
        return max(1, round(self.rate_bit_s * RTT_S / (8 * self.packet_bytes)))

    def scenario(self, context: Context) -> Scenario:
        """The whole of it."""
        return context.load(self.tree(context), dict(self.settings))

    def tree(self, context: Context) -> dict[str, Any]:
        """The scenario as nested mappings, without the further settings."""
        text = (context.paper.folder / "scenarios" / "link.toml").read_text(encoding="utf-8")
        base = tomllib.loads(text)
        base |= {"seed": self.seed, "duration": f"{WARM_UP_S + self.seconds} s"}
        base |= {"topology": self._topology(), "flow": self._groups()}
        base["tcp"] |= {
            "mss": f"{self.packet_bytes - HEADER_BYTES} bytes",
            "algorithm": per_acknowledgment(self.algorithm),
        }
        if self.least_timeout:
            base["tcp"]["rto_min"] = self.least_timeout
        if self.window:
            base["tcp"]["receive_window"] = self.window
        if self.epochs:
            base["trace"]["epoch"] = "own rtt"
        return base

    def _topology(self) -> dict[str, object]:
        bottleneck = {
            "rate": f"{self.rate_bit_s:.0f} bit/s",
            "delay": "98 ms",
            "buffer": f"{self.buffer_packets} packets",
            "queue": self.queue,
        }
        access = {"rate": "10 Mbit/s", "delay": "1 ms"}
        if len(self.rtts_s) == 1:
            pairs = max(1, (self.flows + 1) // 2)  # two flows per user
            return {"dumbbell": {"pairs": pairs, "bottleneck": bottleneck, "access": access}}
        links = [{"from": "left", "to": "right", **bottleneck}]
        for number, rtt_s in enumerate(self.rtts_s):
            far = {"rate": "10 Mbit/s", "delay": f"{1000 * rtt_s / 2 - 99:.3f} ms"}
            links.append({"from": f"src{number}", "to": "left", **far})
            links.append({"from": "right", "to": f"dst{number}", **access})
        return {"graph": {"link": links}}

    def _groups(self) -> list[dict[str, object]]:
        groups = []
        for number in range(len(self.rtts_s)):
            count = len(range(number, self.flows, len(self.rtts_s)))
            group: dict[str, object] = {"name": f"tcp{number}", "count": count, "start_jitter": "10 s"}
            if len(self.rtts_s) > 1:
                group |= {"from": f"src{number}", "to": f"dst{number}"}
            if self.random or self.overhead:
                upto = self.overhead or f"{8e6 * self.random * self.packet_bytes / self.rate_bit_s:.0f} us"
                group["send_overhead"] = {"uniform": {"from": "0 us", "to": upto}}
            groups.append(group)
        return groups


def seconds_of(context: Context) -> int:
    """The length of a run that a quick check makes shorter."""
    return QUICK_SECONDS if context.quick else SECONDS


def per_acknowledgment(algorithm: str) -> str:
    """The algorithm with standard TCP's growth once per acknowledgment, as in ns-2."""
    *before, last = algorithm.split("+")
    if before:
        return f"{algorithm}(limit=1)" if last in {"reno", "westwood", "dctcp"} else algorithm
    return algorithm if algorithm in {"vegas", "tfrc"} else f"{algorithm}+reno(limit=1)"


@dataclass(frozen=True)
class Outcome:
    """One run in numbers, after the warm-up."""

    case: Case
    loss: float
    """The share of packets that the bottleneck dropped."""
    utilisation: float
    goodput: float
    """Of the link's rate, counting each packet that arrives once, with its header."""
    got: Floats
    """Goodput of each flow in each slice, in bit/s of payload: a row per slice."""
    packets_sent: float
    timeouts: float
    max_delay_s: float
    """The longest that a packet waited, as the longest queue comes to."""
    mean_rtt_s: float
    repeated: float
    """Timeouts when the timer was backed off already."""
    shares: Floats | None = None
    """Of epochs with 0, 1, .. 6 packets sent: a row per flow."""

    @property
    def long_term(self) -> float:
        """Jain's index of what the flows got in all."""
        return jain(self.got.mean(axis=0))

    @property
    def short_term(self) -> float:
        """Jain's index per slice, averaged."""
        return float(np.mean([jain(row) for row in self.got]))

    @property
    def silent(self) -> Floats:
        """The share of flows that get nothing, by slice."""
        return np.asarray((self.got == 0).mean(axis=1))

    def part(self, first: float, last: float) -> Floats:
        """The share of the flows between two ranks, by slice; ranks are fractions of the flows."""
        count = self.got.shape[1]
        ranked = np.sort(self.got, axis=1)[:, ::-1]
        mine = ranked[:, round(first * count) : round(last * count)]
        return np.asarray(mine.sum(axis=1) / ranked.sum(axis=1))

    def of_longer_slices(self, times: int) -> float:
        """The short-term index with slices that many times as long."""
        rows = self.got[: len(self.got) // times * times].reshape(-1, times, self.got.shape[1]).mean(axis=1)
        return float(np.mean([jain(row) for row in rows]))


def jain(values: Floats) -> float:
    """Jain's index; 1/n where one of n has everything, and where nobody has anything."""
    total = values.sum()
    return float(total**2 / (values.size * (values**2).sum())) if total > 0 else 1 / values.size


def outcome(case: Case, result: Result) -> Outcome:
    """The numbers of a run."""
    flows = result.flows
    link = result.links.row(by_predicate=pl.col("name") == BOTTLENECK, named=True)
    seen = link["dropped_queue"] + link["packets_forwarded"]
    got = _slices(result)
    payload = case.packet_bytes - HEADER_BYTES
    return Outcome(
        case,
        loss=link["dropped_queue"] / seen,
        utilisation=float(link["utilisation"]),
        goodput=float(got.sum(axis=1).mean()) * case.packet_bytes / payload / case.rate_bit_s,
        got=got,
        packets_sent=float(flows["packets_sent"].sum()),
        timeouts=float(flows["timeouts"].sum()),
        max_delay_s=float(link["max_queue_packets"]) * 8 * case.packet_bytes / case.rate_bit_s,
        mean_rtt_s=float(np.nanmean(flows["mean_rtt_s"].to_numpy())),
        shares=_shares(result) if case.epochs else None,
        repeated=float(flows["repeated_timeouts"].sum()),
    )


def _shares(result: Result) -> Floats:
    table = epochs.shares(result, MOST_SENT)
    return table["share"].to_numpy().reshape(-1, MOST_SENT + 1).astype(np.float64)


def _slices(result: Result) -> Floats:
    """A row per slice after the warm-up, a column per flow."""
    table = short_term_fairness.goodputs(result, SLICE_S)
    count = result.flows.height
    return table["goodput_bit_per_s"].to_numpy().reshape(-1, count).astype(np.float64)


def simulate(context: Context, cases: Sequence[Case]) -> list[Outcome]:
    """All cases side by side; what a case comes to is the same in any order."""

    def work(case: Case, told: ProgressCallback) -> Outcome:
        return outcome(case, context.run(case.scenario(context), progress=told))

    return context.each([(float(case.seconds * case.flows), case) for case in cases], work)


STANDARD = "sack+reno(limit=1)"
"""The paper's TCP, in whose place competitors stand."""


def algorithms(context: Context) -> dict[str, str]:
    """The specifications of the competitors that the user adds, by label."""
    return context.with_competitors({}, STANDARD)


SEEDS = 10
"""Other starts of each case, over which verdicts are formed."""


def seeds(case: Case, count: int) -> list[Case]:
    """The case with other starts."""
    return [replace(case, seed=seed) for seed in range(1, count + 1)]


def first(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those of the first seed, which figures show."""
    return [outcome for outcome in outcomes if outcome.case.seed == 1]


def by_seed(outcomes: Iterable[Outcome]) -> list[list[Outcome]]:
    """The outcomes of each seed."""
    found: dict[int, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.case.seed, []).append(outcome)
    return list(found.values())


RFC_2988_TIMEOUT = "1 s"
"""The least timeout of RFC 2988, which the paper cites; ns-2's own is 200 ms."""


Setting = Mapping[str, Any]
"""Fields of a case that the paper leaves open."""
LEVELS: Mapping[str, Mapping[str, Setting]] = {
    "window": {"20 packets": {"window": ""}, "1000 packets": {"window": "1000 packets"}},
    "timeout": {"0.2 s": {"least_timeout": ""}, "1 s": {"least_timeout": RFC_2988_TIMEOUT}},
    "overhead": {"none": {"random": 0.0}, "half": {"random": 0.5}},
}
"""The factors of plans/settings.toml, and what each of their levels is of a case."""
WAYS: dict[str, Setting] = {
    "clockwork": {"random": 0.0, "least_timeout": ""},
    "random": {"random": 0.5, "least_timeout": RFC_2988_TIMEOUT},
}
"""ns-2's defaults, senders like clockwork; and the point that the rule of plans/settings.toml chooses."""


def use(points: Sequence[Mapping[str, str]], _settings: Sequence[Mapping[str, object]]) -> list[str]:
    """Runs everything under two points of the plan in the place of `WAYS`; returns the endings of claims."""
    names = list(WAYS)
    for name, point in zip(names, points, strict=True):
        WAYS[name] = {
            key: value for factor, level in point.items() for key, value in LEVELS[factor][level].items()
        }
    return [f"-{name}" for name in names]


def both(case: Case) -> dict[str, Case]:
    """A case under each of `WAYS`."""
    return {name: replace(case, **setting) for name, setting in WAYS.items()}


def simulate_kinds(context: Context, cases: Sequence[Case]) -> dict[str, list[Outcome]]:
    """All cases with either kind of sender."""
    wanted = {kind: [both(case)[kind] for case in cases] for kind in both(Case())}
    found = iter(simulate(context, [case for mine in wanted.values() for case in mine]))
    return {kind: [next(found) for _ in mine] for kind, mine in wanted.items()}
