"""RFC 9743, 5.2.2: with real-time flows."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows, udp
from ackclock.evaluation.quantities import DELAY_95, delay_quantile
from ackclock.measures.record import RunRecord

CALL_LOSS = Measure("call_loss", "packets of the call lost", "%", 100, 2, "lower", 0.002)
AUDIO, VIDEO = udp("audio", 80, 200), udp("video", 1500, 1200)


def cells(quick: bool) -> tuple[Cell, ...]:
    """A call of audio and video during downloads."""
    return tuple(
        Cell(
            f"call beside {count} download{'s' if count > 1 else ''}, buffer {buffer:g} BDP",
            dumbbell(
                10, 40, buffer, [flows("long", count)], datagrams=[AUDIO, VIDEO], seconds=30 if quick else 120
            ),
        )
        for count in (1, 4)
        for buffer in ((2,) if quick else (0.5, 2, 8))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The call's losses, and the delay of the queue in which it waits."""
    columns = result.columns("flows")
    of_call = [kind == "udp" for kind in columns["kind"]]
    sent = sum(n for n, mine in zip(columns["packets_sent"], of_call, strict=True) if mine)
    lost = sum(n for n, mine in zip(columns["packets_lost"], of_call, strict=True) if mine)
    return {CALL_LOSS.key: float(lost / sent) if sent else 1.0, DELAY_95.key: delay_quantile(result)}


CRITERION = Criterion(
    key="real-time",
    section="5.2.2",
    title="Beside real-time flows",
    force="SHOULD",
    question="What does a call beside it lose, and how long does it wait?",
    experiment="Audio of 80 kbit/s and video of 1.5 Mbit/s at constant rates share 10 Mbit/s with downloads.",
    measures=(CALL_LOSS, DELAY_95),
    cells=cells,
    measure=measure,
)
