"""The path of section 4, its algorithms, and runs as windows over time."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result, Scenario
from ackclock.measures import over_time
from ackclock.papers import Context

Floats = NDArray[np.float64]

CHOSEN = "from_start=1,loss_estimate=1,smoothed=1,low_window=100"
"""The setting that plans/settings.toml chooses: growth as in the listing of figure 2, from the start on; the
estimate of equation 1 and of 3.3; standard TCP up to 100 packets (3.4)."""
LISTING = "hetcp(from_start=1)"
"""Figure 2 of the paper, to the letter; `hetcp` alone has standard slow start before it."""
HE_TCP, HS_TCP, RENO = "hetcp", "hstcp", "reno"
ALGORITHMS = {
    HE_TCP: f"sack+hetcp({CHOSEN})",
    HS_TCP: "sack+hstcp(low_window=31,high_window=83000,high_decrease=0.1,offset=0)",
    RENO: "sack+reno(limit=1)",
}
OPEN: dict[str, object] = {}
"""The changes that the search of settings makes to every scenario, before the settings of an experiment."""
LENGTHS = {"figure 3": "180 s"}
"""The durations of figures that the search varies, as it chose them."""
SEARCHED = ("start", "figures-1-and-3", "figure-4", "figure-5", "round-trips", "small-pipe")
"""The parts in which the search looks at the statements."""
TITLES = {HE_TCP: "HE-TCP", HS_TCP: "HS-TCP", RENO: "TCP Reno"}

PIPE_PACKETS = 20_000
"""800 Mbit/s times 200 ms, in packets of 1000 bytes."""
ROUND_TRIP_S = 0.2
PAYLOAD_RATE = 800e6 * 0.96
"""The link's capacity without headers, in bit/s."""
STEP = "100 ms"
"""Of windows over time: half a round trip."""
PER_ROUND_TRIP = 2
"""Such steps in a round trip."""
LINEAR = 10.0
"""Packets per round trip up to which growth counts as linear: linear is 1, rapid growth has thousands."""
LANDED_S = 10.0
"""Rises that last so long are looked at: after a loss on a full path six seconds are enough to land.
The first rise, from two packets, takes twelve."""
LOSS = "topology.dumbbell.bottleneck.loss.bernoulli"
BOTTLENECK = "left->right"
"""Where data waits; acknowledgments come back the other way."""


def pipe(
    context: Context,
    settings: Mapping[str, object] | None = None,
    *,
    first: Mapping[str, object] | None = None,
    flows: Sequence[Mapping[str, object]] = (),
    udp: Mapping[str, object] | None = None,
) -> Scenario:
    """The paper's path with its one flow, which `first` describes further, and these in addition."""
    text = (context.paper.folder / "scenarios" / "pipe.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    document["flow"][0] |= first or {}
    document["flow"] += flows
    if udp:
        document["udp"] = [udp]
    return context.load(document, {**OPEN, **(settings or {})})


def use(points: Sequence[Mapping[str, str]], settings: Sequence[Mapping[str, object]]) -> list[str]:
    """Runs everything under a point of plans/settings.toml; returns the ending of its claims: any."""
    (point,), (changed,) = points, settings
    OPEN.clear()
    OPEN.update(changed)
    given: dict[str, float] = {
        "from_start": point["start"] == "listing",
        "loss_estimate": point["estimate"] == "equations",
        "smoothed": point["estimate"] == "equations",
    }
    if point["small_windows"] != "as the listing":
        given["low_window"] = 100
    listing = ",".join(f"{key}={int(value)}" for key, value in given.items())
    avoidances = {HE_TCP: f"hetcp({listing})"}
    for name, specification in ALGORITHMS.items():
        avoidance = avoidances.get(name, specification.partition("+")[2])
        ALGORITHMS[name] = f"{point['recovery']}+{avoidance}"
    LENGTHS["figure 3"] = point["figure_3"]
    return [""]


def written(loss: float) -> str:
    """A loss rate as the paper writes it: 1e-6, not 1e-06."""
    return f"{loss:g}".replace("e-0", "e-")


def share_of_link(result: Result) -> float:
    """The goodput of the run's TCP flows relative to the link's capacity, after the warm-up."""
    flows = result.flows.filter((pl.col("kind") == "tcp") & (pl.col("name") != "back"))
    return float(flows["goodput_bit_per_s"].sum()) / PAYLOAD_RATE


def share_of_first(result: Result) -> float:
    """The first flow's share of the goodput of the first two."""
    first, second = result.flows["goodput_bit_per_s"].to_list()[:2]
    return float(first / (first + second))


@dataclass(frozen=True)
class Rise:
    """From one reduction of the window to the next: seconds and packets, shapes (n,)."""

    time: Floats
    cwnd: Floats
    ssthresh: Floats
    is_first: bool
    is_cut_off: bool
    """True if a loss ended it, and not the end of the run."""

    @property
    def gain(self) -> Floats:
        """Packets gained in the round trip that begins at each sample; shape (n - 2,)."""
        return np.asarray(self.cwnd[PER_ROUND_TRIP:] - self.cwnd[:-PER_ROUND_TRIP])

    @property
    def duration_s(self) -> float:
        """From the first sample to the last."""
        return float(self.time[-1] - self.time[0])

    @property
    def landing(self) -> int | None:
        """Where rapid growth has ended for good; None if it has not, or never was."""
        rapid = np.flatnonzero(self.gain > LINEAR)
        if not rapid.size or self.gain.size - rapid[-1] <= 5 * PER_ROUND_TRIP:
            return None
        return int(rapid[-1]) + 1

    @property
    def steepest(self) -> int:
        """Where most is gained in a round trip."""
        return int(np.argmax(self.gain))

    def braking(self, packets: float) -> float:
        """The gain of the round trip in which the window passes this many packets, over the largest gain."""
        there = np.flatnonzero(self.cwnd >= packets)
        if not there.size:
            return math.nan
        at = min(int(there[0]), self.gain.size - 1)
        return float(self.gain[at] / np.max(self.gain))

    def time_to(self, packets: float) -> float:
        """Seconds from its begin until the window has this many packets; infinite if it never has."""
        there = np.flatnonzero(self.cwnd >= packets)
        return float(self.time[there[0]] - self.time[0]) if there.size else math.inf

    def gained(self, seconds: float) -> float:
        """Packets per second gained in its first seconds, or in all of it if it is shorter."""
        end = min(int(np.searchsorted(self.time, self.time[0] + seconds)), self.time.size - 1)
        return float((self.cwnd[end] - self.cwnd[0]) / (self.time[end] - self.time[0]))


@dataclass(frozen=True)
class Trace:
    """A flow over time: seconds, packets, bit/s of payload, shapes (n,); when the queue dropped data, s."""

    time: Floats
    cwnd: Floats
    ssthresh: Floats
    goodput: Floats
    queue_drops: Floats
    begin_s: float

    @staticmethod
    def of(result: Result, flow: int = 0) -> Trace:
        """A flow of a run with time series."""
        series = over_time.of_flow(result, flow)
        names = ("time_s", "cwnd_packets", "ssthresh_packets", "goodput_bit_per_s")
        way = result.links["name"].to_list().index(BOTTLENECK)
        ours = (pl.col("flow") == flow) & (pl.col("link") == way) & (pl.col("reason") == "queue")
        drops = result.drops.filter(ours)["time_s"]
        time, cwnd, ssthresh, goodput = (series[name] for name in names)
        begin = float(result.flows["start_s"][flow])
        first = int(np.searchsorted(time, begin))
        # Before its begin a flow has the window with which it begins.
        cwnd[:first], ssthresh[:first] = cwnd[first], ssthresh[first]
        return Trace(time, cwnd, ssthresh, goodput, drops.to_numpy().astype(np.float64), begin)

    def rises(self) -> list[Rise]:
        """The intervals between reductions of the window, without those of less than a second."""
        cuts = np.flatnonzero(self.cwnd[1:] < 0.9 * self.cwnd[:-1]) + 1
        edges = [0, *(int(cut) for cut in cuts), self.time.size]
        found = []
        for first, last in pairwise(edges):
            part = slice(first, last)
            if last - first > 5 * PER_ROUND_TRIP:
                found.append(
                    Rise(
                        self.time[part], self.cwnd[part], self.ssthresh[part], first == 0,
                        last < self.time.size,
                    )
                )  # fmt: skip
        return found

    def kept(self) -> list[float]:
        """The part of the window that is left at each reduction while it grew linearly before."""
        found = []
        for rise in self.rises():
            end = int(np.searchsorted(self.time, rise.time[-1]))
            if rise.is_cut_off and rise.landing is not None:
                found.append(float(self.cwnd[end + 1] / self.cwnd[end]))
        return found

    def share(self, first_s: float, last_s: float) -> float:
        """Its goodput between two times relative to the link's capacity."""
        inside = (self.time > first_s) & (self.time <= last_s)
        return float(np.mean(self.goodput[inside]) / PAYLOAD_RATE)

    def early_queue_drops(self, end_s: float) -> int:
        """Packets of data that the full queue dropped up to a time."""
        return int(np.sum(self.queue_drops < end_s))

    def filled_s(self, left: float = 1.0) -> float:
        """Seconds from its begin until it fills 90 % of what is left of the path; infinite if never."""
        there = np.flatnonzero(self.cwnd >= 0.9 * left * PIPE_PACKETS)
        return float(self.time[there[0]]) - self.begin_s if there.size else math.inf


@dataclass(frozen=True)
class Fairness:
    """Jain's index of two flows' goodputs over time since the second began, in s; shapes (n,)."""

    time: Floats
    recent: Floats
    """Over the last `OVER_S`."""
    so_far: Floats
    """Over all since the second began."""

    OVER_S = 10.0
    CONVERGED = 0.95

    @staticmethod
    def of(result: Result) -> Fairness:
        """Of the first two flows of a run with time series."""
        begin = float(result.flows["start_s"][1])
        one, other = (Trace.of(result, flow) for flow in (0, 1))
        after = one.time > begin
        time = one.time[after] - begin
        step = float(one.time[1] - one.time[0])
        sums = [np.concatenate(([0.0], np.cumsum(np.nan_to_num(t.goodput[after])))) for t in (one, other)]
        width = round(Fairness.OVER_S / step)
        back = np.maximum(np.arange(1, time.size + 1) - width, 0)
        recent = [total[1:] - total[back] for total in sums]
        return Fairness(time, Fairness.index(*recent), Fairness.index(sums[0][1:], sums[1][1:]))

    def converged_s(self, index: Floats, level: float = CONVERGED) -> float:
        """When this index is first this high; never below `OVER_S`, the time it looks back."""
        there = np.flatnonzero((index >= level) & (self.time >= self.OVER_S))
        return float(self.time[there[0]]) if there.size else float(self.time[-1])

    @staticmethod
    def index(first: Floats, second: Floats) -> Floats:
        """Jain's index of two values, place by place."""
        squares = first**2 + second**2
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(squares > 0, (first + second) ** 2 / (2 * squares), 0.5))
