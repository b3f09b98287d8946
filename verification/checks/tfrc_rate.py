"""TFRC sends what its equation says, and shares a drop-tail queue with SACK TCP within a factor of two.

Every packet is lost with probability p, independently. A loss event lasts a round-trip time, in which W
packets are sent, and the next loss is 1 / p packets further on: loss events have the rate
q = 1 / (1 / p + W). With the throughput equation f of RFC 5348 (3.1), W = f(q) has one solution,
with which the mean of X R / s is compared.

The average of eight intervals scatters, and the mean of f is not f of the mean. If losses are rare, f grows
with the root of the interval, so the mean rate is below f(q) by an eighth of the average's relative variance,
about a fiftieth; if they are frequent, the equation is off by more (Vojnovic and Le Boudec, SIGCOMM 2002).
Tolerance: a tenth up to a loss rate of 3 %, a fifth above, and the 99.9 % interval over seeds.

With SACK TCP, the goodputs of the two kinds on one drop-tail queue are to be within a factor of two of each
other, which is what RFC 5348 calls reasonably fair.
"""

from __future__ import annotations

from ackclock.measures.statistics import mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.models import tfrc
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import CONFIDENCE, Report

RTT_S = 0.1
PACKETS = 30_000


def equation(p: float) -> float:
    """Packets per round-trip time at the loss event rate p, t_RTO being 4 R."""
    return float(tfrc(p))


def expected(p: float) -> float:
    """Packets per round-trip time when packets are lost with probability p."""
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if equation(1 / (1 / p + middle)) > middle else (low, middle)
    return low


def lossy(p: float, seed: int, packets: int) -> Settings:
    """One flow over a link that is never full."""
    link = {
        "from": "sender",
        "to": "receiver",
        "rate": "1 Gbit/s",
        "delay": "50 ms",
        "buffer": "1000 packets",
    }
    return {
        "name": "tfrc-rate",
        "seed": seed,
        "warm_up": "30 s",
        "duration": f"{30 + packets * RTT_S / expected(p):g} s",
        "topology": {"graph": {"link": [{**link, "loss": {"bernoulli": p}}]}},
        "tcp": {"algorithm": "tfrc"},
        "flow": [{"from": "sender", "to": "receiver"}],
    }


def shared(pairs: int, seed: int, duration_s: int) -> Settings:
    """As many TFRC flows as SACK connections, 1.5 Mbit/s each, and a buffer of a bandwidth-delay product."""
    rate = 3.0 * pairs
    link = {"rate": f"{rate:g} Mbit/s", "delay": "40 ms", "buffer": "100% bdp"}
    flow = {"count": pairs, "start_jitter": "5 s"}
    return {
        "name": "tfrc-fairness",
        "seed": seed,
        "warm_up": "40 s",
        "duration": f"{duration_s} s",
        "topology": {"graph": {"link": [{"from": "left", "to": "right", **link}]}},
        "flow": [
            {"name": algorithm, "algorithm": algorithm, "from": "left", "to": "right", **flow}
            for algorithm in ("sack", "tfrc")
        ],
    }


def verify(*, quick: bool) -> Report:
    """Carries out the experiment; `quick` with fewer loss rates, packets and seeds."""
    rates = [1e-3, 1e-2, 1e-1] if quick else [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
    groups = [2, 8] if quick else [1, 2, 4, 8, 16]
    seeds = range(1, 5 if quick else 11)
    packets = PACKETS if quick else 5 * PACKETS
    single = simulate_all([lossy(p, seed, max(packets, round(300 / p))) for p in rates for seed in seeds])
    mixed = simulate_all([shared(n, seed, 140 if quick else 340) for n in groups for seed in seeds])

    checks, windows, ratios = [], [], []
    for i, p in enumerate(rates):
        results = single[i * len(seeds) : (i + 1) * len(seeds)]
        window = mean_interval([r.flows["mean_cwnd_packets"][0] for r in results], CONFIDENCE)
        windows.append(window)
        slack = (0.1 if p <= 0.03 else 0.2) * expected(p)
        checks.append(Verdict.agrees(f"packets per round trip, p = {p:g}", window, expected(p), slack))
    for i, n in enumerate(groups):
        goodputs = [
            r.flows["goodput_bit_per_s"].to_list() for r in mixed[i * len(seeds) : (i + 1) * len(seeds)]
        ]
        ratio = [sum(goodput[n:]) / sum(goodput[:n]) for goodput in goodputs]
        ratios.append(mean_interval(ratio, CONFIDENCE))
        for name, worst in (("least", min(ratio)), ("greatest", max(ratio))):
            checks.append(Verdict.within(f"{name} goodput of TFRC over SACK, {n} of each", worst, 0.5, 2))

    figure, (left, right) = new_figure(1, 2, height=3.2)
    left.plot(rates, [expected(p) for p in rates], color="#444444", label="equation")
    half_widths = [w.half_width for w in windows]
    left.errorbar(rates, [w.estimate for w in windows], half_widths, fmt="o", label="simulated")
    left.set(xscale="log", yscale="log", xlabel="loss probability p", ylabel="packets per round trip")
    left.set_title("TFRC and its equation")
    left.legend()
    right.axhspan(0.5, 2, color="#eeeeee")
    right.axhline(1, color="#444444")
    right.errorbar(groups, [r.estimate for r in ratios], [r.half_width for r in ratios], fmt="o")
    right.set(xscale="log", xlabel="flows of each kind", ylabel="goodput of TFRC / SACK", ylim=(0, 2.5))
    right.set_xticks(groups, [str(n) for n in groups])
    right.minorticks_off()
    right.set_title("Sharing a drop-tail queue")
    return Report("tfrc-rate", "TFRC's rate", tuple(checks), figure)
