"""Elephants among the flows of a link: found by their share, by latent heat, by samples and by filters.

The scaling estimator, AEST, is in `ackclock.measures.heavy_tail`.
"""

from __future__ import annotations

import numpy as np
import scipy  # loads its submodules on first use
from numpy.typing import ArrayLike, NDArray

from ackclock.errors import InputError

__all__ = [
    "by_load", "by_share", "flows_by_syns", "latent_heat", "multistage_filter", "periodic_sample",
    "random_sample", "sample_and_hold", "sampled_threshold",
]  # fmt: skip

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def by_share(rates: ArrayLike, share: float) -> Flags:
    """The flows whose rate exceeds a share of what the link carries, in each interval.

    `rates` has a row per interval and a column per flow, in any unit.
    """
    found = _rates(rates)
    flags: Flags = found > _fraction(share) * found.sum(axis=1, keepdims=True)
    return flags


def by_load(rates: ArrayLike, share: float) -> Flags:
    """The fewest flows that together account for a share of what the link carries, in each interval."""
    found = _rates(rates)
    order = np.argsort(-found, axis=1, kind="stable")
    ranked = np.take_along_axis(found, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    counted = (before < _fraction(share) * found.sum(axis=1, keepdims=True)) & (ranked > 0)
    flags = np.zeros(found.shape, dtype=np.bool_)
    np.put_along_axis(flags, order, counted, axis=1)
    return flags


def latent_heat(rates: ArrayLike, thresholds: ArrayLike, intervals: int = 12) -> Flags:
    """Per interval, the flows whose rate less the threshold, summed over the last intervals, is above zero.

    A single interval moves a flow to another class only if it outweighs the intervals before it
    (Papagiannaki, Taft, Bhattacharyya, Thiran, Salamatian and Diot, IMW 2002). `thresholds` is a number, or
    one for each interval.
    """
    found = _rates(rates)
    if intervals < 1:
        raise InputError(f"{intervals} intervals: there is at least 1")
    limit = np.broadcast_to(np.asarray(thresholds, dtype=np.float64), found.shape[0])
    summed = np.cumsum(found - limit[:, None], axis=0)
    heat = summed.copy()
    heat[intervals:] -= summed[:-intervals]
    return heat > 0


def sample_and_hold(flows: ArrayLike, sizes: ArrayLike, probability: float, seed: int = 0) -> dict[int, int]:
    """The bytes counted of each flow that is held, by packets in their order: `flows` and `sizes` in bytes.

    Each byte of a flow that is not held is sampled with the `probability`; from the packet of a sampled byte
    on all bytes of the flow are counted (Estan and Varghese, SIGCOMM 2002). The bytes of a flow that are
    missed have a mean of 1 / `probability`.
    """
    who, what = _packets(flows, sizes)
    chances = 1.0 - (1.0 - _fraction(probability)) ** what
    drawn = np.random.default_rng(seed).random(who.size) < chances
    held: dict[int, int] = {}
    for flow, size, sampled in zip(who.tolist(), what.tolist(), drawn.tolist(), strict=True):
        if flow in held:
            held[flow] += size
        elif sampled:
            held[flow] = size
    return held


def multistage_filter(
    flows: ArrayLike,
    sizes: ArrayLike,
    threshold: int,
    *,
    buckets: int,
    stages: int = 4,
    conservative: bool = False,
    seed: int = 0,
) -> dict[int, int]:
    """The bytes counted of each flow that passes a parallel multistage filter, by packets in their order.

    Each stage has as many counters as `buckets`, and a hash function of its own that assigns each flow one of
    them. A packet adds its bytes to its flow's counter in every stage; once all of them have reached the
    `threshold` in bytes, the flow is held, and its bytes are counted from that packet on. No flow of at least
    `threshold` bytes is missed; a small one passes only if it shares its counter with others in every stage
    (Estan and Varghese, SIGCOMM 2002, 3.2). `conservative`: a packet raises no counter above the new value of
    the least of its counters, and packets of held flows raise none (3.3).
    """
    who, what = _packets(flows, sizes)
    if buckets < 1 or stages < 1 or threshold < 1:
        raise InputError(f"{stages} stages, {buckets} buckets, threshold {threshold}: each is at least 1")
    names, index = np.unique(who, return_inverse=True)
    places = np.random.default_rng(seed).integers(buckets, size=(stages, names.size))
    counters = np.zeros((stages, buckets), dtype=np.int64)
    every = np.arange(stages)
    held: dict[int, int] = {}
    for place, size in zip(index.tolist(), what.tolist(), strict=True):
        flow = int(names[place])
        mine = places[:, place]
        if not (conservative and flow in held):
            raised = counters[every, mine] + size
            counters[every, mine] = (
                np.maximum(counters[every, mine], raised.min()) if conservative else raised
            )
        if flow in held:
            held[flow] += size
        elif counters[every, mine].min() >= threshold:
            held[flow] = size
    return held


def periodic_sample(flows: ArrayLike, period: int, offset: int = 0) -> dict[int, int]:
    """The sampled packets of each flow that has any: every `period`-th packet of the link, from `offset` on.

    `flows` has the flow of each packet, in the order of the link (Mori, Uchida, Kawahara, Pan and Goto, IMC
    2004).
    """
    who = np.asarray(flows, dtype=np.int64)
    if period < 1 or not 0 <= offset < period:
        raise InputError(f"offset {offset} of period {period}: it is at least 0 and below the period")
    names, counts = np.unique(who[offset::period], return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def random_sample(flows: ArrayLike, probability: float, seed: int = 0) -> dict[int, int]:
    """The sampled packets of each flow that has any: each packet of the link with the `probability`.

    `flows` has the flow of each packet, in the order of the link. Packets are sampled independently of each
    other, so that the number of samples of a flow of x packets is binomial, and its size is known with a
    relative standard error of sqrt((1 - probability) / (x probability)).
    """
    who = np.asarray(flows, dtype=np.int64)
    drawn = np.random.default_rng(seed).random(who.size) < _fraction(probability)
    names, counts = np.unique(who[drawn], return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def flows_by_syns(syns: int, frequency: float) -> float:
    """The number of TCP connections on a link, sampled or not, from the SYNs among its samples.

    Connections of few packets mostly leave no trace in samples. But each has one SYN, which is sampled with
    the `frequency` like any packet: the sampled SYNs over the frequency are an unbiased estimate (the first
    of Duffield, Lund and Thorup, SIGCOMM 2003), of standard error sqrt((1 - frequency) syns) / frequency.
    All sampled packets over the sampled SYNs are an estimate of the mean packets of a connection. SYNs that
    are sent again count as connections.
    """
    if syns < 0:
        raise InputError(f"{syns} SYNs: there are at least 0")
    return syns / _fraction(frequency)


def sampled_threshold(packets: ArrayLike, elephant: int, frequency: float, false_positives: float) -> int:
    """The least number of sampled packets by which a flow is taken for an elephant, by Bayes' theorem.

    `packets` are the sizes in packets of flows as they are expected, the prior; an elephant has at least
    `elephant` packets. The number of sampled packets of a flow of x packets is binomial with `frequency`. At
    most the share `false_positives` of the flows taken for elephants is expected not to be elephants (Mori et
    al., IMC 2004, 3). Raises InputError if no threshold achieves that.
    """
    sizes, counts = np.unique(np.asarray(packets, dtype=np.int64), return_counts=True)
    if not (sizes >= elephant).any():
        raise InputError(f"no flow of the prior has {elephant} packets or more")
    _fraction(frequency)
    _fraction(false_positives)
    for least in range(1, int(sizes[-1]) + 1):
        taken = counts * scipy.stats.binom.sf(least - 1, sizes, frequency)
        if taken[sizes < elephant].sum() <= false_positives * taken.sum():
            return least
    raise InputError(f"no number of sampled packets has {false_positives:g} of false positives or fewer")


def _packets(flows: ArrayLike, sizes: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    who, what = np.asarray(flows, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if who.shape != what.shape or who.ndim != 1:
        raise InputError(f"{who.size} flows and {what.size} sizes: one of each per packet")
    return who, what


def _rates(rates: ArrayLike) -> Floats:
    found = np.asarray(rates, dtype=np.float64)
    if found.ndim != 2 or not (found >= 0).all():
        raise InputError("rates have a row per interval and a column per flow, and none is below 0")
    return found


def _fraction(value: float) -> float:
    if not 0 < value < 1:
        raise InputError(f"{value:g} is no share: it must be above 0 and below 1")
    return value
