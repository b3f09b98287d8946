"""Formulas for the window of a flow under random loss: standard TCP, TFRC, the algorithms for fast paths.

Windows are in packets. `p` is the share of packets lost (or of loss events, where a formula says so); it may
be an array, and the result has its shape. The rate at a mean window W is W / RTT. Where standard TCP has the
larger window, it is the result for the algorithms for fast paths too, unless `floor=False`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import integrate

from ackclock.arguments import checked
from ackclock.errors import InputError

__all__ = [
    "HIGH_SPEED",
    "PERIODIC",
    "bic",
    "compound",
    "cubic",
    "hstcp",
    "htcp",
    "mathis",
    "padhye",
    "padhye_approximate",
    "random_constant",
    "scalable",
    "tfrc",
]

Array = NDArray[np.float64]

PERIODIC = math.sqrt(3 / 2)
"""The constant of the square-root law if every 1/p-th packet is lost: the area under a sawtooth."""


def probability(p: ArrayLike, *, zero: bool = False) -> Array:
    """`p` as an array, checked to lie in (0, 1), or in [0, 1)."""
    values = np.asarray(p, dtype=np.float64)
    fine = (values < 1) & ((values >= 0) if zero else (values > 0))
    if not fine.all():
        bad = float(values[~fine].flat[0])
        raise InputError(
            f"loss rate {bad:g} is out of range: it must be {'at least' if zero else 'above'} 0 and below 1"
        )
    return values


@functools.cache
def random_constant() -> float:
    """The constant of the square-root law if packets are lost independently: 1.3098.

    Ott, Kemperman and Mathis 1996; Table 1 of Mathis et al. rounds it to 1.31. Counted in packets n, the
    window grows by b^-1 / W per packet, so Y = p b W^2 / 2 grows by p dn and falls to Y / 4 at losses of rate
    p: Y is the sum of E_k 4^-k over exponential E_k. A packet takes 1 / W of a round trip, so the constant is
    sqrt(2) / E[Y^-1/2], which is integrated from the Laplace transform of Y.
    """

    def transform(u: float) -> float:
        return float(np.prod(1 / (1 + u * u * 4.0 ** -np.arange(40))))

    # E[Y^-1/2] is the transform integrated over s^-1/2 ds / Gamma(1/2); with s = u^2 it is smooth at zero.
    area: float = integrate.quad(lambda u: 2 * transform(u), 0, np.inf)[0]
    return float(math.sqrt(2) * math.gamma(0.5) / area)


@checked
def mathis(p: ArrayLike, *, b: float = 1, constant: float = PERIODIC) -> Array:
    """The square-root law: constant / sqrt(b p) packets per round trip, `b` packets per acknowledgment.

    Mathis, Semke, Mahdavi and Ott, CCR 27(3), 1997, equation 3. It leaves timeouts out, so it overestimates
    the rate at high loss: it exceeds a packet per round trip at every p.
    """
    return constant / np.sqrt(b * probability(p))


@checked
def padhye(
    p: ArrayLike, *, rtt_s: float = 1.0, rto_s: float = 4.0, b: float = 1, window: float = math.inf
) -> Array:
    """Packets sent per second at a rate p of loss indications: PFTK's full model, with a maximum window.

    Padhye, Firoiu, Towsley and Kurose, IEEE/ACM Transactions on Networking 8(2), 2000, equation 32 (31 in the
    paper of 1998). Losses within a round trip are correlated: after the first lost packet, the rest of the
    round trip is lost too. `rto_s` is the first timeout, which doubles up to six times. With `rtt_s = 1` the
    rate is in packets per round trip.
    """
    p = probability(p)
    kept = 1 - p
    offset = (2 + b) / (3 * b)
    unlimited = offset + np.sqrt(8 * kept / (3 * b * p) + offset**2)
    limited = unlimited >= window
    top = np.where(limited, window, unlimited)
    by_timeout = (1 - kept**3) * (1 + kept**3 * (1 - kept ** (top - 3))) / (1 - kept**top)
    timeout = np.minimum(1.0, by_timeout)
    backed_off = 1 + sum(2.0 ** (k - 1) * p**k for k in range(1, 7))
    packets = kept / p + top + timeout / kept
    rounds = np.where(limited, b / 8 * top + kept / (p * top) + 2, b / 2 * top + 1)
    return np.asarray(packets / (rtt_s * rounds + timeout * backed_off * rto_s / kept))


@checked
def padhye_approximate(
    p: ArrayLike, *, rtt_s: float = 1.0, rto_s: float = 4.0, b: float = 1, window: float = math.inf
) -> Array:
    """PFTK's approximate model, its equation 33 (equation 32 in 1998): packets sent per second."""
    p = probability(p)
    timeouts = rto_s * np.minimum(1.0, 3 * np.sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    return np.asarray(np.minimum(window / rtt_s, 1 / (rtt_s * np.sqrt(2 * b * p / 3) + timeouts)))


@checked
def tfrc(p: ArrayLike, *, rtt_s: float = 1.0, rto_s: float | None = None, b: float = 1) -> Array:
    """TFRC's throughput equation (RFC 5348, section 3.1): packets per second at the loss event rate p.

    The timeout is four round trips by default. The equation differs from PFTK's approximation in that the
    share of losses that end in a timeout is not bounded by one.
    """
    p = probability(p)
    rto_s = 4 * rtt_s if rto_s is None else rto_s
    timeouts = rto_s * 3 * np.sqrt(3 * b * p / 8) * p * (1 + 32 * p**2)
    return np.asarray(1 / (rtt_s * np.sqrt(2 * b * p / 3) + timeouts))


@checked
def hstcp(p: ArrayLike, *, floor: bool = True) -> Array:
    """High-speed TCP: 0.12 / p^0.835 packets (RFC 3649, section 5)."""
    return _floored(p, 0.12 * probability(p) ** -0.835, floor)


@checked
def scalable(p: ArrayLike, *, floor: bool = True) -> Array:
    """Scalable TCP (Kelly 2003): 0.0749 / p packets.

    Between losses the window grows by 0.01 per packet, from 7/8 of itself: 1 / p = 0.125 W / 0.01, in
    ln(8/7) / 0.01 round trips.
    """
    return _floored(p, 0.01 / math.log(8 / 7) / probability(p), floor)


@checked
def cubic(p: ArrayLike, *, rtt_s: float = 0.1, floor: bool = True) -> Array:
    """CUBIC: 1.054 (RTT / p)^(3/4) packets (RFC 9438, equation 7)."""
    return _floored(p, 1.054 * (rtt_s / probability(p)) ** 0.75, floor)


@checked
def compound(
    p: ArrayLike, *, alpha: float = 0.125, beta: float = 0.5, k: float = 0.8, floor: bool = True
) -> Array:
    """Compound TCP with a short queue: 0.241 / p^(1/(2-k)) packets for k = 0.8, as in mesonet.

    Tan, Song, Zhang and Sridharan 2006: between losses both windows together grow by alpha W^k per round
    trip, from (1 - beta) W to W, in W^(1-k) (1 - (1-beta)^(1-k)) / (alpha (1-k)) round trips with
    W^(2-k) (1 - (1-beta)^(2-k)) / (alpha (2-k)) packets, which are 1 / p. Their k of 0.75 gives p^-0.8. The
    formula holds above the low window, which is at p below about a thousandth.
    """
    packets = (1 - (1 - beta) ** (2 - k)) / (alpha * (2 - k))
    rounds = (1 - (1 - beta) ** (1 - k)) / (alpha * (1 - k))
    top = (1 / (probability(p) * packets)) ** (1 / (2 - k))
    return _floored(p, packets / rounds * top, floor)


@checked
def htcp(p: ArrayLike, *, rtt_s: float = 0.1, keeps: float = 0.8, floor: bool = True) -> Array:
    """H-TCP with a short queue, so that the window after a loss is `keeps` times the window before.

    Shorten and Leith 2004: t seconds after a loss the window grows by 2 (1 - keeps) a(t) per round trip, with
    a = 1 in the first second and 1 + 10 (t - 1) + (t - 1)^2 / 4 afterwards. With a loss every T seconds, the
    window W before it satisfies (1 - keeps) W RTT = 2 (1 - keeps) A(T), where A is the integral of a. A cycle
    has 1 / p packets, which determines T.
    """
    cycle = np.geomspace(1e-4 * rtt_s, 1e5, 4000)
    late = np.maximum(cycle - 1, 0)
    grown = cycle + 5 * late**2 + late**3 / 12
    twice = cycle**2 / 2 + 5 * late**3 / 3 + late**4 / 48
    packets = (2 * keeps * grown * cycle + 2 * (1 - keeps) * twice) / rtt_s**2
    return _floored(p, _at(probability(p), 1 / packets, packets * rtt_s / cycle), floor)


@checked
def bic(
    p: ArrayLike, *, s_max: float = 32, s_min: float = 0.01, decrease: float = 0.125, floor: bool = True
) -> Array:
    """BIC with a loss each time the window reaches W, the window at the last loss.

    Xu, Harfoush and Rhee 2004, section IV: after a loss the window grows from (1 - decrease) W by `s_max` per
    round trip for N1 = max(ceil(decrease W / s_max) - 2, 0) round trips; then the distance to W halves in
    each of N2 = log2((decrease W - N1 s_max) / s_min) + 2 round trips. A cycle has 1 / p packets. The steps
    of N1 are interpolated.
    """
    top = np.geomspace(s_min / decrease, 1e8, 4000)
    climb = np.maximum(np.ceil(decrease * top / s_max) - 2, 0)
    left = decrease * top - climb * s_max
    search = np.log2(left / s_min) + 2
    packets = (1 - decrease) * top * climb + s_max * climb * (climb - 1) / 2
    packets += top * search - 2 * left + s_min / 2
    packets = np.maximum.accumulate(packets)
    return _floored(p, _at(probability(p), 1 / packets, packets / (climb + search)), floor)


def _floored(p: ArrayLike, window: Array, floor: bool) -> Array:
    return np.maximum(window, mathis(p)) if floor else window


def _at(p: Array, loss: Array, window: Array) -> Array:
    """The window at p on a curve given by points with falling loss rates; NaN outside of it."""
    at = np.interp(np.log(p), np.log(loss[::-1]), np.log(window[::-1]), left=np.nan, right=-np.inf)
    return np.asarray(np.exp(at))


HIGH_SPEED: dict[str, Callable[..., Array]] = {
    "HSTCP": hstcp,
    "Scalable": scalable,
    "BIC": bic,
    "H-TCP": htcp,
    "CUBIC": cubic,
    "Compound": compound,
}
"""The response functions of the algorithms for fast paths, by name."""
