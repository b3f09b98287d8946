"""Elephants among the flows of a link: by their share of it, by latent heat, and by sample-and-hold.

The scaling estimator, AEST, is in `ackclock.measures.heavy_tail`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.errors import InputError

__all__ = ["by_load", "by_share", "latent_heat", "sample_and_hold"]

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
    """The flows whose rate, less the threshold, is above zero over the last intervals together, in each.

    A single interval moves a flow to another class only where it outweighs those before it (Papagiannaki,
    Taft, Bhattacharyya, Thiran, Salamatian and Diot, IMW 2002). `thresholds` is a number, or one for each
    interval.
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
    on all bytes of the flow are counted (Estan and Varghese, SIGCOMM 2002). What is missed of a flow has a
    mean of 1 / `probability` bytes.
    """
    who, what = np.asarray(flows, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if who.shape != what.shape or who.ndim != 1:
        raise InputError(f"{who.size} flows and {what.size} sizes: one of each per packet")
    chances = 1.0 - (1.0 - _fraction(probability)) ** what
    drawn = np.random.default_rng(seed).random(who.size) < chances
    held: dict[int, int] = {}
    for flow, size, sampled in zip(who.tolist(), what.tolist(), drawn.tolist(), strict=True):
        if flow in held:
            held[flow] += size
        elif sampled:
            held[flow] = size
    return held


def _rates(rates: ArrayLike) -> Floats:
    found = np.asarray(rates, dtype=np.float64)
    if found.ndim != 2 or not (found >= 0).all():
        raise InputError("rates have a row per interval and a column per flow, and none is below 0")
    return found


def _fraction(value: float) -> float:
    if not 0 < value < 1:
        raise InputError(f"{value:g} is no share: it must be above 0 and below 1")
    return value
