"""A class in JavaScript is told what the same class in Python is: the same calls, names and values."""

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ackclock import _native

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "playground"
BUILT = REPOSITORY / "python" / "ackclock" / "data" / "playground"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (BUILT / "index.html").is_file(), reason="the playground is not built: make playground"
    ),
]

SCRIPT = """
class Mine {
  accurate_ecn = ACCURATE_ECN;
  l4s = L4S;
  explicit_feedback = EXPLICIT_FEEDBACK;
  wake = 0.5;
  constructor(start) {
    told.push(["start", start]);
    this.cwnd = start.initial_window;
    this.ssthresh = start.initial_ssthresh;
  }
  on_ack(ack) {
    told.push(["on_ack", ack]);
    if (ack.may_grow) this.cwnd += 0.5;
  }
  on_congestion(event) {
    told.push(["on_congestion", event]);
    this.ssthresh = Math.max(event.flight / 2, 2);
    this.cwnd = event.restart ? 1 : this.ssthresh;
  }
  on_deadline(now) {
    told.push(["on_deadline", [now]]);
    this.wake = now + 0.5;
  }
  on_idle_restart(restart_window) {
    told.push(["on_idle_restart", [restart_window]]);
    this.cwnd = Math.min(this.cwnd, restart_window);
  }
  observe() {
    return { half_window: this.cwnd / 2 };
  }
}
"""


def as_told(value: object) -> object:
    """What an object of facts holds, as JSON has it."""
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {name: as_told(getattr(value, name)) for name in dir(value) if not name.startswith("_")}


class Mine:
    """The class of `SCRIPT`."""

    told: list[tuple[str, Any]] = []  # noqa: RUF012 - of all flows, as in the script
    accurate_ecn = l4s = explicit_feedback = False
    wake = 0.5

    def __init__(self, start: Any) -> None:
        self.told.append(("start", as_told(start)))
        self.cwnd = start.initial_window
        self.ssthresh = start.initial_ssthresh

    def on_ack(self, ack: Any) -> None:
        self.told.append(("on_ack", as_told(ack)))
        if ack.may_grow:
            self.cwnd += 0.5

    def on_congestion(self, event: Any) -> None:
        self.told.append(("on_congestion", as_told(event)))
        self.ssthresh = max(event.flight / 2, 2)
        self.cwnd = 1.0 if event.restart else self.ssthresh

    def on_deadline(self, now: float) -> None:
        self.told.append(("on_deadline", [now]))
        self.wake = now + 0.5

    def on_idle_restart(self, restart_window: float) -> None:
        self.told.append(("on_idle_restart", [restart_window]))
        self.cwnd = min(self.cwnd, restart_window)

    def observe(self) -> dict[str, float]:
        return {"half_window": self.cwnd / 2}


class Marked(Mine):
    """Counts marks, as L4S senders do."""

    accurate_ecn = l4s = True


class Granted(Mine):
    """Is told what routers grant."""

    explicit_feedback = True


def scenario(queue: str) -> str:
    link = {"rate": "5 Mbit/s", "delay": "20 ms", "buffer": "20 packets", "queue": queue}
    path = {
        "bottleneck": {**link, "loss": {"bernoulli": 0.003}},
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
    }
    return json.dumps(
        {
            "name": "told",
            "duration": "6 s",
            "topology": {"dumbbell": {"pairs": 1, **path}},
            "tcp": {"algorithm": "mine"},
            "flow": [{}],
            "trace": {"interval": "100 ms"},
        }
    )


def of_python(made: type[Mine], text: str) -> tuple[list[Any], str]:
    Mine.told.clear()
    output = _native.run(_native.Scenario.from_json(text, ["mine"]), {"mine": made})
    return json.loads(json.dumps(Mine.told)), f"{output.digest:016x}"


def of_javascript(made: type[Mine], text: str) -> tuple[list[Any], str]:
    source = SCRIPT
    for name, _ in _native.NEEDS:
        source = source.replace(name.upper(), str(getattr(made, name, False)).lower())
    command = ["node", str(SOURCES / "tests" / "told.mjs"), str(BUILT)]
    given = json.dumps({"text": text, "source": source})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["told"], found["digest"]


@pytest.mark.parametrize(("made", "queue"), [(Mine, "droptail"), (Marked, "dualpi2"), (Granted, "xcp")])
def test_a_class_is_told_the_same_in_both_languages(made: type[Mine], queue: str) -> None:
    text = scenario(queue)
    expected, digest = of_python(made, text)
    found, found_digest = of_javascript(made, text)
    assert {name for name, _ in expected} >= {"start", "on_ack", "on_congestion", "on_deadline"}
    assert len(found) == len(expected)
    for call, wanted in zip(found, expected, strict=True):
        assert call == wanted
        flags = [
            [value for value in each[1].values() if isinstance(value, bool)]
            for each in (call, wanted)
            if isinstance(each[1], dict)
        ]
        assert len({len(each) for each in flags}) <= 1, "flags are no numbers"
    assert found_digest == digest


def test_needs_bring_their_facts() -> None:
    def acks(made: type[Mine], queue: str) -> list[dict[str, Any]]:
        found, _ = of_javascript(made, scenario(queue))
        return [facts for name, facts in found if name == "on_ack"]

    assert any(ack["ce_marked"] > 0 for ack in acks(Marked, "dualpi2"))
    assert any(ack["feedback"] is not None for ack in acks(Granted, "xcp"))
    assert all(ack["feedback"] is None for ack in acks(Mine, "droptail"))
