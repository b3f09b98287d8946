"""The end of a connection by a reset: RFC 9293, 3.10.5 (ABORT), 3.10.7.1 and 3.10.7.4 (arrivals).

Two established ends exchange data in one direction. The receiver of the data learns of the reset; the sender
has no connection any more after it aborts.

- 3.10.5: ABORT sends a reset "<SEQ=SND.NXT><CTL=RST>", and all that is queued or outstanding is given up.
- 3.10.7.4, first and second (after RFC 5961, 3.2): a reset whose sequence number is RCV.NXT ends the
  connection; one that lies in the window beyond it is answered by a challenge, an acknowledgment of
  RCV.NXT; others are ignored.
- 3.10.7.1: an acknowledgment for a connection that does not exist is answered by
  "<SEQ=SEG.ACK><CTL=RST>".

The window is without limit here. Acknowledgments may be delayed: their times and numbers are given.
"""

from dataclasses import dataclass, field


@dataclass
class Receiver:
    """The end at which data arrives. Numbers count bytes."""

    next: int
    """RCV.NXT."""
    above: dict[int, int] = field(default_factory=dict)
    """The ends of segments beyond the next number, by their beginnings."""
    delivered: int = 0
    is_open: bool = True
    challenges: int = 0

    def on_data(self, sequence: int, length: int) -> None:
        """Data is delivered in order; a connection that has ended gets none."""
        if not self.is_open or length == 0:
            return
        self.above[sequence] = max(self.above.get(sequence, 0), sequence + length)
        for begin in sorted(self.above):
            if begin <= self.next < self.above[begin]:
                self.delivered += self.above[begin] - self.next
                self.next = self.above[begin]

    def on_reset(self, sequence: int) -> None:
        """Exactly the expected number ends the connection; another in the window causes a challenge."""
        if not self.is_open:
            return
        if sequence == self.next:
            self.is_open = False
        elif sequence > self.next:
            self.challenges += 1


@dataclass
class Aborted:
    """The end that has aborted."""

    resets: list[int] = field(default_factory=list)
    """The sequence numbers of the resets that it sends."""

    def abort(self, following: int) -> None:
        """The reset itself, with SND.NXT."""
        self.resets.append(following)

    def on_acknowledgment(self, acknowledged: int) -> None:
        """There is no connection."""
        self.resets.append(acknowledged)
