"""Accurate ECN: RFC 9768. Both counters are whole numbers here; only the field ACE is modulo eight."""

from dataclasses import dataclass

DIVACE = 8


@dataclass
class CountingReceiver:
    """The data receiver's counter of packets that arrived as CE, and its acknowledgments."""

    cep: int = 5
    """Section 3.2.1."""
    reported: int = 5
    """The counter at the latest acknowledgment."""
    latest_marked: bool = False

    def on_data(self, *, marked: bool) -> bool:
        """Section 3.2.2.5.1: whether a change, or an increment of two, triggers an acknowledgment."""
        changed = marked and not self.latest_marked
        self.latest_marked = marked
        self.cep += marked
        return changed or self.cep - self.reported >= 2

    def ace(self) -> int:
        """The field of an acknowledgment."""
        self.reported = self.cep
        return self.cep % DIVACE


@dataclass
class CountingSender:
    """The data sender's copy of the counter."""

    cep: int = 5
    latest: int = 0
    """The marks of the latest acknowledgment of new packets, by its field."""

    def on_ack(self, ace: int, newly_acked: int) -> int:
        """Appendix A.1, and A.2 where more packets are acknowledged than the field can count.

        The safe case of A.2 is taken to be likely while marks are reported.
        """
        if newly_acked == 0:
            return 0
        increment = (ace + DIVACE - self.cep % DIVACE) % DIVACE
        self.cep += increment
        likely = increment > 0 or self.latest > 0
        self.latest = increment
        if newly_acked >= DIVACE and likely:
            return newly_acked - ((newly_acked - increment) % DIVACE)
        return increment
