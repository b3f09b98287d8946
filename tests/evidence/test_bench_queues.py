"""The count of instructions shows a discipline whose cost grows with the flows; the counts are not tested."""

import shutil

import pytest

from benches import queues
from benches.queues import main


def test_a_discipline_that_walks_over_flows_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def per_packet(queue: str, flows: int) -> float:
        return 10.0 * flows if queue == "sfq" else 1000.0

    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/valgrind")
    monkeypatch.setattr(queues, "per_packet", per_packet)
    assert main() == 1
    assert "grows with the flows: sfq." in capsys.readouterr().out
    monkeypatch.setattr(queues, "per_packet", lambda _queue, _flows: 1000.0)
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
