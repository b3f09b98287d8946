"""Python classes in the place of a slow start or of an avoidance."""

from pathlib import Path

import pytest

import ackclock
from ackclock.errors import InputError, ScenarioError

PARTS = """
class Start:
    def __init__(self, start):
        self.cwnd, self.ssthresh = start.initial_window, start.initial_ssthresh
    def on_ack(self, ack):
        assert self.cwnd < self.ssthresh
        if ack.may_grow:
            self.cwnd = min(self.cwnd + min(ack.delivered, 1.0), self.ssthresh)
    def on_congestion(self, event):
        self.cwnd = self.ssthresh = 1.0  # which is not what the avoidance keeps

class Half:
    def __init__(self, start):
        self.cwnd, self.ssthresh = start.initial_window, start.initial_ssthresh
    def on_ack(self, ack):
        assert self.cwnd >= self.ssthresh
        if ack.may_grow:
            self.cwnd += min(ack.delivered / self.cwnd, 1.0)
    def on_congestion(self, event):
        self.ssthresh = max(min(self.cwnd, event.flight) / 2, 2.0)

class Fixed:
    cwnd = property(lambda self: 10.0)
    def on_ack(self, ack): pass
    def on_congestion(self, event): pass
"""
SETTINGS = {"duration": "30 s", "warm_up": "0 s"}


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    (tmp_path / "parts.py").write_text(PARTS, encoding="utf-8")
    return tmp_path / "parts.py"


@pytest.mark.parametrize(
    ("own", "built_in"),
    [
        ("newreno+{}:Start+reno", "newreno+standard+reno"),
        ("newreno+hystart+{}:Half", "newreno+hystart+reno"),
        ("newreno+{}:Start+vegas", "newreno+standard+vegas"),
    ],
)
def test_a_class_with_the_rule_of_a_built_in_part_computes_what_it_does(
    parts: Path, own: str, built_in: str
) -> None:
    race = ackclock.compare([own.format(parts), built_in], "single-flow", settings=SETTINGS)
    mine, theirs = (race.result(label).flows for label in race.labels)
    assert mine.drop("algorithm").equals(theirs.drop("algorithm"))
    assert mine["retransmissions"].item() > 0 or "vegas" in own


def test_labels_files_and_plans_name_the_other_part(parts: Path) -> None:
    race = ackclock.compare([f"newreno+{parts}:Start+htcp", "newreno+htcp"], "single-flow", settings=SETTINGS)
    assert race.labels == ("newreno+start+htcp", "newreno+htcp")
    folder = race.save(parts.parent / "race", report=False)
    again = ackclock.sweep(folder / "plan.toml", parts.parent / "store")
    assert again.runs["goodput_bit_per_s"].to_list() == race.runs["goodput_bit_per_s"].to_list()
    loaded = ackclock.load(folder)
    assert loaded.labels == race.labels


def test_a_label_gives_a_class_its_place() -> None:
    space: dict[str, type] = {}
    exec(PARTS, space)  # noqa: S102 - the text above
    race = ackclock.compare(
        {"newreno+mine+reno": space["Start"], "newreno+reno": "newreno+reno"},
        "single-flow",
        settings=SETTINGS,
    )
    mine, theirs = (race.result(label).flows["goodput_bit_per_s"].item() for label in race.labels)
    assert mine == theirs


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "reno+{}:Start+hystart",
            "hystart.* is of the kind slow start, and stands in the place of the avoidance",
        ),
        (
            "newreno+htcp+{}:Half",
            "htcp.* is of the kind avoidance, and stands in the place of the slow start",
        ),
        ("newreno+{}:Start+nobody", '"nobody": unknown algorithm'),
    ],
)
def test_a_part_in_the_wrong_place_is_said(parts: Path, spec: str, message: str) -> None:
    with pytest.raises((InputError, ScenarioError), match=message):
        ackclock.compare([spec.format(parts)], "single-flow", settings=SETTINGS)


def test_a_window_that_cannot_be_set_is_said(parts: Path) -> None:
    with pytest.raises(InputError, match=r"parts\.py: Fixed\.cwnd.*expected an attribute that can be set"):
        ackclock.compare([f"newreno+{parts}:Fixed+reno"], "single-flow", settings=SETTINGS)
