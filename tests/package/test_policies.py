"""Policies: layers of weights, as controllers in runs, as files, and in the playground."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ackclock
import ackclock.gym as ag
from ackclock.errors import InputError

SHORT = {"duration": "3 s", "warm_up": "0 s"}
OBSERVE = ("rtt_share", "loss_share", "queueing_s")
LAYERS = (
    ag.Layer([[-1.0, -1.0, 0.0], [0.5, 0.0, -3.0]], [1.2, 0.1], "relu"),
    ag.Layer([[1.0, 1.0]], [-0.2], "identity"),
)
"""Without functions whose last bit may differ between libraries."""


def test_a_policy_is_a_controller() -> None:
    """A policy that always asks for the same factor doubles its window each round trip, or holds it."""
    hold = ag.Policy.linear((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    held = ackclock.run("single-flow", settings=SHORT, algorithm=ag.controller(hold, name="hold"))
    grow = ag.Policy.linear((0.0, 0.0, 0.0, 0.0, 0.0, 20.0))
    made = ag.controller(grow, name="grow", largest_window_packets=80.0)
    grown = ackclock.run("single-flow", settings=SHORT, algorithm=made)
    # 10 packets in each 100 ms, and 80 at most.
    assert held.flows["goodput_bit_per_s"][0] == pytest.approx(10 * 1460 * 8 / 0.1, rel=0.1)
    assert grown.flows["goodput_bit_per_s"][0] > 5 * held.flows["goodput_bit_per_s"][0]


def test_layers_are_weighted_sums_and_functions_of_them() -> None:
    policy = ag.Policy(LAYERS, OBSERVE)
    # relu(-1.5 - 0.1 + 1.2) = 0; relu(0.75 - 0.06 + 0.1) = 0.79; 0.79 - 0.2
    assert policy(np.array([[1.5, 0.1, 0.02]])) == pytest.approx([0.59])


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([ag.Layer([[1.0]], [0.0])], r"layer 1: weights of shape \(1, 1\)"),
        ([ag.Layer([[1.0] * 3] * 2, [0.0] * 2)], "the last layer has 2 outputs"),
        ([ag.Layer([[1.0] * 3], [0.0], "tanhh")], 'did you mean "tanh"'),
        ([], "0 outputs"),
    ],
)
def test_wrong_layers_are_said(layers: list[ag.Layer], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ag.Policy(layers, OBSERVE)


def test_an_exported_file_is_the_controller(tmp_path: Path) -> None:
    policy = ag.Policy(LAYERS, OBSERVE)
    policy.export(tmp_path / "learnt.json")
    read = ag.Policy.load(tmp_path / "learnt.json")
    assert read.as_dict() == policy.as_dict()
    file = policy.export(tmp_path / "learnt.py", largest_window_packets=200.0)
    settings: dict[str, Any] = {**SHORT, "duration": "10 s"}
    exported = ackclock.run("lossy-link", algorithm=f"{file}:Policy", settings=settings)
    made = ag.controller(policy, largest_window_packets=200.0)
    expected = ackclock.run("lossy-link", algorithm=made, settings=settings)
    goodput = expected.flows["goodput_bit_per_s"][0]
    assert exported.flows["goodput_bit_per_s"][0] == goodput > 1e6


def test_weights_are_run_compiled_with_the_windows_of_the_python_class() -> None:
    """A subclass with the same rule, which is called in Python: losses, and a competitor."""
    learnt = ag.controller(ag.Policy(LAYERS, OBSERVE))
    assert json.loads(learnt.policy_weights())["observe"] == list(OBSERVE)

    class Called(learnt):  # type: ignore[valid-type, misc]
        """In Python, since it has a method of its own."""

        calls = 0

        def on_ack(self, ack: ackclock.Ack) -> None:
            Called.calls += 1
            super().on_ack(ack)

    assert Called.policy_weights() == ""
    runs = [
        ackclock.run("lossy-link", algorithm=made, settings={**SHORT, "duration": "10 s"})
        for made in (learnt, Called)
    ]
    assert Called.calls > 100
    sent = [run.flows["packets_sent"].to_list() for run in runs]
    assert sent[0] == sent[1]


def test_wrong_files_are_said(tmp_path: Path) -> None:
    (tmp_path / "wrong.json").write_text('{"observe": ["rtt_share"]}', encoding="utf-8")
    with pytest.raises(InputError, match="not a policy"):
        ag.Policy.load(tmp_path / "wrong.json")
    with pytest.raises(InputError, match="No such file"):
        ag.Policy.load(tmp_path / "missing.json")
    with pytest.raises(InputError, match=r"\.py"):
        ag.Policy(LAYERS, OBSERVE).export(tmp_path / "learnt.txt")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_controller_of_the_playground_acts_alike(tmp_path: Path) -> None:
    """The same acknowledgments to both: the same windows."""
    policy = ag.Policy(LAYERS, OBSERVE)
    script = policy.export(tmp_path / "learnt.js", largest_window_packets=60.0)
    acks = [
        {"now": 0.02 * n, "delivered": 1 + n % 3, "lost": float(n % 11 == 0), "rtt": None if n % 7 == 0 else
         0.05 + 0.001 * (n % 13), "srtt": 0.055, "min_rtt": 0.05, "in_flight": 10.0, "may_grow": True}
        for n in range(1, 200)
    ]  # fmt: skip
    program = f"""{script.read_text(encoding="utf-8")}
    const made = new Learnt({{ initial_window: 10, restart_window: 1 }});
    const windows = [];
    for (const ack of {json.dumps(acks)}) {{
      if (ack.lost > 0) made.on_congestion({{ signal: "loss", restart: windows.length > 150 }});
      made.on_ack(ack);
      windows.push(made.cwnd);
    }}
    console.log(JSON.stringify(windows));"""
    done = subprocess.run(["node", "--eval", program], capture_output=True, text=True, check=True)
    made = ag.controller(policy, largest_window_packets=60.0)(Facts(initial_window=10.0, restart_window=1.0))
    windows: list[float] = []
    for ack in acks:
        if ack["lost"]:
            made.on_congestion(Facts(signal="loss", restart=len(windows) > 150))
        made.on_ack(Facts(**ack))
        windows.append(made.cwnd)
    assert json.loads(done.stdout) == pytest.approx(windows, rel=1e-12)
    assert len(set(windows)) > 20


class Facts:
    """Attributes by name."""

    def __init__(self, **facts: object) -> None:
        self.__dict__.update(facts)


def test_a_policy_as_onnx_gives_the_same_actions(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs onnx: pip install ackclock[onnx]")
    pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install ackclock[onnx]")
    policy = ag.Policy((LAYERS[0], ag.Layer([[1.0, 1.0]], [-0.2])), OBSERVE)
    read = ag.load_onnx(ag.save_onnx(policy, tmp_path / "learnt.onnx"))
    observed = np.random.default_rng(1).uniform(0.0, 3.0, (20, 3))
    assert read(observed) == pytest.approx(policy(observed))
    raced = ackclock.compare(
        {"cubic": "cubic", "learnt": ag.controller(read, OBSERVE)}, "single-flow", settings=SHORT
    )
    learnt = next(result for result in raced.results if result.label == "learnt")
    assert learnt.flows["goodput_bit_per_s"][0] > 0
    (tmp_path / "wrong.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match="not a policy in the format ONNX"):
        ag.load_onnx(tmp_path / "wrong.onnx")
    with pytest.raises(InputError, match="there is no such file"):
        ag.load_onnx(tmp_path / "missing.onnx")
