"""The command line: its output, its files, and its messages when something is wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from ackclock import cli
from ackclock.cli.app import COMMANDS
from ackclock.cli.catalogue import LISTED
from ackclock.cli.command import listed_command, load_command, reporting
from ackclock.errors import Stopped

SCENARIO = """
name = "small"
duration = "5 s"
[topology.dumbbell]
pairs = 2
bottleneck = { rate = "2 Mbit/s", delay = "20 ms", buffer = "10 packets" }
access = { rate = "10 Mbit/s", delay = "10 ms" }
[[flow]]
start_jitter = "1 s"
[[udp]]
rate = "1 Mbit/s"
packet = "1000 bytes"
pattern = "poisson"
"""


class Outcome:
    """The result of a command: exit code, standard output, standard error."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Command = Callable[..., Outcome]


@pytest.fixture
def ackclock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the program in this process, in an empty folder with `small.toml`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "small.toml").write_text(SCENARIO)

    def run(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["ackclock", *arguments])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        captured = capsys.readouterr()
        code = caught.value.code
        return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run


def test_help_has_examples_for_every_command(ackclock: Command) -> None:
    for command in ("run", "compare", "list", "reproduce"):
        outcome = ackclock(command, "--help")
        assert outcome.code == 0
        assert f"ackclock {command} " in outcome.out.split("Examples")[1]
        assert "--json" in outcome.out
    assert "ackclock compare" in ackclock("--help").out


LIGHT = """
import sys
from ackclock.cli.app import main
sys.argv = ["ackclock", "--help"]
try:
    main()
except SystemExit:
    assert not {"markdown_it", "pygments"} & set(sys.modules)
from rich.markdown import Markdown
assert Markdown("*text*").parsed
"""


def test_help_loads_nothing_that_it_does_not_draw() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Simulate one scenario." in done.stdout


def test_the_help_of_the_program_has_a_sentence_of_each_command(ackclock: Command) -> None:
    found = " ".join(re.sub("[│─╭╮╰╯]", " ", ackclock("--help").out).split())
    for name in COMMANDS:
        said = load_command(name).help
        assert listed_command(name).help == said
        assert " ".join(said.split("\n\n")[0].split()) in found


def test_help_names_values_and_not_their_types(ackclock: Command) -> None:
    for command in ("", "run", "compare", "coexist", "crosscheck", "playground", "reproduce", "list"):
        assert not re.search(
            r"<(str|bool|path|list)|\.{4}|\.\.\.\]", ackclock(*command.split(), "--help").out
        )
    assert "Usage: ackclock compare [OPTIONS] [ALGORITHM]..." in ackclock("compare", "--help").out
    assert "[default: 0]" not in ackclock("playground", "--help").out
    listed = ackclock("list", "--help").out
    assert [kind for kind in LISTED if kind not in listed] == []


def test_version(ackclock: Command) -> None:
    assert ackclock("--version").out.startswith("ackclock ")


def test_compare_prints_a_table_and_writes_a_report(ackclock: Command, tmp_path: Path) -> None:
    outcome = ackclock("compare", "reno", "vegas", "--scenario", "small.toml")
    assert outcome.code == 0
    for words in ("reno", "vegas", "[kbit/s]", "results/small-compare/report.html"):
        assert words in outcome.out
    folder = tmp_path / "results" / "small-compare"
    assert (folder / "report.html").is_file()
    assert not (folder / "figures").exists()
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["small-compare"]


def test_figures_of_results_are_drawn_on_demand(ackclock: Command, tmp_path: Path) -> None:
    ackclock("compare", "reno", "vegas", "--scenario", "small.toml")
    folder = tmp_path / "results" / "small-compare"
    outcome = ackclock("figures", str(folder), "--figure-format", "png", "--width", "ieee-column")
    assert outcome.code == 0
    assert "results/small-compare/figures/" in outcome.out
    with Image.open(folder / "figures" / "window.png") as figure:
        assert figure.width == 700
    listed = (folder / "SHA256SUMS").read_text()
    assert "figures/window.png" in listed
    again = ackclock("compare", "reno", "vegas", "--scenario", "small.toml", "--no-report")
    assert again.code == 0  # figures drawn on demand belong to the results, and are replaced with them
    assert ackclock("figures", str(tmp_path)).code == 2


def test_compare_with_seeds_prints_intervals_and_differences(ackclock: Command) -> None:
    outcome = ackclock("compare", "reno", "vegas", "-s", "small.toml", "--seeds", "3", "--no-report")
    assert "±" in outcome.out
    assert "row minus column" in outcome.out
    assert "seeds 1 to 3" in outcome.out


def test_compare_without_names_compares_algorithms_of_today(ackclock: Command) -> None:
    outcome = ackclock("compare", "-s", "small.toml", "--no-report", "--json")
    assert json.loads(outcome.out)["labels"] == ["cubic", "bbr3", "rack+reno", "copa"]


def test_compare_uses_the_built_in_scenario(ackclock: Command) -> None:
    outcome = ackclock("compare", "reno", "--duration", "11 s", "--no-report", "--json")
    document = json.loads(outcome.out)
    assert document["scenario"]["name"] == "call-beside-download"
    assert document["scenario"]["duration_s"] == 11


def test_json_is_one_document_and_progress_goes_elsewhere(ackclock: Command) -> None:
    outcome = ackclock("run", "small.toml", "--json", "--seeds", "2", "--seed", "5")
    document = json.loads(outcome.out)
    assert document["command"] == "run"
    assert document["seeds"] == [5, 6]
    assert document["conserved"] is True
    assert document["report"] == "results/small-run/report.html"
    assert Path(document["report"]).is_file()
    assert [flow["name"] for flow in document["flows"]] == ["tcp", "udp"] * 2


def test_settings_change_the_scenario(ackclock: Command) -> None:
    def goodput(*more: str) -> float:
        outcome = ackclock("run", "small.toml", "--json", "--no-report", *more)
        return float(json.loads(outcome.out)["summary"]["small"]["goodput_bit_per_s"]["mean"])

    assert goodput("--set", "udp.0.rate=1.9 Mbit/s") < goodput() / 2


def test_run_prints_flows_and_links(ackclock: Command) -> None:
    outcome = ackclock("run", "small.toml", "--no-report", "--output", "elsewhere")
    assert "left->right" in outcome.out
    assert "elsewhere/tables" in outcome.out
    assert not Path("elsewhere/report.html").exists()


@pytest.mark.parametrize("what", LISTED)
def test_list(ackclock: Command, what: str) -> None:
    assert ackclock("list", what).code == 0
    entries = json.loads(ackclock("list", what, "--json").out)[what]
    assert isinstance(entries, list)
    if what == "algorithms":
        assert {"tahoe", "reno", "newreno", "sack", "vegas"} <= {entry["name"] for entry in entries}


# What a reader of burst-tcp, 3.3, looks for in each list.
SURVEYED = {
    "algorithms": """smooth adaptive gallop-vegas sctp xcp temporal ensemble fast-start spand network-adaptive
        t-tcp congestion-manager tcp-session fast-open smart-framing delayed-acks-after-slow-start
        initial-window early-retransmit limited-transmit""",
    "queues": "rio priority drop-priority",
    "transports": "tcp p-http sctp udp quinn noq acknak tfrc",
}


@pytest.mark.parametrize("what", SURVEYED)
def test_lists_have_what_the_thesis_surveys(ackclock: Command, what: str) -> None:
    names = set(SURVEYED[what].split())
    assert names <= {entry["name"] for entry in json.loads(ackclock("list", what, "--json").out)[what]}
    printed = {line.split()[0] for line in ackclock("list", what).out.splitlines() if line.strip()}
    assert names <= printed
    if what == "algorithms":
        assert "State that connections share: sharing of [tcp]" in ackclock("list", what).out


MISTAKES: dict[str, tuple[list[str], list[str]]] = {
    "mistyped command": (["comapre"], ["compare"]),
    "mistyped list": (["list", "algoritms"], ["algorithms"]),
    "mistyped kind": (["list", "topology"], ["topologies"]),
    "mistyped algorithm": (["compare", "tahoe", "vegsa"], ["vegsa", '"vegas"']),
    "recovery behind an algorithm": (["compare", "cubic+sack"], ["cubic+sack", '"sack+cubic"']),
    "recovery beside a transport": (["compare", "acknak+sack"], ["acknak takes the place of a recovery"]),
    "plusses of a name": (["compare", "hystart++"], ["hystart++", '"hystart"']),
    "name used elsewhere": (["compare", "ctcp"], ["ctcp", '"compound"']),
    "marks without marks": (["compare", "acknak+dctcp"], ["acknak+dctcp", "carry none"]),
    "half a switch": (["compare", "tfrc(discounting=0.5)"], ["discounting=0.5 must be 0 or 1"]),
    "part of an interval": (["compare", "tfrc(intervals=8.5)"], ["intervals=8.5 must be a whole number"]),
    "infinite growth": (["compare", "bic(b=inf)"], ["inf", "b must be from 1.1 to 1000"]),
    "algorithm twice": (["compare", "reno", "reno"], ["twice"]),
    "mistyped scenario": (["run", "two-megabyte"], ["two-megabyte", '"two-megabit"']),
    "mistyped paper": (["reproduce", "no-such-paper"], ["no-such-paper"]),
    "no such file": (["run", "missing.toml"], ["missing.toml", "no such file"]),
    "a folder": (["run", "."], ["folder"]),
    "no TOML": (["run", "broken.toml"], ["broken.toml"]),
    "binary": (["run", "binary.toml"], ["binary.toml", "UTF-8"]),
    "unknown key": (["run", "typo.toml"], ["typo.toml", "botleneck", '"bottleneck"']),
    "wrong unit": (["run", "small.toml", "--set", "tcp.mss=3 apples"], ["tcp.mss", "apples"]),
    "negative rate": (["run", "small.toml", "--set", "udp.0.rate=-1 Mbit/s"], ["udp", "-1 Mbit/s"]),
    "zero capacity": (
        ["run", "small.toml", "--set", "topology.dumbbell.bottleneck.rate=0 Mbit/s"],
        ["topology.dumbbell.bottleneck.rate"],
    ),
    "unknown setting": (["run", "small.toml", "--set", "tcp.msss=1"], ["tcp.msss", '"mss"']),
    "setting without value": (["run", "small.toml", "--set", "tcp.mss"], ["--set tcp.mss"]),
    "unreachable": (["run", "island.toml"], ["island.toml", "nowhere"]),
    "no seeds": (["run", "small.toml", "--seeds", "0"], ["--seeds"]),
    "output is a file": (["run", "small.toml", "--output", "small.toml"], ["small.toml", "cannot write"]),
    "output below a file": (["run", "small.toml", "--output", "small.toml/x"], ["cannot write"]),
    "somebody's folder": (["run", "small.toml", "--output", "thesis"], ["thesis", "did not write"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_message_and_exit_code_2(ackclock: Command, tmp_path: Path, mistake: str) -> None:
    (tmp_path / "broken.toml").write_text("name = ")
    (tmp_path / "binary.toml").write_bytes(bytes([0xFF, 0xFE, 0x00]))
    (tmp_path / "typo.toml").write_text(SCENARIO.replace("bottleneck", "botleneck"))
    (tmp_path / "island.toml").write_text(
        SCENARIO.replace("[[flow]]", '[[flow]]\nfrom = "src1"\nto = "nowhere"')
    )
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    before = sorted(tmp_path.rglob("*"))
    arguments, expected = MISTAKES[mistake]
    outcome = ackclock(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    for words in expected:
        assert words in outcome.err
    assert sorted(tmp_path.rglob("*")) == before


OWN = """
class Own:
    def __init__(self, start):
        self.cwnd = start.initial_window

    def on_ack(self, ack):
        self.grow()

    def grow(self):
        {grows}

    def on_congestion(self, event):
        self.cwnd = 1.0
"""


@pytest.mark.parametrize(
    ("grows", "said"),
    [
        (
            "self.cwnd += 1 / 0",
            [
                "own.py: ZeroDivisionError",
                "own.py, line 7, in on_ack",
                "own.py, line 10, in grow: self.cwnd += 1 / 0",
            ],
        ),
        (
            "self.cwnd = float('nan')",
            ["own.py: Own.cwnd, after on_ack: found nan; expected a finite number"],
        ),
    ],
)
def test_an_exception_of_a_class_of_ones_own_is_shown_by_its_lines(
    ackclock: Command, tmp_path: Path, grows: str, said: list[str]
) -> None:
    (tmp_path / "own.py").write_text(OWN.format(grows=grows))
    outcome = ackclock("compare", "reno", "own.py:Own", "--scenario", "small.toml", "--no-report")
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert [words for words in said if words not in outcome.err] == [], outcome.err
    assert not (tmp_path / "results").exists()


def test_tables_are_as_wide_as_columns_says(ackclock: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documentation promises it; a pipe had 120 columns whatever COLUMNS said."""
    for columns in (80, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words in ("list algorithms", "run small.toml --seeds 2 --no-report"):
            out = ackclock(*words.split()).out
            assert max(map(len, out.splitlines())) <= columns
            assert "…" not in out, "tables that are too wide come in several"


def test_a_note_of_several_tables_is_printed_once(ackclock: Command) -> None:
    out = ackclock("run", "small.toml", "--seeds", "2", "--no-report").out
    assert out.count("95 % confidence interval") <= 1


def test_figures_that_are_there_are_said_to_be(ackclock: Command, tmp_path: Path) -> None:
    """A sweep named a command that draws no sweep's figures."""
    (tmp_path / "plan.toml").write_text(
        'name = "plan"\nscenario = "small.toml"\nalgorithms = ["reno"]\nseeds = 1\n'
        '[grid]\n"tcp.mss" = ["500 bytes", "900 bytes"]\n'
    )
    assert "Figures  results/plan-sweep/figures/\n" in ackclock("sweep", "plan.toml").out
    assert (tmp_path / "results" / "plan-sweep" / "figures").is_dir()
    drawn = ackclock("compare", "reno", "--scenario", "small.toml", "--figure-format", "svg").out
    assert "Figures  results/small-compare/figures/\n" in drawn


def test_the_output_folder_is_tried_before_the_run(
    ackclock: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the simulation was started")

    monkeypatch.setattr("ackclock._native.run", never)
    assert ackclock("run", "small.toml", "--output", "small.toml/x").code == 2


def test_results_are_replaced_by_a_second_run(ackclock: Command, tmp_path: Path) -> None:
    assert ackclock("run", "small.toml", "--no-report").code == 0
    first = (tmp_path / "results/small-run/tables/flows.parquet").read_bytes()
    assert ackclock("run", "small.toml", "--no-report").code == 0
    assert (tmp_path / "results/small-run/tables/flows.parquet").read_bytes() == first


SIMULATED_S = 0.7
"""The processor time after which a run of the scenario above is long finished, on a busy machine too."""


def used_s(process: int) -> float:
    """The processor time of a process; the clock where a system does not tell it."""
    told = Path(f"/proc/{process}/stat")
    if not told.is_file():
        return time.monotonic()
    fields = told.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(
    arguments: list[str], folder: Path, signals: tuple[signal.Signals, ...] = (signal.SIGINT,)
) -> subprocess.CompletedProcess[str]:
    """Runs the program in a process of its own and sends it Ctrl-C once it simulates."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ackclock", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not list((folder / "results").glob(".*.partial")) and time.monotonic() < deadline:
        time.sleep(0.05)  # the program is still loading
    loaded_s = used_s(process.pid)
    while used_s(process.pid) < loaded_s + SIMULATED_S and time.monotonic() < deadline:
        time.sleep(0.05)
    for number in signals:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def test_a_scenario_above_its_memory_limit_is_one_sentence(ackclock: Command, tmp_path: Path) -> None:
    outcome = ackclock("run", "small.toml", "--set", 'memory_limit="1 kB"', "--output", "large")
    assert outcome.code == 2
    said = " ".join(outcome.err.split())
    assert "memory_limit: found a limit of 1 kB; flows, queues and time series take about" in said, (
        outcome.err
    )
    taken, unit, proposed = re.search(
        r'about ([\d.]+) ([kM]B) .* set memory_limit = "(\d+) \2"', said
    ).groups()  # type: ignore[union-attr]
    assert 0 < float(taken) <= int(proposed) < float(taken) + 1
    assert "Traceback" not in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"], "nothing is written"
    assert (
        ackclock("run", "small.toml", "--set", f'memory_limit="{proposed} {unit}"', "--no-report").code == 0
    )


@pytest.mark.parametrize(
    "signals", [(signal.SIGINT,), (signal.SIGINT, signal.SIGTERM), (signal.SIGTERM,), (signal.SIGHUP,)]
)
def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, signals: tuple[signal.Signals, ...]) -> None:
    if any(signal.getsignal(number) is signal.SIG_IGN for number in signals):
        pytest.skip("a signal is ignored here, as under nohup")
    (tmp_path / "small.toml").write_text(SCENARIO)
    arguments = ["run", "small.toml", "--seeds", "100000", "--no-report", "--json"]
    done = interrupted(arguments, tmp_path, signals)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "are kept in results/small-run" in done.stderr
    document = json.loads(done.stdout)
    assert document["interrupted"] is True
    assert 0 < len(document["seeds"]) < 100_000
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["small-run"]


def test_ctrl_c_while_a_report_is_written_says_what_is_left() -> None:
    with pytest.raises(Stopped, match="the report is not finished, but all runs are"), reporting():
        raise KeyboardInterrupt


def test_ctrl_c_elsewhere_is_one_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed(**_: object) -> None:
        raise KeyboardInterrupt

    application = sys.modules["ackclock.cli.app"]
    monkeypatch.setattr(application, "app", pressed)
    monkeypatch.setattr(application, "raise_on_termination", lambda: None)
    monkeypatch.setattr(application, "ignore", lambda: None)
    with pytest.raises(SystemExit) as end:
        application.main()
    assert (end.value.code, capsys.readouterr().err) == (130, "ackclock: interrupted\n")


@pytest.mark.parametrize("command", [["list", "algorithms"], ["run", "--help"]])
def test_a_closed_pipe_ends_the_program_as_sigpipe_does(command: list[str]) -> None:
    """Tables are printed by rich and help by the reader of arguments: both would end it with 1."""
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [sys.executable, "-m", "ackclock", *command]
    done = subprocess.run(arguments, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_ctrl_c_before_anything_is_finished_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SCENARIO)
    done = interrupted(["run", "small.toml", "--duration", "10000000 s", "--no-report"], tmp_path)
    assert done.returncode == 130
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "results").exists()
