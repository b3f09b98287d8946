"""A segment on its way, and the facts of an acknowledgment about segments."""

from dataclasses import dataclass, field


@dataclass
class Segment:
    """A segment that was sent and is not cumulatively acknowledged."""

    number: int
    sent: list[int] = field(default_factory=list)
    """The time at which each copy of it left."""
    lost: int = 0
    """The number of its copies, from the earliest on, that count as lost."""
    sacked: bool = False
    timed_out: bool = False
    """True if the retransmission timer sent it again."""
    delivered_before: int = 0
    """Segments that had been delivered when its latest copy left."""

    @property
    def in_network(self) -> int:
        """Copies that may still be on their way."""
        return 0 if self.sacked else len(self.sent) - self.lost

    @property
    def is_missing(self) -> bool:
        """True if all copies are considered lost: it is to be retransmitted."""
        return not self.sacked and self.lost == len(self.sent)

    @property
    def was_sent_again(self) -> bool:
        """Karn's question."""
        return len(self.sent) > 1


@dataclass(frozen=True)
class Seen:
    """One acknowledgment, with the facts that it carries."""

    now: int
    advanced: bool
    cumulative: list[Segment]
    """The cumulative acknowledgment."""
    selective: list[Segment]
    """The segments that it acknowledges selectively for the first time."""
    duplicate: bool
    repeats: bool
    """True if it repeats the latest acknowledgment, without any block."""
    above: list[Segment]
    """All segments that are selectively acknowledged now."""
    duplicated: int | None
    """The segment that it reports as a duplicate."""
    same_number: bool
    """It repeats the latest acknowledgment number, with data outstanding (RFC 5681, section 2)."""
    is_first_report: bool
    """RFC 3708, (A.1): the report is of SND.UNA, and the scoreboard is empty."""

    @property
    def delivered(self) -> list[Segment]:
        """The segments newly known to have arrived."""
        return [segment for segment in self.cumulative if not segment.sacked] + self.selective
