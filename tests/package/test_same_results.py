"""The comparison of a shipped wheel with the checkout's build works with the binding as it is."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from ackclock import _native, load_scenario

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "same-results"


def script() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("same_results", str(SCRIPT))
    spec = importlib.util.spec_from_loader("same_results", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_a_build_has_the_digest_of_each_training_run() -> None:
    first, second = script().digests(sys.executable, "2")
    digest, name, *settings = first.split()
    assert (name, settings) == ("ten-flows-shared", ["duration=3", "s", "tcp.algorithm=sack"])
    scenario = load_scenario(name).with_value("warm_up", "0 s").with_value("duration", "3 s")
    output = _native.run(scenario.with_value("tcp.algorithm", "sack"))
    assert digest == f"{output.digest:016x}"
    assert second.split()[0] != digest
