"""AIMD that holds its window once packets wait longer than a cap.

Author: the authors of Ackclock
Source: additive increase, multiplicative decrease by Chiu and Jain (1989); a cap on the delay of our own
Licence: MIT OR Apache-2.0
"""

CAP_S = 0.02
"""The wait in the queue above which the window grows no further."""


class DelayCappedAimd:
    """Adds a packet per round trip while packets wait less than the cap, and halves on a loss."""

    def __init__(self, start):
        self.cwnd = start.initial_window
        self.ssthresh = start.initial_ssthresh
        self.least_s = None

    def on_ack(self, ack):
        if ack.rtt is not None:
            self.least_s = ack.rtt if self.least_s is None else min(self.least_s, ack.rtt)
            if ack.rtt - self.least_s > CAP_S:
                self.ssthresh = min(self.ssthresh, self.cwnd)
                return
        if ack.may_grow:
            counted = min(ack.delivered, 1)
            self.cwnd += counted if self.cwnd < self.ssthresh else counted / self.cwnd

    def on_congestion(self, event):
        self.ssthresh = max(event.flight / 2, 2)
        self.cwnd = 1 if event.restart else self.ssthresh
