"""TCP below one packet per round trip as a Markov chain: Chen, Iyengar, Subramanian, Ford, sections 3 and 5.

A step is an epoch, one round-trip time. In state `S_n` the flow sends a window of n packets; in states `b..`
it waits for the retransmission timer. Packets are lost independently with probability p. The transitions
follow from the sender's rules, and each carries the sentence of the paper that it comes from
(`SubPacketModel.transitions`).

Three kinds of the model differ in their memory of the timer's back-off:

- `approximate` (sections 3.2 to 3.3.2, figure 7) has `S_1` and one state `b*` for all repetitive timeouts,
  with the mean wait over all of them.
- `full` (section 3.3.3, figure 8) has a copy of `S_1`, `S_2` and `b*` for each of `depth` back-offs:
  `S_1(kr)`, `S_2(kr)`, `b*(kr)`.
- `counter`, which is our own, counts the back-off exactly under the same rules. An attempt to leave a timeout
  sends one packet and then two, so it fails with probability q = 1 - (1 - p)^3, and each failure doubles the
  wait.

The first two average the waits over further failures of the retransmission alone, which have probability p,
and therefore need p < 1/2 (section 5). By the sender's own rules a failure has probability q, and the mean
wait is infinite from q = 1/2 on, which is p = 1 - 2^(-1/3) = 0.206. With a maximum of the timeout, `max_rto`,
every p below 1 is possible.

Where the paper is ambiguous (we do not have its figure 8), `SubPacketModel` has an option.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.arguments import checked
from ackclock.errors import InputError, unknown
from ackclock.models.chain import Transition, stationary
from ackclock.models.formulas import probability

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COUNTER_LIMIT", "READINGS", "Distribution", "SubPacketModel", "expected_idle"]

Array = NDArray[np.float64]
Kind = Literal["approximate", "full", "counter"]

COUNTER_LIMIT = 1 - 2 ** (-1 / 3)
"""The loss rate from which the mean idle time is infinite if back-offs are counted: 0.2063."""

SMALLEST_REMEMBERING = 3
"""The largest window at which the timer may still be backed off (section 3.3.2)."""


@checked
def expected_idle(
    backoffs: int, failure: ArrayLike, *, base_rto: float = 2.0, max_rto: float | None = None
) -> Array:
    """The mean number of epochs without a packet before a retransmission, after `backoffs` back-offs or more.

    The timeout begins at `base_rto` 2^backoffs epochs, which include the epoch of the retransmission. It
    doubles at each failure, which has probability `failure`: equations 8 and 11 with p as the probability, 1
    / (1 - 2p) for no back-off, (3 - 2p) / (1 - 2p) for one. It does not exceed `max_rto` (section 5).
    """
    failure = np.asarray(failure, dtype=np.float64)
    timeout = base_rto * 2.0**backoffs
    if max_rto is None:
        return np.asarray(timeout * (1 - failure) / (1 - 2 * failure) - 1)
    total = np.zeros_like(failure)
    reached = np.ones_like(failure)
    while timeout < max_rto:
        total += (1 - failure) * reached * timeout
        reached = reached * failure
        timeout *= 2
    return total + reached * max_rto - 1


@dataclass(frozen=True)
class SubPacketModel:
    """The Markov model of a flow, evaluated at loss rates by `SubPacketModel().at([0.05, 0.1, 0.2])`.

    Raises InputError for invalid parameters, and for a loss rate outside its range.
    """

    kind: Kind = "full"
    w_max: int = 6
    """The largest window; ssthresh is at most half of it, so that windows grow by one (section 3.1).

    Below 4 no window has the three duplicates of a fast retransmission.
    """
    depth: int = 3
    """The number of back-offs that the full model distinguishes; the figure of the paper has three."""
    base_rto: float = 2.0
    """The first timeout, in epochs: T_0 = 2 RTT (section 3.3.1)."""
    max_rto: float | None = None
    """The maximum of the timeout, in epochs (section 5): 64 s are 160 epochs of 0.4 s. The paper has None."""
    recoverable: int = 1
    """The number of losses in a window that a fast retransmission repairs (section 3.2: at most one)."""
    duplicates: int = 3
    """The number of other packets that must arrive for a fast retransmission; fewer than three are Early
    Retransmit (section 5)."""
    small_windows: Literal["aggregate", "simple"] = "aggregate"
    """The state after a loss in S_2 or S_3: `b*`, since the timer may be backed off, or a simple timeout."""
    failed_second: Literal["same", "base", "split"] = "same"
    """The state after a loss in S_2(kr): b*(kr), since the timer has the same back-off as in S_1(kr), or
    `b*`.

    "split", which is our own, is b*(kr) if the first of the two packets is lost. If only the second is lost,
    the first, new data, is acknowledged: the back-off is reset and the timeout is a simple one.
    """
    top: Literal["loop", "fold"] = "loop"
    """The state after success in the largest window: the same window, or half of the next."""
    last_wait: Literal["pattern", "previous"] = "pattern"
    """The mean wait of the deepest b*(kr): the next value of the series, or the previous one."""

    def __post_init__(self) -> None:
        for name, known in READINGS.items():
            if getattr(self, name) not in known:
                raise InputError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(known)}")
        if self.w_max < SMALLEST_REMEMBERING:
            raise InputError(f"w_max is {self.w_max}; below 3 no window is reached that ends a back-off")
        if self.depth < 1 or self.duplicates < 1 or self.recoverable < 0:
            raise InputError("depth and duplicates must be at least 1, recoverable at least 0")
        if self.base_rto < 2 or (self.max_rto is not None and self.max_rto < self.base_rto):
            raise InputError("base_rto must be at least 2 epochs, and max_rto at least base_rto")

    @property
    def limit(self) -> float:
        """The loss rate below which the model holds."""
        if self.max_rto is not None:
            return 1.0
        return 1 - 2 ** (-1 / self._needed) if self.kind == "counter" else 0.5

    @property
    def _needed(self) -> int:
        """The number of consecutive packets that must arrive before the back-off is reset."""
        return 2 if self.failed_second == "split" else 3

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The names of the states: the waiting states, the retransmitting states, the windows."""
        windows = [f"S_{n}" for n in range(2, self.w_max + 1)]
        if self.kind == "approximate":
            return ("b_0", "b*", "S_1", *windows)
        levels = [f"{name}({k}r)" for k in range(1, self.depth + 1) for name in ("b*", "S_1", "S_2")]
        base = ("b_0",) if self.kind == "counter" else ("b_0", "b*")
        return (*base, *levels, *windows)

    def sends(self, state: str) -> int:
        """The packets sent in an epoch in a state."""
        if state not in self.states:
            raise unknown("state", state, self.states)
        return 0 if state.startswith("b") else int(state.removeprefix("S_").partition("(")[0])

    def check(self, p: ArrayLike) -> Array:
        """The loss rates as an array. Raises InputError, with the reason, if one is out of range."""
        values = probability(p, zero=True)
        if (values < self.limit).all():
            return values
        bad = float(values[values >= self.limit].flat[0])
        cure = "give max_rto, the longest timeout in epochs, for the model with a finite timeout (section 5)"
        if self.kind == "counter":
            raise InputError(
                f"loss rate {bad:g} is not below 1 - 2^(-1/{self._needed}) = {self.limit:.4f}: a "
                f"retransmission and what must follow it fail with probability 1/2 or more, every failure "
                f"doubles the timeout, and the mean idle time has no limit; {cure}"
            )
        raise InputError(
            f"loss rate {bad:g} is not below 0.5: with timeouts that double without limit the mean wait "
            f"of b*, 1 / (1 - 2p), has no limit (equation 8, section 5); {cure}"
        )

    def idle(self, p: ArrayLike) -> dict[str, Array]:
        """The mean number of epochs spent in each state that waits."""
        p = self.check(p)
        base = np.full_like(p, self.base_rto - 1)
        if self.kind == "approximate":
            return {"b_0": base, "b*": self._wait(0, p)}
        if self.kind == "full":
            waits = {"b_0": base, "b*": self._wait(0, p)}
            for k in range(1, self.depth + 1):
                known = k - 1 if k == self.depth and self.last_wait == "previous" else k
                waits[f"b*({k}r)"] = self._wait(known, p)
            return waits
        waits = {"b_0": base}
        for k in range(1, self.depth):
            timeout = min(self.base_rto * 2.0**k, self.max_rto or math.inf)
            waits[f"b*({k}r)"] = np.full_like(p, timeout - 1)
        waits[f"b*({self.depth}r)"] = self._wait(self.depth, 1 - (1 - p) ** self._needed)
        return waits

    def _wait(self, backoffs: int, failure: Array) -> Array:
        return expected_idle(backoffs, failure, base_rto=self.base_rto, max_rto=self.max_rto)

    def transitions(self, p: ArrayLike) -> list[Transition]:
        """Every transition, with its probability at each loss rate and the sentence from which it follows."""
        p = self.check(p).ravel()
        return [*self._windows(p), *self._waiting(p), *self._retransmitting(p)]

    def _windows(self, p: Array) -> list[Transition]:
        found = []
        for n in range(2, self.w_max + 1):
            success = (1 - p) ** n
            if n < self.w_max or self.top == "loop":
                beyond = f"S_{min(n + 1, self.w_max)}"
            else:
                beyond = f"S_{(n + 1) // 2}"
            found.append(Transition(f"S_{n}", beyond, success, "all transmissions are successful (1)"))
            repaired = sum(
                (math.comb(n, k) * p**k * (1 - p) ** n for k in range(1, self._repairable(n) + 1)),
                start=np.zeros_like(p),
            )
            if self._repairable(n):
                because = "at least one transmission is lost and recovery is through fast retransmissions (2)"
                found.append(Transition(f"S_{n}", f"S_{max(n // 2, 2)}", repaired, because))
            rest = 1 - success - repaired
            small = n <= SMALLEST_REMEMBERING and self.small_windows == "aggregate" and self.kind != "counter"
            if small:
                because = "the timeout value may contain memory of the previous timeouts (3.3.2)"
                found.append(Transition(f"S_{n}", "b*", rest, because, timeout=True))
            else:
                because = "two or more losses, or a retransmission dropped (3): a simple timeout (3.3.1)"
                found.append(Transition(f"S_{n}", "b_0", rest, because, timeout=True))
        return found

    def _repairable(self, n: int) -> int:
        """The largest number of losses among n packets that a fast retransmission repairs."""
        return max(0, min(self.recoverable, n - self.duplicates))

    def _waiting(self, p: Array) -> list[Transition]:
        found = []
        for state, wait in self.idle(p).items():
            following = self._after(state)
            leaves = 1 / wait
            because = (
                "through an empty buffer state; the transition to S_1 takes another epoch (3.3.1)"
                if state == "b_0"
                else "one over the expected idle time in this state (9)"
            )
            found.append(Transition(state, following, leaves, because))
            if state != "b_0" or self.base_rto > 2:
                found.append(Transition(state, state, 1 - leaves, "staying idle (10)"))
        return found

    def _after(self, waiting: str) -> str:
        """The state that retransmits after a state that waits."""
        if self.kind == "approximate":
            return "S_1"
        level = int(waiting[3:-2]) if waiting.endswith("r)") else 0
        return f"S_1({min(level + 1, self.depth)}r)"

    def _retransmitting(self, p: Array) -> list[Transition]:
        succeeds = "on a successful retransmission the sender enters S_2: cwnd is 2 (3.3.2)"
        fails = "an unsuccessful retransmission leads the flow back into the timeout state (3.3.2)"
        if self.kind == "approximate":
            return [
                Transition("S_1", "S_2", 1 - p, succeeds),
                Transition("S_1", "b*", p, fails, timeout=True, repeated=True),
            ]
        found = []
        for k in range(1, self.depth + 1):
            first, second, wait = f"S_1({k}r)", f"S_2({k}r)", f"b*({k}r)"
            remembered = 1 - (1 - p) ** 2
            if self.failed_second == "split":
                remembered = p
                because = "the first of the two was new and is acknowledged: a simple timeout (3.3)"
                found.append(Transition(second, "b_0", p * (1 - p), because, timeout=True))
            forgotten = self.failed_second == "base" and self.kind == "full"
            found += [
                Transition(first, second, 1 - p, succeeds + "; the backoff has not yet collapsed (3.3.3)"),
                Transition(first, wait, p, fails, timeout=True, repeated=True),
                Transition(
                    second,
                    "S_3",
                    (1 - p) ** 2,
                    "on successful transmissions of the entire window the flow loses backoff memory (3.3.3)",
                ),
                Transition(
                    second,
                    "b*" if forgotten else wait,
                    remembered,
                    "no new data were acknowledged, so the timer is as backed off as before (3.3.3)",
                    timeout=True,
                    repeated=True,
                ),
            ]
        return found

    def at(self, p: ArrayLike) -> Distribution:
        """The stationary distribution at each loss rate."""
        loss = self.check(p)
        found = stationary(self.states, self.transitions(loss))
        return Distribution(self, loss, found.reshape((*loss.shape, len(self.states))))


READINGS: dict[str, tuple[str, ...]] = {
    "kind": ("full", "approximate", "counter"),
    "small_windows": ("aggregate", "simple"),
    "failed_second": ("same", "base", "split"),
    "top": ("loop", "fold"),
    "last_wait": ("pattern", "previous"),
}
"""The options for ambiguous passages, with the names of their readings. The first is the default."""


@dataclass(frozen=True)
class Distribution:
    """The stationary distribution at each loss rate: the share of epochs that a flow spends in each state."""

    model: SubPacketModel
    loss: Array
    probability: Array
    """The probabilities of the model's `states` along the last axis; the other axes are those of `loss`."""

    def of(self, state: str) -> Array:
        """The probability of one state."""
        self.model.sends(state)
        return np.asarray(self.probability[..., self.model.states.index(state)])

    @property
    def sent(self) -> Array:
        """The probability of "n sent" in an epoch, n = 0 .. w_max along the last axis (section 4)."""
        counts = [self.model.sends(state) for state in self.model.states]
        groups = np.zeros((len(counts), self.model.w_max + 1))
        groups[np.arange(len(counts)), counts] = 1
        return np.asarray(self.probability @ groups)

    @property
    def throughput(self) -> Array:
        """Packets sent per round-trip time."""
        return np.asarray(self.sent @ np.arange(self.model.w_max + 1))

    @property
    def goodput(self) -> Array:
        """Packets that arrive, per round-trip time."""
        return self.throughput * (1 - self.loss)

    @property
    def silent(self) -> Array:
        """The share of epochs without a packet."""
        return np.asarray(self.sent[..., 0])

    @property
    def mean_idle(self) -> Array:
        """The mean number of idle epochs before a retransmission; NaN if there are no retransmissions."""
        retransmissions = np.asarray(self.sent[..., 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(retransmissions > 0, self.silent / retransmissions, np.nan))

    def table(self) -> pl.DataFrame:
        """A row per loss rate and number of packets sent: loss, sent, probability."""
        import polars as pl  # noqa: PLC0415 - the model itself needs no data frames

        count = self.model.w_max + 1
        return pl.DataFrame(
            {
                "loss": np.repeat(self.loss.ravel(), count),
                "sent": np.tile(np.arange(count), self.loss.size),
                "probability": self.sent.ravel(),
            }
        )
