"""The count of instructions shows a discipline whose cost grows with the flows; the counts are not tested."""

import shutil

import pytest

from benches import queues
from benches.queues import LATE, MANY, disciplines, main, outcome

CHOOSING = {
    "drr", f"drr(flows={MANY})", "sfq", f"sfq(buckets={MANY})",
    f"protect(buckets={MANY})", f"protect(buckets={MANY},pushout=1)",
    f"fq-codel(target={LATE})", f"fq-codel(target={LATE},flows={MANY})", f"cobalt(target={LATE})",
}  # fmt: skip
"""With a full buffer most of what these drop is not the packet that arrives."""


def test_a_discipline_that_walks_over_flows_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def per_packet(queue: str, flows: int, *, release: bool) -> float:
        assert release
        return 10.0 * flows if queue == "sfq" else 1000.0

    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/valgrind")
    monkeypatch.setattr(queues, "per_packet", per_packet)
    # The times decide nothing, and are of a program that is compiled as it is shipped.
    monkeypatch.setattr(queues, "nanoseconds", lambda _queue, _flows: 100.0)
    assert main() == 1
    assert "grows with the flows: sfq." in capsys.readouterr().out
    monkeypatch.setattr(queues, "per_packet", lambda _queue, _flows, **_build: 1000.0)
    assert main() == 0


def test_without_valgrind_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main() == 0
    assert "not installed" in capsys.readouterr().out


def test_every_discipline_is_counted() -> None:
    counted = queues.disciplines()
    assert {"droptail", "fq-codel", "sfq(buckets=65536)", "budgets"} <= set(counted)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="compiles a program, and there is no Rust")
@pytest.mark.parametrize("queue", disciplines())
def test_what_is_counted_drops_packets(queue: str) -> None:
    """The search for a packet to drop can show only where one is dropped, in the part that counts."""
    short, long = (outcome(queue, 10, packets, release=False) for packets in (100, 1100))
    within = {key: long[key] - short[key] for key in long}
    lost = within["refused"] + within["pushed_out"] + within["early"]
    # A packet in eleven exceeds the link's rate.
    assert lost >= 1000 / 11 - 30
    if queue in CHOOSING:
        assert within["pushed_out"] > lost / 2
