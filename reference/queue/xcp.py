"""The router of the explicit control protocol (XCP).

From draft-falk-xcp-spec-03, section 4, and Katabi, Handley and Rohrs, SIGCOMM 2002, 3.5 and appendix A.

The pseudo-code of the draft, line by line, with timers that fire when they are due: the caller advances the
time (`until`) before a packet arrives or departs. Where the sources say nothing:

- while no packet states a round-trip time the control interval is `initial_interval`, and with nothing to
  divide by there is no increase to hand out;
- a packet without a round-trip time is granted nothing;
- the queue that counts as least is the one that a departing packet leaves behind.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Router"]

SECOND = 1_000_000_000


@dataclass
class Router:
    """An output queue's controllers. Times are in nanoseconds, other durations in seconds, sizes in bytes."""

    capacity: float
    """Bytes per second."""
    alpha: float = 0.4
    beta: float = 0.226
    gamma: float = 0.1
    allowed_queue: float = 0.002
    min_interval: float = 0.001
    max_interval: float = 1.0
    initial_interval: float = 0.05

    def __post_init__(self) -> None:
        self.avg_rtt = self.initial_interval
        self.ctl_interval = self.initial_interval
        self.control_due = self.queue_due = round(self.initial_interval * SECOND)
        self.input_traffic = self.sum_x = self.sum_x_rtt = 0.0
        self.residue_pos_fbk = self.residue_neg_fbk = self.cp = self.cn = 0.0
        self.queue = self.min_queue = 0.0
        self.inst_queue = 0.0

    def until(self, now: int) -> None:
        """Fires the timers due by now."""
        while min(self.control_due, self.queue_due) <= now:
            if self.control_due <= self.queue_due:
                self.control_timeout()
            else:
                self.queue_timeout()

    def arrive(self, size: float, rtt: float | None, x: float) -> None:
        """Lines 1 to 6; `rtt` is None for a packet without a congestion header."""
        self.input_traffic += size
        if rtt is not None and rtt > 0:
            self.sum_x += x
            self.sum_x_rtt += x * min(rtt, self.max_interval)
        self.inst_queue += size

    def control_timeout(self) -> None:
        """Lines 7 to 19."""
        self.avg_rtt = self.sum_x_rtt / self.sum_x if self.sum_x > 0 else self.initial_interval
        self.residue_pos_fbk = self.residue_neg_fbk = self.cp = self.cn = 0.0
        if self.input_traffic > 0:
            input_bw = self.input_traffic / self.ctl_interval
            f = self.alpha * (self.capacity - input_bw) - self.beta * self.queue / self.avg_rtt
            shuffled_traffic = max(0.0, self.gamma * input_bw - abs(f))
            self.residue_pos_fbk = shuffled_traffic + max(f, 0.0)
            self.residue_neg_fbk = shuffled_traffic + max(-f, 0.0)
            self.cp = self.residue_pos_fbk / self.sum_x if self.sum_x > 0 else 0.0
            self.cn = self.residue_neg_fbk / self.input_traffic
        self.input_traffic = self.sum_x = self.sum_x_rtt = 0.0
        nanoseconds = round(max(self.avg_rtt, self.min_interval) * SECOND)
        self.ctl_interval = nanoseconds / SECOND
        self.control_due += nanoseconds

    def depart(self, size: float, rtt: float | None, x: float, delta_throughput: float) -> float:
        """Lines 20 to 32; returns the Delta_Throughput with which the packet continues."""
        self.inst_queue -= size
        self.min_queue = min(self.min_queue, self.inst_queue)
        if rtt is None:
            return delta_throughput
        if rtt <= 0:
            return min(delta_throughput, 0.0)
        pos_fbk = min(self.residue_pos_fbk, self.cp * x)
        neg_fbk = min(self.residue_neg_fbk, self.cn * size)
        feedback = pos_fbk - neg_fbk
        if delta_throughput >= feedback:
            delta_throughput = feedback
        else:
            neg_fbk = min(self.residue_neg_fbk, neg_fbk + (feedback - delta_throughput))
            pos_fbk = delta_throughput + neg_fbk
        self.residue_pos_fbk = max(0.0, self.residue_pos_fbk - pos_fbk)
        self.residue_neg_fbk = max(0.0, self.residue_neg_fbk - neg_fbk)
        if self.residue_pos_fbk <= 0:
            self.cp = 0.0
        if self.residue_neg_fbk <= 0:
            self.cn = 0.0
        return delta_throughput

    def queue_timeout(self) -> None:
        """Lines 33 to 36."""
        self.queue = self.min_queue
        self.min_queue = self.inst_queue
        interval = max(self.allowed_queue, (self.avg_rtt - self.inst_queue / self.capacity) / 2)
        self.queue_due += round(interval * SECOND)
