"""The code that README.md and docs/ show runs, and the documentation builds without a warning.

Python blocks of a page share one namespace, in order. Of console blocks, every line `$ ackclock ...` is run
and must succeed; other commands and what they print are for the reader. Everything happens in an empty folder
of its own, to which a block may write the file that its first line names (`# my-network.toml`).
A comment `<!-- skip: next -->` before a block leaves it out.
"""

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser, SkipParser
from typer.testing import CliRunner

import ackclock
from ackclock import cli, papers
from ackclock.cli.app import COMMANDS

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
PUBLIC_MODULES = (
    "",
    ".cli",
    ".gym",
    *(f".measures.{name}" for name in ackclock.measures.__all__),
    ".models",
    ".papers",
)
FILE_NAME = re.compile(r"# (\S+\.(?:toml|py))\n")


def run_console(example: Example) -> None:
    """Runs each `$ ackclock` line, with a trailing backslash continuing it.

    The README's commands, which everybody copies, are run as the program and draw. Others are run by this
    interpreter, since a start takes longer than most of them, and draw nothing, which takes longer still.
    """
    for command in re.findall(r"^\$ (ackclock .*(?:(?<=\\)\n.*)*)$", example.parsed, re.MULTILINE):
        words = shlex.split(command.replace("\\\n", " "), comments=True)[1:]
        if Path(example.path).name == "README.md":
            program = Path(sys.executable).with_name("ackclock")
            done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
            status, printed = done.returncode, f"{done.stdout}\n{done.stderr}"
        else:
            words += ["--no-report"] if words[0] in ("run", "compare", "sweep") else []
            outcome = CliRunner().invoke(cli.app, words)
            status, printed = outcome.exit_code, f"{outcome.output}\n{outcome.exception!r}"
        assert status == 0, f"$ {command}\nended with {status}:\n{printed}"


def test_the_page_of_the_command_line_has_every_command() -> None:
    page = (REPOSITORY / "docs" / "command-line.md").read_text(encoding="utf-8")
    commands = set(COMMANDS)
    assert set(re.findall(r"^## (\S+)\n\n```\{command-help\} \1\n```", page, re.MULTILINE)) == commands


def run_python(example: Example) -> None:
    """Executes a block in the page's namespace, or writes it as a file if it names one."""
    if FILE_NAME.match(example.parsed):
        write_file(example)
    else:
        PythonEvaluator()(example)


def write_file(example: Example) -> None:
    """Writes a block whose first line is a comment with a file name."""
    if named := FILE_NAME.match(example.parsed):
        Path(named[1]).write_text(example.parsed, encoding="utf-8")


PARSERS: list[Callable[[Document], Iterable[Region]]] = [
    SkipParser(),
    CodeBlockParser("python", run_python),
    CodeBlockParser("console", run_console),
    CodeBlockParser("toml", write_file),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_code_on_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for example in Sybil(PARSERS).parse(page).examples():
        example.evaluate()


def test_the_scenario_page_lists_every_key() -> None:
    text = """
        name = "complete"
        duration = "1 s"
        [[topology.graph.link]]
        from = "a"
        to = "b"
        rate = "1 Mbit/s"
        delay = "1 ms"
        buffer = "7 packets"
        loss = { bernoulli = 0.5 }
        reverse = { rate = "2 Mbit/s" }
        [[flow]]
        from = "a"
        to = "b"
        packets = 1
        stop = "1 s"
        [[flow]]
        name = "web"
        from = ["a", "b"]
        to = ["b", "a"]
        backward = true
        size = { pareto = { scale = "4 packets", shape = 1.2 } }
        think = { exponential = { mean = "1 s" } }
        think_first = false
        start = "0 s"
        start_jitter = "1 s"
        arrivals = { poisson = { rate = "5 flows/s" } }
        algorithms = [{ name = "reno", count = 1 }]
        [[flow]]
        name = "mail"
        from = "a"
        to = "b"
        count = 1
        arrivals = { at = ["0 s"] }
        size = { table = { packets = [3, 4], weights = [1, 2] } }
        [[flow]]
        name = "client"
        from = "a"
        to = "b"
        request = { size = { constant = "1 packet" } }
        response = { size = { constant = "9 packets" }, think = { constant = "10 ms" } }
        [[flow]]
        name = "gaps"
        from = "a"
        to = "b"
        algorithm = "reno"
        arrivals = { poisson = { mean_gap = "500 ms" } }
        [[udp]]
        from = "a"
        to = "b"
        rate = "1 Mbit/s"
        [trace]
        interval = "1 ms"
        packets = ["a->b"]
    """
    scenario = json.loads(ackclock.Scenario.from_toml(text).to_json())
    page = (REPOSITORY / "docs" / "scenarios.md").read_text(encoding="utf-8")
    written = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`[^`\n]+`", page))))
    missing = keys(scenario) - written
    assert not missing, f"docs/scenarios.md does not say what these are: {sorted(missing)}"


@pytest.mark.parametrize("what", ["applications", "losses", "topologies"])
def test_the_scenario_page_has_the_keys_of_every_entry(what: str) -> None:
    page = (REPOSITORY / "docs" / "scenarios.md").read_text(encoding="utf-8")
    written = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`[^`\n]+`", page))))
    for entry in ackclock.list_entries(what):
        if f"```{{parameters}} {entry.kind}/{entry.name}\n" not in page:
            missing = {key.name for key in entry.keys} - written
            assert not missing, f"docs/scenarios.md lacks keys of the {entry.kind} {entry.name}: {missing}"


def keys(value: object) -> set[str]:
    """The keys of all tables in a document."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.fixture(scope="module")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the documentation, built without a warning."""
    folder = tmp_path_factory.mktemp("documentation")
    arguments = ["--fail-on-warning", "--keep-going", "--quiet", "-d", str(folder / "trees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *arguments, str(REPOSITORY / "docs"), str(folder / "html")],
        cwd=folder,  # as for the program sphinx-build, which has no folder of its own to import from
        env={**os.environ, "PYTHONWARNINGS": "default"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_the_documentation_builds_without_a_warning(documentation: Path) -> None:
    assert (documentation / "index.html").is_file()
    pages = [path.read_text(encoding="utf-8") for path in documentation.rglob("*.html")]
    loaded = [url for page in pages for url in re.findall(r'(?:src|data-src)="(https?://[^"]+)"', page)]
    assert not loaded, f"pages load from the network: {sorted(set(loaded))}"


def test_the_site_has_relative_links_to_pages_that_exist(documentation: Path, tmp_path: Path) -> None:
    """The front page, and the links between the pages of the documentation below it."""
    site = tmp_path / "site"
    maker = REPOSITORY / "docs" / "site"
    done = subprocess.run(
        [sys.executable, str(maker), str(documentation), str(site)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    front = (site / "index.html").read_text(encoding="utf-8")
    assert len(re.findall(r'<a href="docs/[^"]+"><h2>', front)) == 4
    names = ("index.html", "league.html", "league/controller-bbr3.html", "papers/he-tcp.html")
    pages = [site / "index.html", *(site / "docs" / name for name in names)]
    links = {page: re.findall(r'(?:href|src)="([^"#?]+)', page.read_text(encoding="utf-8")) for page in pages}
    broken = [
        f"{page.relative_to(site)}: {link}"
        for page, found in links.items()
        for link in found
        if not re.match(r"[a-z]+:", link) and not (page.parent / link).is_file()
    ]
    assert broken == []


def test_the_site_has_the_report_of_every_contender_and_the_verdict_on_every_statement(
    documentation: Path,
) -> None:
    league = REPOSITORY / "published" / "evaluation" / "league"
    for file in league.glob("*-*.json"):
        row = json.loads(file.read_text(encoding="utf-8"))
        report = (documentation / "league" / f"{file.stem}.html").read_text(encoding="utf-8")
        assert report.count('class="dial"') == sum(1 + len(each["cells"]) for each in row["criteria"])
        assert all(f'<h3 id="{each["key"]}">' in report for each in row["criteria"])
    for entry in papers.list_papers():
        page = (documentation / "papers" / f"{entry.key}.html").read_text(encoding="utf-8")
        for claim in papers.load_paper(entry.key).claims:
            assert f"<td><p>{claim.statement_id or claim.id}</p></td>" in page


def described(documentation: Path) -> set[str]:
    """The dotted names of this package that the pages describe."""
    lines = (documentation / "objects.inv").read_bytes().split(b"\n", 4)[4]
    entries = zlib.decompress(lines).decode().splitlines()
    return {entry.split(" ", 1)[0] for entry in entries if entry.startswith("ackclock.")}


def public(module: ModuleType) -> Iterator[str]:
    """The names of a module, as they are imported, with the public members of its classes."""
    for name in module.__all__:
        value = getattr(module, name)
        at_the_top = module is not ackclock and getattr(ackclock, name, None) is value
        if isinstance(value, ModuleType) or at_the_top:
            continue
        yield f"{module.__name__}.{name}"
        if isinstance(value, type):
            yield from (f"{module.__name__}.{name}.{member}" for member in members(value))


def members(kind: type) -> set[str]:
    """Public methods, properties and fields that a class has from this package."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("ackclock")]
    found = {name for base in ours for name in (*vars(base), *vars(base).get("__annotations__", {}))}
    return {name for name in found if not name.startswith("_")}


def test_the_page_of_the_python_interface_has_every_public_name(documentation: Path) -> None:
    """By the inventory that Sphinx writes."""
    modules = [importlib.import_module(f"ackclock{name}") for name in PUBLIC_MODULES]
    assert {name for module in modules for name in public(module)} - described(documentation) == set()
