"""Common to all Python tests: no display, caches inside the repository, the same examples each time."""

import importlib
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CACHE = REPOSITORY / ".cache"

# A shell starts background jobs with Ctrl-C ignored, and programs pass this on to those they start: tests
# that press Ctrl-C would have no effect.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Set before the libraries are imported: they read these once.
os.environ["MPLBACKEND"] = "agg"
os.environ.setdefault("MPLCONFIGDIR", str(CACHE / "matplotlib"))
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(CACHE / "hypothesis"))

from types import ModuleType  # noqa: E402

import hypothesis  # noqa: E402
import pytest  # noqa: E402
from hypothesis.internal.conjecture import providers  # noqa: E402

from ackclock import interrupts, papers  # noqa: E402

# Derandomised, so that a change is never blamed for what an earlier one broke; no deadlines, so that a busy
# machine fails nothing. Searching for longer is a matter of `--hypothesis-profile=search`.
hypothesis.settings.register_profile("house", derandomize=True, deadline=None, print_blob=False)
hypothesis.settings.register_profile("search", deadline=None, max_examples=5_000)
hypothesis.settings.load_profile("house")

# Hypothesis draws constants of the modules loaded so far as well: these depend on every change, and on which
# tests a worker ran before, and so would the examples.
assert callable(providers._get_local_constants)
providers._get_local_constants = lambda: providers._local_constants


WAIT = {
    "test_cli",
    "test_kills",
    "test_own_answers",
    "test_playground",
    "test_report",
    "test_sweep_map",
    "test_sweeps",
}
"""The files whose tests wait for browsers and for processes that they interrupt."""

TAKE_LONG = {"docs", "papers"}
"""The folders of tests that take a minute each."""


def _turn(item: pytest.Item) -> int:
    """The turn of a test: waiting costs nothing while compilers have work, and what ends last is short."""
    if item.path.stem in WAIT:
        return 0
    return 1 if item.path.parent.name in TAKE_LONG else 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps the tests of a file that share a fixture in one worker, so that what takes long is made once.

    Such a fixture is a paper's quick run, a sweep or the documentation.
    """
    items.sort(key=_turn)
    for item in items:
        known = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
        if any(definitions[-1].scope == "module" for definitions in known.values()):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program of a browser; tests that need it are skipped where none is installed."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("chromium is not installed: no page is shown here")
    return found


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="module")
def paper(request: pytest.FixtureRequest) -> papers.Paper:
    """The paper whose key a test file names as `KEY`."""
    return papers.load_paper(request.module.KEY)


@pytest.fixture(scope="module")
def module(paper: papers.Paper) -> ModuleType:
    """The module `reproduce` of its package `measure`."""
    return importlib.import_module(".reproduce", papers.load_measure(paper.folder).__name__)


@pytest.fixture(scope="module")
def quick(paper: papers.Paper) -> papers.Reproduction:
    """Its quick check, which takes a while: made once for all tests of a file that ask for it."""
    return papers.check(paper, quick=True)


@pytest.fixture(autouse=True)
def _folders_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a class joins the module path; what one test has there, the next does not find."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def pytest_runtest_setup() -> None:
    """A signal that one test raises is none to the commands of the next."""
    importlib.import_module("ackclock.interrupts")._came.clear()


@pytest.fixture(autouse=True)
def _handlers_of_signals() -> Iterator[None]:
    """A command handles signals until its program ends; the next test finds the handlers of before."""
    handlers = {number: signal.getsignal(number) for number in interrupts.SIGNALS}
    yield
    for number, handler in handlers.items():
        if handler is not None:
            signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _tests_outlive_commands() -> Iterator[None]:
    """A command ends its process at once if a class keeps a thread; this process has other tests to run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("ackclock.cli.app"), "_leave_behind", lambda _: None)
        yield
