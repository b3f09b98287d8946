"""The playground: equal digests native and in WebAssembly, its size, its pages in a browser, and its server.

What needs node, the built pages or Chromium is skipped with a message where they are not there.
"""

import json
import os
import shutil
import subprocess
import threading
import urllib.request
from pathlib import Path

import pytest

from ackclock import _native
from ackclock.cli import playground_server as playground
from ackclock.cli.commands.digest import Digest
from ackclock.errors import InputError
from ackclock.scenarios.catalogue import list_entries
from ackclock.scenarios.load import list_scenarios, load_scenario
from benches.playground import MOST_BYTES

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "playground"
BUILT = REPOSITORY / "python" / "ackclock" / "data" / "playground"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

SHORTENED = {
    "mesonet-dumbbell": {"duration": "10 s", "flow.1.start": "5 s"},
    "thousand-flows-dumbbell": {"duration": "1 s"},
    "thousand-flows-shared": {"duration": "1 s"},
    "three-tier-large": {"duration": "200 ms"},
}
"""The changes to scenarios with much traffic or very late flows.

Others run for ten seconds, or for five after their last start.
"""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
needs_build = pytest.mark.skipif(
    not (BUILT / "index.html").is_file(), reason="the playground is not built: make playground"
)
needs_packages = pytest.mark.skipif(
    not (SOURCES / "node_modules").is_dir(), reason="npm packages are not installed: make playground"
)
needs_browser = pytest.mark.skipif(not Path(CHROMIUM).is_file(), reason="Chromium is not installed")


def shortened(name: str) -> _native.Scenario:
    """A built-in scenario over a time that a test can wait for, with series."""
    scenario = load_scenario(name)
    if name not in SHORTENED and scenario.duration_s <= 10:
        return scenario
    until = {"duration": f"{max(10.0, last_start_s(scenario) + 5)} s"}
    return load_scenario(name, {"warm_up": "0 s", **SHORTENED.get(name, until)})


def last_start_s(scenario: _native.Scenario) -> float:
    tables = json.loads(scenario.to_json())
    groups = [group for key in ("flow", "udp", "call") for group in tables.get(key, [])]
    starts = (group.get("start", "0 s").split() for group in groups)
    return max((float(number) * {"s": 1.0, "ms": 1e-3}[unit] for number, unit in starts), default=0.0)


def parts() -> list[_native.Scenario]:
    """Three flows on a link with random loss, by every algorithm and recovery of the catalogue."""
    alone = {"recovery", "transport"}
    entries = list_entries("algorithms")
    names = [entry.name if entry.kind in alone else f"rack+{entry.name}" for entry in entries]
    scenario = {
        "name": "part",
        "duration": "5 s",
        "topology": {
            "dumbbell": {
                "pairs": 3,
                "bottleneck": {
                    "rate": "5 Mbit/s",
                    "delay": "20 ms",
                    "buffer": "20 packets",
                    "loss": {"bernoulli": 0.002},
                },
                "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
            }
        },
        "flow": [{"count": 3, "start_jitter": "1 s"}],
        "trace": {"interval": "100 ms"},
    }
    base = _native.Scenario.from_json(json.dumps(scenario))
    return [base.with_value("tcp.algorithm", name) for name in dict.fromkeys(names)]


@needs_node
@needs_build
def test_digests_are_equal_native_and_in_webassembly() -> None:
    scenarios = [shortened(entry.name) for entry in list_scenarios()] + parts()
    native = [f"{_native.run(scenario).digest:016x}" for scenario in scenarios]
    command = ["node", str(SOURCES / "tests" / "digests.mjs"), str(BUILT)]
    texts = json.dumps([scenario.to_json() for scenario in scenarios])
    done = subprocess.run(command, input=texts, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    labels = [f"{scenario.name} {scenario.algorithm_names()}" for scenario in scenarios]
    assert dict(zip(labels, json.loads(done.stdout), strict=True)) == dict(zip(labels, native, strict=True))
    assert len(set(native)) > len(native) / 2, "different scenarios have different digests"


@needs_node
@needs_build
@needs_packages
def test_a_browser_downloads_less_than_the_bound() -> None:
    command = ["node", str(SOURCES / "tests" / "sizes.mjs"), str(BUILT)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found.keys() == MOST_BYTES.keys()
    assert all(found[part] <= most for part, most in MOST_BYTES.items()), found


@needs_node
@needs_packages
def test_the_pages_have_right_types() -> None:
    compiler = SOURCES / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        ["node", str(compiler), "--project", str(SOURCES)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@needs_node
@needs_build
@needs_packages
@needs_browser
@pytest.mark.parametrize("file", sorted(path.name for path in (SOURCES / "tests").glob("*.test.js")))
def test_the_pages_work_in_a_browser(file: str) -> None:
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(SOURCES / "tests" / file)],
        env={**os.environ, "CHROMIUM": CHROMIUM},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_build
def test_the_server_gives_pages_and_the_module_with_their_types() -> None:
    with playground.server(0) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{serving.server_address[1]}/"
        types = {}
        for path in ("", "src/play.js", "engine/engine_bg.wasm", "scenarios.json"):
            with urllib.request.urlopen(address + path) as answer:  # noqa: S310 - our own server
                types[path] = answer.headers["Content-Type"]
        serving.shutdown()
        thread.join()
    assert types == {
        "": "text/html",
        "src/play.js": "text/javascript",
        "engine/engine_bg.wasm": "application/wasm",
        "scenarios.json": "application/json",
    }


@needs_build
def test_a_port_in_use_is_an_error_for_people() -> None:
    with playground.server(0) as serving, pytest.raises(InputError, match="is in use; leave it out"):
        playground.server(serving.server_address[1])


def test_a_missing_playground_is_an_error_that_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(playground, "__file__", str(tmp_path / "cli" / "playground_server.py"))
    with pytest.raises(InputError, match="make playground"):
        playground.folder()


def test_the_digest_command_prints_what_equal_runs_have_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    def digest(*settings: str) -> str:
        Digest(scenario="two-megabit", settings=["duration=2 s", *settings]).execute()
        return capsys.readouterr().out.strip()

    first = digest()
    assert len(first) == 16
    assert int(first, 16) == _native.run(load_scenario("two-megabit", {"duration": "2 s"})).digest
    assert digest() == first
    assert digest("seed=2") != first
