"""Points that the paper leaves open, varied one at a time, on the network of figure 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ackclock.papers import Context

from .study import Case, Outcome, seeds, simulate


@dataclass(frozen=True)
class Choice:
    """One answer to one question."""

    question: str
    answer: str
    settings: Mapping[str, object] = field(default_factory=dict)
    overhead: str = ""
    """The most that senders take over a packet, if they do."""
    buffer: int | None = None
    algorithm: str = "sack"

    def case(self) -> Case:
        """100 flows over 1 Mbps, ns-2's defaults unless the answer is on them."""
        settings = tuple(self.settings.items())
        return Case(buffer=self.buffer, algorithm=self.algorithm, overhead=self.overhead, settings=settings)


CHOICES = (
    Choice("as chosen", ""),
    *(Choice("random overhead, up to", text, overhead=text) for text in ("1 ms", "2 ms", "4 ms", "8 ms")),
    Choice("least timeout", "1 s", {"tcp.rto_min": "1 s"}),
    Choice("timer at a fast retransmit", "runs on", {"tcp.rearm_at_fast_retransmit": False}),
    Choice("back-off ends with", "any sample", {"tcp.rto_backoff_until": "any-sample"}),
    Choice("longest timeout", "120 s", {"tcp.rto_max": "120 s"}),
    Choice("buffer", "49 packets", buffer=49),
    Choice("buffer", "51 packets", buffer=51),
    Choice("window limit", "none", {"tcp.receive_window": "unlimited"}),
    Choice("initial window", "1 packet", {"tcp.initial_window": "1 packets"}),
    Choice("limited transmit", "none", {"tcp.limited_transmit": False}),
    Choice("acknowledgments", "delayed", {"tcp.segments_per_ack": 2}),
    Choice("timestamps", "on", {"tcp.timestamps": True}),
    Choice("recovery", "NewReno", algorithm="newreno"),
    Choice("starts", "within 1 s", {"flow.0.start_jitter": "1 s"}),
    Choice("access links", "100 Mbit/s", {"topology.dumbbell.access.rate": "100 Mbit/s"}),
)


def run(context: Context) -> pl.DataFrame:
    """A row per choice: means over seeds of what figure 3 shows, and of the loss rate."""
    count = 1 if context.quick else 3
    chosen = CHOICES[:1] if context.quick else CHOICES
    cases = [case for choice in chosen for case in seeds(choice.case(), count)]
    found = iter(simulate(context, cases))
    return pl.DataFrame([_row(choice, [next(found) for _ in range(count)]) for choice in chosen])


def _row(choice: Choice, outcomes: Sequence[Outcome]) -> dict[str, object]:
    def mean(values: Sequence[float]) -> str:
        return f"{np.mean(values):.2f}"

    return {
        "question": choice.question,
        "answer": choice.answer,
        "loss [%]": f"{100 * np.mean([o.loss for o in outcomes]):.1f}",
        "locked out [%]": f"{100 * np.mean([o.silent.mean() for o in outcomes]):.0f}",
        "top 40 % get [%]": f"{100 * np.mean([o.part(0, 0.4).mean() for o in outcomes]):.0f}",
        "index 20 s": mean([o.short_term for o in outcomes]),
        "index 1000 s": mean([o.long_term for o in outcomes]),
        "repeated timeouts [%]": f"{100 * np.mean([o.repeated / o.timeouts for o in outcomes]):.0f}",
    }
