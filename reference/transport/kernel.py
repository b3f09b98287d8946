"""The adapter between Linux's TCP and a controller, read from the meaning of the kernel's fields.

A record is what a program in the kernel writes for an acknowledgment or a signal. Fields are those of
`struct tcp_sock` and `struct rate_sample` in Linux 6.18. Delivery-rate samples and packet-timed round
trips are those of draft-cheng-iccrg-delivery-rate-estimation, whose per-packet state the kernel gives for the
newest packet delivered.
"""

from __future__ import annotations

import copy
import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from reference.facts import Ack, Congestion, LossSample, RateSample, Signal, Start

NO_THRESHOLD = 0x7FFFFFFF

START, ACK, LOSS, TIMEOUT, MARK, UNDO, IDLE, END = range(1, 9)
RECOVERY, AFTER_TIMEOUT = 3, 4
ADVANCED, APP_LIMITED, WINDOW_LIMITED, ECN, HAS_NEWEST, REPEATED = (1 << bit for bit in range(6))


class Record(NamedTuple):
    """A record, its fields in order; times in microseconds, counts in packets."""

    now: int
    written_ns: int
    prior_time: int
    sent: int
    kind: int
    slot: int
    generation: int
    number: int
    cwnd: int
    ssthresh: int
    outstanding: int
    in_flight: int
    prior_in_flight: int
    srtt: int
    rtt: int
    delivered: int
    lost: int
    marked: int
    prior_delivered: int
    sending: int
    interval: int
    mss: int
    port: int
    state: int
    flags: int
    unused: int


LAYOUT = struct.Struct("<4Q10Ii5IiIHBBI")


def records(recorded: bytes) -> Iterator[Record]:
    """The records of a ring."""
    for fields in LAYOUT.iter_unpack(recorded):
        yield Record(*fields)


@dataclass
class Waiting:
    """A signal whose acknowledgment has not come yet."""

    at: int
    signal: Signal
    flight: float
    in_flight: float


class KernelFlow:
    """A connection of the kernel with a controller."""

    def __init__(self, make: Callable[[Start], Any], first: Record) -> None:
        threshold = math.inf if first.ssthresh >= NO_THRESHOLD else float(first.ssthresh)
        self.controller = make(Start(initial_window=float(first.cwnd), initial_ssthresh=threshold))
        self.first = first
        self.delivered = self.lost = 0
        self.round = 0
        self.round_ends = 0
        self.episode_round = -1
        """The round in which the latest episode by a loss or a mark began."""
        self.resting_round = -1
        """The round in which the window does not grow."""
        self.state = 0
        self.min_rtt = self.srtt = 0.0
        self.waiting: Waiting | None = None
        self.has_timed_out = False
        self.after: list[list[int]] = [[0, first.in_flight, 0]]
        """After each acknowledgment: packets delivered, in flight after the next sends, and lost."""

    def take(self, record: Record) -> bool:
        """Takes the next record. True if the controller has an answer to it."""
        if self.waiting and (record.kind != ACK or record.now != self.waiting.at):
            self.complete()
        if record.kind == ACK:
            self.acknowledge(record)
        elif record.kind in (LOSS, MARK):
            signal = Signal.LOSS if record.kind == LOSS else Signal.ECN
            self.waiting = Waiting(record.now, signal, max(record.outstanding, 1), record.in_flight)
        elif record.kind == TIMEOUT:
            self.time_out(record)
        elif record.kind == UNDO:
            self.resting_round = -1
            self.has_timed_out = False
            self.controller.on_spurious()
        elif record.kind == IDLE:
            self.controller.on_idle_restart(10.0)
        self.state = record.state
        return self.waiting is None

    def after_loss(self, record: Record) -> float:
        """The window that a loss would leave."""
        other = copy.deepcopy(self.controller)
        flight = max(record.outstanding, 1)
        other.on_congestion(
            Congestion(now=record.now / 1e6, signal=Signal.LOSS, flight=flight, restart=False, repeated=False)
        )
        return float(other.cwnd)

    def complete(self) -> None:
        """A timer found the loss: an empty acknowledgment of its time completes the signal."""
        waiting = self.waiting
        if waiting and self.begin_episode():
            self.controller.on_ack(
                Ack(
                    now=waiting.at / 1e6,
                    acks=0,
                    delivered=0.0,
                    in_flight=waiting.in_flight,
                    rtt=None,
                    srtt=self.srtt,
                    min_rtt=self.min_rtt,
                    round=self.round,
                    suspended=True,
                    advanced=False,
                    window_limited=False,
                    recovering=True,
                )
            )

    def begin_episode(self) -> bool:
        """At most one episode begins in a round trip."""
        waiting, self.waiting = self.waiting, None
        if waiting is None or self.round <= self.episode_round:
            return False
        self.episode_round = self.resting_round = self.round
        self.controller.on_congestion(
            Congestion(
                now=waiting.at / 1e6,
                signal=waiting.signal,
                flight=waiting.flight,
                restart=False,
                repeated=False,
            )
        )
        return True

    def time_out(self, record: Record) -> None:
        """The window begins again from one packet, and the losses are counted."""
        self.lost = record.lost - self.first.lost
        self.episode_round = self.resting_round = -1
        repeated = self.has_timed_out and bool(record.flags & REPEATED)
        self.has_timed_out = True
        self.controller.on_congestion(
            Congestion(
                now=record.now / 1e6,
                signal=Signal.TIMEOUT,
                flight=max(record.outstanding, 1),
                restart=True,
                repeated=repeated,
            )
        )

    def acknowledge(self, record: Record) -> None:
        """Round trip and rate, then losses, then the signal, then the acknowledgment."""
        self.after[-1][1] = record.prior_in_flight
        newly = record.delivered - self.first.delivered - self.delivered
        lost = record.lost - self.first.lost - self.lost
        prior = record.prior_delivered - self.first.delivered
        knows_newest = bool(record.flags & HAS_NEWEST) and 0 <= prior <= self.delivered + newly and newly > 0
        then = [prior, record.prior_in_flight, self.lost]
        if knows_newest:
            while len(self.after) > 1 and self.after[0][0] < prior:
                self.after.pop(0)
            if self.after[0][0] >= prior:
                then = self.after[0]
            if prior >= self.round_ends:
                self.round += 1
                self.round_ends = self.delivered + newly
        self.delivered += newly
        self.lost += lost
        rtt = None
        if record.rtt > 0:
            rtt = record.rtt / 1e6
            self.min_rtt = min(self.min_rtt or rtt, rtt)
            self.srtt = max(record.srtt, 1) / 1e6
        began = self.begin_episode()
        resting = began or RECOVERY in (self.state, record.state) or self.round == self.resting_round
        self.controller.on_ack(
            Ack(
                now=record.now / 1e6,
                acks=max(math.ceil(newly / 2), 1),
                delivered=float(newly),
                lost=float(lost),
                in_flight=float(record.in_flight),
                rtt=rtt,
                srtt=self.srtt,
                min_rtt=self.min_rtt,
                round=self.round,
                suspended=resting,
                advanced=bool(record.flags & ADVANCED),
                window_limited=bool(record.flags & WINDOW_LIMITED),
                recovering=record.state >= RECOVERY,
                rate=self.rate(record, prior, then) if knows_newest and record.interval > 0 else None,
                loss=self.loss(record, lost, then, knows_newest) if lost > 0 else None,
            )
        )
        self.after.append([self.delivered, record.in_flight, self.lost])

    def rate(self, record: Record, prior: int, then: list[int]) -> RateSample:
        """The longer of the times in which the flight was sent and acknowledged."""
        interval = max(record.sending, record.now - record.prior_time) / 1e6
        return RateSample(
            rate=(self.delivered - prior) / interval,
            app_limited=bool(record.flags & APP_LIMITED),
            interval=interval,
            delivered=float(self.delivered - prior),
            prior_delivered=float(prior),
            lost=float(self.lost - then[2]),
            tx_in_flight=float(then[1]),
        )

    def loss(self, record: Record, lost: int, then: list[int], knows_newest: bool) -> LossSample:
        """The kernel gives the number of lost packets.

        They were sent at about the same time as the newest delivered packet.
        """
        since = self.lost - then[2] if knows_newest else lost
        flight = then[1] if knows_newest else record.prior_in_flight
        limited = bool(record.flags & APP_LIMITED)
        return LossSample(tx_in_flight=float(flight), lost=float(since), app_limited=limited)
