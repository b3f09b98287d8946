"""Windows against random loss of the algorithms for fast paths: HSTCP, Scalable, Compound, BIC, H-TCP, CUBIC.

One flow with SACK on a path that loses packets and never queues, so that the round-trip time is always a
tenth of a second. Losses come in two ways:

- every 1/p-th packet is lost. This is what published response functions assume: 0.12 / p^0.835 for HSTCP
  (RFC 3649, section 5), 1.054 (RTT / p)^(3/4) for CUBIC (RFC 9438, equation 7), and for Scalable 0.0749 / p,
  since between losses the window grows by 0.01 per packet from 7/8 of itself: 1 / p = 0.125 W / 0.01, in
  ln(8/7) / 0.01 windows. For Compound's growth by 0.125 W^k, from half of W, a cycle of 1 / p packets gives
  0.241 / p^(1/(2-k)) with mesonet's k of 0.8 (Tan et al. 2006 have 0.75). Slope and constant must be those.
- each packet is lost by itself with probability p. The rule is then a random walk over round trips: grow as
  published, and with probability 1 - (1 - p)^W shrink. Its mean window is computed here from many walks at
  once, for these four and for BIC and H-TCP, whose published response functions are no power laws.

H-TCP is run with its throughput switch off (``delta_b=inf``): with it, the back-off after a loss depends on
how long ago the last few losses were, to a quarter of a second. CUBIC with regular losses is run without fast
convergence, as RFC 9438 asks for a flow that is alone, and as its equation assumes.

Tolerance: the theory leaves out two round trips per loss, the one in which the loss becomes known and the one
of recovery, and it counts fractions of packets, whereas TCP sends the whole packets that fit its window. That
is the share 2 p W + 1 / W of a window of W packets, to which the interval over seeds is added. A slope is
measured over a decade or more, so it may be off by the shares at both ends over the logarithm of the ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ackclock import Result
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.models import compound, cubic, hstcp, scalable
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import CONFIDENCE, Report

RTT_S = 0.1
WALKS = 2000
STEPS_PER_ROUND = 2
WARM_UP_LOSSES = 10
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#7a7a7a")

Array = NDArray[np.float64]


class Walks:
    """Many flows of one algorithm at once: the published rule per round trip, in packets and seconds."""

    keeps = 0.5
    low = 0.0
    """The window below which it is standard TCP."""

    def __init__(self, window: Array) -> None:
        self.window = window.copy()
        self.since = np.zeros_like(window)
        """Seconds since the last loss."""

    def growth(self) -> Array:
        """Packets per round trip."""
        raise NotImplementedError

    def kept(self, window: Array) -> Array:
        """The part of this window that remains after a loss."""
        return window * self.keeps

    def remember(self, lost: NDArray[np.bool_]) -> None:
        """The fraction of a window that a loss leaves."""

    def step(self, loss: float, rng: np.random.Generator) -> None:
        """A part of a round trip."""
        share = 1 / STEPS_PER_ROUND
        standard = self.window < self.low
        lost = rng.random(self.window.size) < 1 - (1 - loss) ** (self.window * share)
        grown = self.window + share * np.where(standard, 1.0, self.growth())
        self.remember(lost)
        shrunk = np.where(standard, self.window / 2, self.kept(self.window))
        self.window = np.maximum(np.where(lost, shrunk, grown), 2.0)
        self.since = np.where(lost, 0.0, self.since + share * RTT_S)


class Hstcp(Walks):
    """RFC 3649, section 5."""

    low = 38.0

    def _decrease(self, window: Array) -> Array:
        part: Array = 0.5 - 0.4 * np.log(window / 38) / math.log(83000 / 38)
        return part

    def growth(self) -> Array:
        b = self._decrease(self.window)
        return self.window**2 * (0.078 / self.window**1.2) * 2 * b / (2 - b)

    def kept(self, window: Array) -> Array:
        return window * (1 - self._decrease(window))


class Scalable(Walks):
    """Kelly 2003."""

    low = 16.0
    keeps = 0.875

    def growth(self) -> Array:
        return 0.01 * self.window


class Htcp(Walks):
    """Shorten and Leith 2004, scaled by the round-trip time; without queueing 0.8 is kept."""

    keeps = 0.8

    def growth(self) -> Array:
        late = np.maximum(self.since - 1, 0)
        return 0.4 * np.maximum(RTT_S * (1 + 10 * late + late**2 / 4), 1.0)


class Bic(Walks):
    """Xu, Harfoush and Rhee 2004, with mesonet's values."""

    low = 14.0
    keeps = 0.8

    def __init__(self, window: Array) -> None:
        super().__init__(window)
        self.highest = window.copy()
        self.last = np.zeros_like(window)
        self.probing = np.zeros_like(window)
        """The step beyond the highest window; 0 while searching."""

    def growth(self) -> Array:
        beyond = (self.window >= self.highest) & (self.probing == 0)
        self.highest = np.where(beyond, 2 * self.window, self.highest)
        self.probing = np.where(beyond, 1.0, self.probing)
        probed = self.probing.copy()
        self.probing = np.where(probed > 0, probed * (4 / 3) ** (1 / STEPS_PER_ROUND), 0.0)
        self.probing = np.where(self.probing >= 32, 0.0, self.probing)
        towards = (self.highest - self.window) / 8
        searched = np.where(towards < 1, 0.2, np.minimum(towards, 32.0))
        return np.where(probed > 0, probed, searched)

    def remember(self, lost: NDArray[np.bool_]) -> None:
        smaller = np.where(self.window < self.last, 0.9 * self.window, self.window)
        self.highest = np.where(lost, smaller, self.highest)
        self.last = np.where(lost, smaller, self.last)
        self.probing = np.where(lost, 0.0, self.probing)


class Cubic(Walks):
    """RFC 9438, with fast convergence."""

    keeps = 0.7

    def __init__(self, window: Array) -> None:
        super().__init__(window)
        self.maximum = window.copy()
        self.prior = window.copy()
        self.estimate = window.copy()
        self.begin = window.copy()

    def _cubic(self, ahead: float) -> Array:
        k = np.cbrt(np.maximum(self.maximum - self.begin, 0) / 0.4)
        return 0.4 * (self.since + ahead - k) ** 3 + self.maximum

    def growth(self) -> Array:
        alpha = np.where(self.estimate >= self.prior, 1.0, 0.9 / 1.7)
        self.estimate += alpha / STEPS_PER_ROUND
        target = np.clip(self._cubic(RTT_S), self.window, 1.5 * self.window)
        friendly = self._cubic(0) < self.estimate
        reno = np.maximum(self.estimate - self.window, 0) * STEPS_PER_ROUND
        return np.where(friendly, reno, target - self.window)

    def remember(self, lost: NDArray[np.bool_]) -> None:
        smaller = np.where(self.window < self.maximum, 0.85 * self.window, self.window)
        self.maximum = np.where(lost, smaller, self.maximum)
        self.prior = np.where(lost, self.window, self.prior)
        self.begin = np.where(lost, self.keeps * self.window, self.begin)
        self.estimate = np.where(lost, self.keeps * self.window, self.estimate)


class Compound(Walks):
    """Tan, Song, Zhang and Sridharan 2006, with mesonet's values, and without queueing."""

    low = 41.0

    def __init__(self, window: Array) -> None:
        super().__init__(window)
        self.delay = np.zeros_like(window)
        """The part of the window that is dwnd."""

    def step(self, loss: float, rng: np.random.Generator) -> None:
        share = 1 / STEPS_PER_ROUND
        lost = rng.random(self.window.size) < 1 - (1 - loss) ** (self.window * share)
        standard = self.window < self.low
        cwnd = self.window - self.delay
        halved = np.maximum(np.where(standard, self.window, cwnd) / 2, 2.0)
        grown = self.delay + share * np.maximum(0.125 * self.window**0.8 - 1, 0.0)
        delay = np.where(lost, np.maximum(self.window / 2 - halved, 0.0), grown)
        # Below the low window there is no dwnd, even if it was most of the window before.
        self.delay = np.where(standard, 0.0, delay)
        self.window = np.where(lost, halved, cwnd + share) + self.delay


@dataclass(frozen=True)
class Algorithm:
    """One of those compared."""

    name: str
    spec: str
    walks: Callable[[Array], Walks]
    published: Callable[..., ArrayLike] | None = None
    """Packets per round trip against p, where the response function is a power law."""
    exponent: float = 0.0
    """Of 1 / p in it."""
    regular_spec: str | None = None
    """The run with regular losses, if it differs."""
    over_mean: float = 1.0
    """The window at regular losses over the mean window."""

    def law(self, loss: float) -> float:
        """Packets per round trip as published."""
        if self.published is None:
            raise ValueError(f"{self.name} has no power law")
        return float(np.asarray(self.published(loss, floor=False)))

    def expected(self, loss: float) -> float:
        """Packets per round trip under independent losses: the mean over the later half of the walks."""
        rng = np.random.default_rng(1)
        walks = self.walks(np.full(WALKS, 0.1 * loss**-0.8))
        steps = int(STEPS_PER_ROUND * max(400, 30 / (loss * 0.1 * loss**-0.8)))
        means = []
        for step in range(steps):
            walks.step(loss, rng)
            if step >= steps // 2:
                means.append(float(walks.window.mean()))
        return float(np.mean(means))


HSTCP = "hstcp(low_window=38,offset=0)"
ALGORITHMS = (
    Algorithm("HSTCP", HSTCP, Hstcp, hstcp, 0.835, over_mean=1.2),
    Algorithm("Scalable", "scalable", Scalable, scalable, 1.0, over_mean=1.07),
    Algorithm("CUBIC", "cubic", Cubic, cubic, 0.75, "cubic(fast_convergence=0)", over_mean=4 / 3.7),
    Algorithm("Compound", "compound", Compound, compound, 1 / 1.2, over_mean=1.375),
    Algorithm("BIC", "bic", Bic),
    Algorithm("H-TCP", "htcp(delta_b=inf)", Htcp),
)


def scenario(spec: str, seed: int, window: float, rounds: float, warm_up: float, loss: Settings) -> Settings:
    """A flow that begins near its window and runs for this many round trips after those of the warm-up."""
    link = {"from": "a", "to": "b", "rate": "100 Gbit/s", "delay": f"{RTT_S * 500:g} ms", "loss": loss}
    return {
        "name": "response",
        "seed": seed,
        "warm_up": f"{warm_up * RTT_S:.1f} s",
        "duration": f"{(warm_up + rounds) * RTT_S:.1f} s",
        "topology": {"graph": {"link": [link]}},
        "tcp": {
            "algorithm": f"sack+{spec}",
            "segments_per_ack": 1,
            "initial_ssthresh": f"{window:.0f} packets",
        },
        "flow": [{"from": "a", "to": "b"}],
    }


def independent(algorithm: Algorithm, loss: float, window: float, packets: float, seed: int) -> Settings:
    """Each packet is lost by itself."""
    warm_up = WARM_UP_LOSSES / (loss * window)
    return scenario(algorithm.spec, seed, window, packets / window, warm_up, {"bernoulli": loss})


def regular(algorithm: Algorithm, loss: float, losses: int) -> Settings:
    """Every 1/p-th packet is lost, the first one soon after slow start has come to the window of a loss."""
    window, period = algorithm.law(loss), round(1 / loss)
    top = window * algorithm.over_mean
    first = int(2.5 * top) + 20
    count = losses + 2 * WARM_UP_LOSSES
    lost: Settings = {"scripted": {"flow": 0, "packets": [first + k * period for k in range(count)]}}
    cycle = period / window
    warm_up = math.log2(top) + 3 + WARM_UP_LOSSES * cycle
    return scenario(algorithm.regular_spec or algorithm.spec, 1, top, losses * cycle, warm_up, lost)


def window_of(result: Result) -> float:
    """Packets delivered per round trip without queueing."""
    goodput: float = result.flows.row(0, named=True)["goodput_bit_per_s"]
    return goodput / (1460 * 8) * RTT_S


def slack(loss: float, window: float) -> float:
    """The relative tolerance: two round trips per loss, and a packet."""
    return 2 * loss * window + 1 / window


@dataclass(frozen=True)
class Outcome:
    """Independent losses at one rate."""

    algorithm: Algorithm
    loss: float
    expected: float
    window: Interval


def verify(*, quick: bool) -> Report:
    """Carries out the experiment."""
    rates = [1e-3, 3e-4] if quick else [1e-3, 3e-4, 1e-4]
    seeds = range(1, 31)
    packets = 5e4 if quick else 1.5e5
    regular_rates = [1e-3, 1e-4] if quick else [1e-3, 1e-4, 1e-5]
    cases = [(a, p, a.expected(p)) for a in ALGORITHMS for p in rates]
    laws = [(a, p) for a in ALGORITHMS if a.published for p in regular_rates]
    jobs = [independent(a, p, w, packets, seed) for a, p, w in cases for seed in seeds]
    results = simulate_all([*jobs, *(regular(a, p, 10 if quick else 20) for a, p in laws)])
    outcomes = []
    for index, (algorithm, p, expected) in enumerate(cases):
        mine = results[index * len(seeds) : (index + 1) * len(seeds)]
        interval = mean_interval([window_of(result) for result in mine], CONFIDENCE)
        outcomes.append(Outcome(algorithm, p, expected, interval))
    found = {(a.name, p): window_of(r) for (a, p), r in zip(laws, results[len(jobs) :], strict=True)}

    figure, (windows, ratios) = new_figure(1, 2, height=3.4)
    _draw_windows(windows, outcomes, found)
    _draw_ratios(ratios, outcomes)
    checks = (*_laws(found, regular_rates), *_walks(outcomes))
    return Report("response-functions", "Windows of the fast against loss", checks, figure)


def _laws(found: dict[tuple[str, float], float], rates: Sequence[float]) -> list[Verdict]:
    checks = []
    for algorithm in ALGORITHMS:
        if algorithm.published is None:
            continue
        exponent = algorithm.exponent
        for p in rates:
            window = found[algorithm.name, p]
            least = algorithm.law(p)
            if algorithm.name == "CUBIC" and least < 1.3 * math.sqrt(1.5 / p):
                continue  # Reno's, or both in turn
            checks.append(
                Verdict.near(
                    f"constant of {algorithm.name}, regular losses, p = {p:g}",
                    window * p**exponent,
                    least * p**exponent,
                    least * p**exponent * slack(p, least),
                )
            )
        high, low = rates[-2 if len(rates) > 2 else 0], rates[-1]
        if algorithm.name == "CUBIC" and len(rates) == 2:
            continue
        slope = math.log(found[algorithm.name, low] / found[algorithm.name, high]) / math.log(high / low)
        allowed = (slack(low, algorithm.law(low)) + slack(high, algorithm.law(high))) / math.log(high / low)
        checks.append(Verdict.near(f"slope of {algorithm.name}, regular losses", slope, exponent, allowed))
    return checks


def _walks(outcomes: Sequence[Outcome]) -> list[Verdict]:
    return [
        Verdict.agrees(
            f"packets per round trip, {outcome.algorithm.name}, random losses, p = {outcome.loss:g}",
            outcome.window,
            outcome.expected,
            outcome.expected * slack(outcome.loss, outcome.expected),
        )
        for outcome in outcomes
    ]


def _draw_windows(axis: Axes, outcomes: Sequence[Outcome], found: dict[tuple[str, float], float]) -> None:
    line = np.geomspace(1e-5, 1e-3, 20)
    for algorithm, colour in zip(ALGORITHMS, COLOURS, strict=True):
        mine = [o for o in outcomes if o.algorithm is algorithm]
        axis.plot(
            [o.loss for o in mine],
            [o.window.estimate for o in mine],
            "o",
            color=colour,
            markersize=4,
            label=algorithm.name,
        )
        if algorithm.published:
            axis.plot(line, [algorithm.law(p) for p in line], color=colour, linewidth=0.9)
            regular_ones = [(p, w) for (name, p), w in found.items() if name == algorithm.name]
            axis.plot(
                *zip(*regular_ones, strict=True), "s", color=colour, markersize=5, markerfacecolor="none"
            )
    axis.set(xscale="log", yscale="log", xlabel="loss probability p", ylabel="packets per round trip")
    axis.set_title("Simulated, and as published")
    axis.legend(loc="upper right")


def _draw_ratios(axis: Axes, outcomes: Sequence[Outcome]) -> None:
    axis.axhline(1, color="#444444")
    for offset, (algorithm, colour) in enumerate(zip(ALGORITHMS, COLOURS, strict=True)):
        mine = [o for o in outcomes if o.algorithm is algorithm]
        at = [o.loss * 1.06 ** (offset - 2.5) for o in mine]
        axis.errorbar(
            at,
            [o.window.estimate / o.expected for o in mine],
            [o.window.half_width / o.expected for o in mine],
            fmt="o",
            color=colour,
            markersize=4,
            capsize=2,
        )
        axis.plot(at, [1 - slack(o.loss, o.expected) for o in mine], "_", color=colour, markersize=9)
    axis.set(xscale="log", xlabel="loss probability p", ylabel="simulated / random walk", ylim=(0.5, 1.5))
    axis.set_title("Independent losses")
