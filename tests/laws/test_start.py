"""What a start of the program loads: libraries that take long come with what needs them."""

import subprocess
import sys

import pytest

HEAVY = {
    "bokeh",
    "distributed",
    "gymnasium",
    "jinja2",
    "matplotlib",
    "numpy",
    "onnx",
    "onnxruntime",
    "pandas",
    "pettingzoo",
    "polars",
    "pydoe",
    "rich.console",
    "scipy",
    "scipy.sparse",
    "scipy.special",
    "scipy.stats",
    "tensorboardX",
}
"""Modules of other projects that take from 20 ms to 0.6 s of processor time each."""

SCREEN = {"rich.console"}
TABLES = SCREEN | {"jinja2", "numpy", "polars", "scipy"}
"""`import scipy` alone is cheap: it loads its submodules on first use."""

STARTS: dict[str, tuple[str, set[str]]] = {
    "the package": ("import ackclock", set()),
    "the program": ("import ackclock.cli", set()),
    "help": ("main('--help')", SCREEN),
    "a mistyped command": ("main('comapre')", SCREEN),
    "a mistyped scenario": ("main('run', 'two-megabyte')", set()),
    "a mistyped algorithm": ("main('compare', 'cubic', 'vegsa')", set()),
    "a mistyped list": ("main('list', 'algoritms')", SCREEN),
    "a list of algorithms": ("main('list', 'algorithms')", SCREEN),
    "a list of scenarios": ("main('list', 'scenarios', '--json')", SCREEN),
    "a list of papers": ("main('list', 'papers', '--json')", TABLES),
    "a comparison": (
        (
            "main('compare', 'reno', '--scenario', 'two-megabit', '--duration', '1 s', '--no-report', "
            "'--json', '--output', sys.argv[1])"
        ),
        TABLES,
    ),
}
"""The code of each start, and the heavy modules that it may load."""

PROGRAM = """
import sys

def main(*words):
    import ackclock.cli
    sys.argv = ["ackclock", *words]
    try:
        ackclock.cli.main()
    except SystemExit:
        pass

{code}
print("loaded", *sys.modules)
"""


@pytest.mark.parametrize("start", STARTS)
def test_a_start_loads_no_more_than_it_needs(start: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    code, allowed = STARTS[start]
    folder = tmp_path_factory.mktemp("start") / "results"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(code=code), str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    last = done.stdout.splitlines()[-1].split()
    assert last[0] == "loaded"
    found = HEAVY & set(last)
    assert found <= allowed, (
        f"{start} loads {', '.join(sorted(found - allowed))}: import it in the function that needs it, "
        "or further down the path that leads to it"
    )
