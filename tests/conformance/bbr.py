"""Faults of BBR, as methods instead of those of its second reading."""

from __future__ import annotations

from reference.controllers.bbr3 import Bbr3

__all__ = [
    "counts_limited_rounds",
    "ends_after_a_round",
    "ends_probes_after_a_round",
    "forgets_in_refill",
    "forgets_nothing",
    "keeps_two_packets",
    "leaves_probe_rtt_for_cruise",
    "never_counts_losses",
    "paces_probes_at_one",
    "probes_from_cruise",
    "waits_for_the_queue",
]


def ends_after_a_round(self: Bbr3) -> None:
    """One round without growth ends Startup instead of three."""
    Bbr3.check_full_bw_reached(self)
    if self.full_bw_count >= 1:
        self.full_bw_now = self.full_bw_reached = True


def ends_probes_after_a_round(self: Bbr3) -> bool:
    """One round without growth ends a probe instead of three."""
    return Bbr3.is_time_to_go_down(self) or self.full_bw_count >= 1


def counts_limited_rounds(self: Bbr3) -> None:
    """Rounds that the application limits count as rounds without growth."""
    self.is_app_limited = False
    Bbr3.check_full_bw_reached(self)


def waits_for_the_queue(self: Bbr3) -> None:
    """Drain lasts until the queue is gone, however many rounds that takes."""
    self.drain_start_round = self.round_count
    Bbr3.check_drain_done(self)


def forgets_nothing(self: Bbr3) -> bool:
    """The filter of the maximum never advances."""
    before = self.cycle_count
    decided = Bbr3.adapt_long_term_model(self)
    self.cycle_count = before
    return decided


def forgets_in_refill(self: Bbr3) -> None:
    """In REFILL the maximum is the last sample."""
    Bbr3.update_max_bw(self)
    if self.state == "REFILL" and self.rs.rate > 0:
        self.max_bw = self.rs.rate


def keeps_two_packets(self: Bbr3) -> None:
    """The window is two packets at most."""
    Bbr3.set_cwnd(self)
    self.cwnd = min(self.cwnd, 2.0)


def leaves_probe_rtt_for_cruise(self: Bbr3) -> None:
    """ProbeRTT never leads back to Startup."""
    if self.state == "ProbeRTT":
        self.full_bw_reached = True
    Bbr3.handle_probe_rtt(self)


def never_counts_losses(self: Bbr3) -> None:
    """Losses lower no short-term bound."""
    self.is_loss_in_round = False
    Bbr3.update_congestion_signals(self)


def paces_probes_at_one(self: Bbr3) -> float:
    """A probe paces at the bandwidth."""
    return min(Bbr3.pacing_gain(self), 1.0) if self.state == "UP" else Bbr3.pacing_gain(self)


def probes_from_cruise(self: Bbr3) -> bool:
    """DOWN lasts until the queue is gone, however long that takes."""
    return self.state != "DOWN" and Bbr3.is_time_to_probe_bw(self)
