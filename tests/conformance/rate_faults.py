"""Faults of C4, Allegro and Vivace, as methods instead of those of their second readings."""

from __future__ import annotations

import math
from typing import Any

from reference.controllers.allegro import Allegro
from reference.controllers.c4 import C4
from reference.controllers.vivace import Vivace
from reference.facts import RateSample, Start
from reference.monitor_intervals import Interval

__all__ = [
    "begins_with_twenty",
    "cruises_for_an_era",
    "doubles_the_window",
    "ends_initial_at_once",
    "forgets_at_once",
    "has_restarted",
    "ignores_the_limit",
    "keeps_alpha",
    "keeps_the_fall",
    "loses_each_era",
    "minds_each_loss",
    "prefers_less",
    "pushes_twice",
    "raises_each_push",
    "recovers_for_three",
    "reduces_in_pushes",
    "takes_a_quarter",
    "triples",
    "triples_in_start",
    "unpaced",
]


def begins_with_twenty(self: C4, start: Start) -> None:
    """The connection begins with twenty packets."""
    C4.begin(self, start)
    self.cwnd = self.initial_cwnd = 20.0


def ends_initial_at_once(self: C4, since: float, alpha: float) -> bool:
    """No increase counts."""
    return self.state != "initial" and C4.has_increased(self, since, alpha)


def ignores_the_limit(self: C4, rate: RateSample) -> None:
    """Eras that the application limits count as others do."""
    C4.handle_rate(self, rate)
    self.was_app_limited = False


def minds_each_loss(self: C4, signal: str, beta: float) -> None:
    """The first loss ends the initial state."""
    if self.state == "initial" and signal == "loss" and self.nominal_rate > 0:
        self.exit_initial(congested=True)
    else:
        C4.congestion(self, signal, beta)


def keeps_alpha(self: C4, alpha: float) -> None:
    """Alpha is one in Recovery."""
    C4.begin_era(self, max(alpha, 1.0))


def unpaced(self: C4) -> None:
    """What the window permits leaves at once."""
    C4.set_rate_and_window(self)
    self.pacing_rate = math.inf


def doubles_the_window(self: C4) -> float:
    """The window is twice as large."""
    return 2.0 * C4.window(self)


def recovers_for_three(self: Any) -> None:
    """Recovery lasts three eras."""
    self.eras = (getattr(self, "eras", 0) + 1) % 3
    if self.eras:
        self.begin_era(15 / 16)
    else:
        C4.exit_recovery(self)


def cruises_for_an_era(self: C4) -> None:
    """Cruising lasts one era at each level."""
    C4.exit_recovery(self)
    self.cruising_eras_left = 1


def pushes_twice(self: Any) -> None:
    """Pushing lasts two eras and more."""
    if self.state == "pushing" and not getattr(self, "has_pushed", False):
        self.has_pushed = True
        self.begin_era(self.alpha_current)
        return
    self.has_pushed = False
    C4.end_era(self)


def raises_each_push(self: C4) -> None:
    """Each push counts as a success, up to the last level."""
    self.probe_level = min(self.probe_level + 1, 3)


def reduces_in_pushes(self: C4, signal: str, beta: float) -> None:
    """Congestion by a push takes a quarter, too."""
    if self.state == "pushing" or (self.state == "recovery" and self.follows_push):
        self.nominal_rate *= 0.75
    C4.congestion(self, signal, beta)


def takes_a_quarter(self: C4, signal: str, beta: float) -> None:
    """Any congestion takes a quarter."""
    C4.congestion(self, signal, max(beta, 0.25))


def has_restarted(self: C4, start: Start) -> None:
    """High jitter has begun the initial state before."""
    C4.begin(self, start)
    self.has_restarted = True


def forgets_at_once(self: C4) -> None:
    """A shorter round trip is taken over at once."""
    before = self.nominal_max_rtt
    C4.update_max_rtt(self)
    if self.nominal_max_rtt < before:
        self.nominal_max_rtt = self.era_max_rtt


def loses_each_era(self: C4) -> None:
    """The nominal rate falls by a fiftieth in each era."""
    C4.end_era(self)
    self.nominal_rate *= 0.98


def triples(self: Allegro) -> None:
    """The rate triples in starting."""
    self.plan.append(3.0 * self.plan[-1])


def keeps_the_fall(self: Allegro, rate: float) -> None:
    """Decisions begin at four times the rate before."""
    Allegro.make_decisions(self, 4.0 * rate if self.state == "starting" else rate)


def prefers_less(_self: Allegro, result: Interval) -> float:
    """Less is always better."""
    return -result.rate


def triples_in_start(self: Vivace, utility: float) -> None:
    """The rate triples in the start."""
    Vivace.double(self, utility)
    if self.doubles:
        self.try_rate(1.5 * self.rate)
