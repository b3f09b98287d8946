"""Accurate ECN: RFC 9768. Counters are whole numbers; the field is modulo eight, the option modulo 2^24."""

from dataclasses import dataclass

DIVACE = 8
DIVOPT = 1 << 24


@dataclass
class CountingReceiver:
    """The data receiver's counter of packets that arrived as CE, and its acknowledgments."""

    cep: int = 5
    """Section 3.2.1."""
    reported: int = 5
    """The counter at the latest acknowledgment."""
    latest_marked: bool = False
    ceb: int = 0
    e0b: int = 1
    """Section 3.2.1; data that is not marked arrives as ECT(0) here."""
    written: tuple[int, int] = (0, 1)
    """The byte counters at the latest acknowledgment."""

    def on_data(self, *, marked: bool, length: int = 0) -> bool:
        """Section 3.2.2.5.1: whether a change, or an increment of two, triggers an acknowledgment."""
        if marked:
            self.ceb += length
        else:
            self.e0b += length
        changed = marked and not self.latest_marked
        self.latest_marked = marked
        self.cep += marked
        return changed or self.cep - self.reported >= 2

    def ace(self) -> int:
        """The field of an acknowledgment."""
        self.reported = self.cep
        return self.cep % DIVACE

    def option(self) -> tuple[int, int | None] | None:
        """The fields EE0B and ECEB of an acknowledgment, by the recommended simple scheme of section 3.2.3.3.

        The fields hold every counter that has ever changed, if one has changed since the latest
        acknowledgment; EE1B never changes.
        """
        before, self.written = self.written, (self.ceb, self.e0b)
        if before == self.written:
            return None
        return self.e0b % DIVOPT, self.ceb % DIVOPT if self.ceb > 0 else None


@dataclass
class CountingSender:
    """The data sender's copy of the counter."""

    cep: int = 5
    latest: int = 0
    """The marks of the latest acknowledgment of new packets, by its field."""
    ceb: int = 0
    estimated: int = 0
    """The marks counted without the option since the option last came."""

    def on_ack(self, ace: int, newly_acked: int, eceb: int | None = None, mss: int = 1460) -> int:
        """Appendix A.1, and A.2 if more packets are acknowledged than the field can count.

        The safe case of A.2.1 counts as likely while marks are reported. With the option, the marks are
        the fewest that the field permits and whose full segments hold the newly marked bytes (A.2.2).
        """
        if newly_acked == 0:
            return 0
        increment = (ace + DIVACE - self.cep % DIVACE) % DIVACE
        self.cep += increment
        likely = increment > 0 or self.latest > 0
        self.latest = increment
        if eceb is not None:
            marked = (eceb + DIVOPT - self.ceb % DIVOPT) % DIVOPT
            self.ceb += marked
            while (self.estimated + increment) * mss < marked:
                increment += DIVACE
            self.estimated = 0
            return increment
        if newly_acked >= DIVACE and likely:
            increment = newly_acked - ((newly_acked - increment) % DIVACE)
        self.estimated += increment
        return increment
