"""`ackclock attack`: the space, the yardstick, the search, what is thrown away, and the folder."""

import base64
import itertools
import json
import math
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.attacks import documents
from ackclock.attacks.attack import Attack, attack, attack_problem, read_budget
from ackclock.attacks.documents import as_json
from ackclock.attacks.networks import table
from ackclock.attacks.objective import QUANTITIES, natural, read_where
from ackclock.attacks.replay import read_finding, replay
from ackclock.attacks.report import write
from ackclock.attacks.runner import Runner
from ackclock.attacks.shrink import rounded
from ackclock.attacks.space import BY_NAME, Key, Space, load_space
from ackclock.attacks.space import Path as Changes
from ackclock.attacks.states import stays
from ackclock.attacks.words import changes
from ackclock.attacks.yardstick import Yardstick
from ackclock.cli.app import app
from ackclock.errors import InputError
from ackclock.results_folder import ResultsFolder

PAYLOAD = 1460 / 1500

SMALL = {"budget": "2 s", "findings": 1, "seeds": 3}
"""A search of some hundred paths."""


class Fixed:
    """A window that nothing changes."""

    packets = 2.0

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = start.initial_window

    def on_ack(self, _: object) -> None:
        self.cwnd = self.packets

    def on_congestion(self, _: object) -> None:
        self.cwnd = self.packets


class Rude(Fixed):
    """A window far beyond the path."""

    packets = 400.0


def judged(
    algorithm: str, path: Changes, hurt: str = "goodput", duration_s: float = 40.0, seed: int = 1
) -> float:
    problem = attack_problem([algorithm], hurt)
    return problem.judge(Runner(), [path], (seed,), duration_s)[0][seed].share


def test_the_plain_path_has_no_changes() -> None:
    space = Space()
    assert space.path([0.0] * space.dimensions) == {}
    tree = table({}, 40.0)
    ackclock.load_scenario(tree)
    assert "udp" not in tree


def test_every_change_is_a_scenario_that_can_be_read() -> None:
    for name, change in BY_NAME.items():
        for share in (0.0, 0.5, 0.999):
            path = Space().held({name: {key.name: key.at(share) for key in change.keys}})
            problem = attack_problem(["cubic"])
            problem.trial(path, "cubic", 1, 40.0)


def test_no_delay_is_below_what_the_path_has() -> None:
    """Packets that happened not to be late have a shorter round trip than the latest may have."""
    assert natural("delay", 2.0, {}) == natural("completion", 1.1, {}) == 1.0
    assert natural("delay", 0.25, {}) == 4.0


def test_one_segment_is_singular() -> None:
    assert changes({"delayed-acks": {"segments": "1"}}) == ["an acknowledgment for 1 segment"]


def test_a_path_has_no_more_changes_than_the_constraint_permits() -> None:
    space = Space()
    assert len(space.path([1.0] * space.dimensions)) == space.constraint.changes


def test_datagrams_keep_to_their_mean_share() -> None:
    path = Space().held({"bursts": {"share": 2.0, "on": 2000.0, "every": 2000.0}})
    bursts = path["bursts"]
    mean = float(bursts["share"]) * float(bursts["on"]) / float(bursts["every"])
    assert mean == pytest.approx(Space().constraint.bursts)


@pytest.mark.parametrize(
    ("path", "mbit"),
    [
        ({}, 10.0),
        ({"policer": {"share": 0.5, "kilobytes": 100.0}}, 5.0),
        ({"outage": {"seconds": 4.0, "at": 10.0}}, 9.0),
        ({"rate-step": {"factor": 0.5, "at": 20.0}}, 7.5),
        ({"flows": {"count": 4.0}}, 2.5),
        # All datagrams arrive, those that the buffer holds among them.
        ({"bursts": {"share": 2.0, "on": 100.0, "every": 1000.0}}, 8.0),
        ({"competitors": {"algorithm": "cubic", "count": 1.0, "at": 20.0}}, 7.5),
        # 20 packets of 1460 bytes in each 40 ms.
        ({"receive-window": {"packets": 20.0}}, 20 * 1460 * 8 / 0.04 / 1e6 / PAYLOAD),
    ],
    ids=["plain", "policer", "outage", "rate-step", "flows", "bursts", "competitors", "receive-window"],
)
def test_the_yardstick_is_what_the_path_has(path: Changes, mbit: float) -> None:
    mean = Yardstick(path, 40.0).of_a_flow().mean() / 1e6
    assert mean == pytest.approx(mbit * PAYLOAD, rel=0.01)


def test_the_omniscient_sender_has_what_the_yardstick_says() -> None:
    """The control of the search: what it finds is the algorithm's, not the path's."""
    done = attack("omniscient", **SMALL)  # type: ignore[arg-type]
    assert done.findings == ()
    assert done.worst is not None
    assert done.worst.share > 0.95


def test_a_rude_algorithm_is_found_and_a_harmless_one_is_not(tmp_path: Path) -> None:
    space = tmp_path / "attack.toml"
    space.write_text("duration_s = 10\n[space]\nrate = { mbit = [2, 10] }\nflows = false\n")
    options = {"hurt": "rack+reno", "space": space, "budget": "0.5 s", "findings": 1, "seeds": 2}
    rude = attack(Rude, **options)  # type: ignore[arg-type]
    assert rude.share < 0.3
    harmless = attack(Fixed, **options)  # type: ignore[arg-type]
    assert harmless.findings == ()


def test_the_outcome_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    one = attack("vegas", tmp_path / "one", workers=1, **SMALL)  # type: ignore[arg-type]
    two = attack("vegas", tmp_path / "two", workers=2, **SMALL)  # type: ignore[arg-type]
    assert json.dumps(as_json(one)) == json.dumps(as_json(two))
    again = attack("vegas", tmp_path / "one", workers=2, **SMALL)  # type: ignore[arg-type]
    assert again.new_runs == 0
    assert json.dumps(as_json(again)) == json.dumps(as_json(one))


def test_an_interrupted_attack_goes_on_from_its_runs(tmp_path: Path) -> None:
    def stop(done: float, total: float, _: str) -> None:
        if done > total / 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attack("vegas", tmp_path, progress=stop, **SMALL)  # type: ignore[arg-type]
    rest = attack("vegas", tmp_path, **SMALL)  # type: ignore[arg-type]
    phases: list[str] = []
    whole = attack("vegas", progress=lambda _, __, said: phases.append(said.partition(":")[0]), **SMALL)  # type: ignore[arg-type]
    assert 0 < rest.new_runs < whole.new_runs
    assert rest.share == whole.share
    named = [name for name, _ in itertools.groupby(phases)]
    assert named[0].startswith("search")
    assert named[1:3] == ["making it small", "checking it on other seeds"]


def of_one_seed(result: ackclock.Result) -> float:
    """A damage that the first seed alone has."""
    return 0.1 if result.seed == 1 else 1.0


def test_what_holds_on_one_seed_alone_is_thrown_away() -> None:
    done = attack("cubic", objective=of_one_seed, budget="0.3 s", findings=1, seeds=4)
    assert done.findings == ()
    assert [finding.held for finding in done.thrown_away] == [0] * len(done.thrown_away)
    assert done.thrown_away


def test_a_finding_is_small_and_round() -> None:
    """Vegas takes a longer path for a queue (Mo, La, Anantharam and Walrand, INFOCOM 1999)."""
    done = attack("vegas", **SMALL)  # type: ignore[arg-type]
    finding = done.finding
    assert finding is not None
    assert len(finding.path) <= 3
    for values in finding.path.values():
        for value in values.values():
            assert isinstance(value, str) or value == float(f"{value:.2g}")
    assert finding.held >= 3 * 0.8


def test_roundings_are_the_plainest_first() -> None:
    key = Key("packets", "packets", 4, 2000, is_whole=True)
    assert list(rounded(37.0, key)) == [50.0, 40.0, 37.0]
    assert list(rounded(6.0, key)) == [5.0, 6.0, 6.0]


def test_a_condition_compares_quantities() -> None:
    where = read_where("bbr1.loss > 0.1 and bbr1.goodput < 0.5 * cubic.goodput", ["bbr1", "cubic"])
    assert where.labels == ("bbr1", "cubic")
    values = {"bbr1": {"loss": 0.2, "goodput": 0.3}, "cubic": {"goodput": 0.8}}
    assert where.share(values) == pytest.approx(0.3 / 0.4)
    values["bbr1"]["loss"] = 0.05
    assert where.share(values) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hurt": "godput"}, 'hurt: found "godput"; did you mean "goodput"?'),
        ({"hurt": "goodput", "where": "cubic.loss > 0"}, "an attack has one objective"),
        ({"differ": "delay"}, "expected two"),
        ({"where": "cubic.goodput"}, "no condition"),
        ({"where": "cubic.speed < 1"}, 'no quantity is named "speed"'),
        ({"where": "bbr9.goodput < 1"}, 'named "bbr9"'),
        ({"budget": "2 minutes"}, 'budget: found "2 minutes"'),
        ({"optimiser": "luck"}, 'no optimiser is named "luck"'),
    ],
)
def test_wrong_arguments_are_refused_before_the_search(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        attack("cubic", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[spice]\n", 'no key is named "spice"; did you mean "space"'),
        ("[space]\nbufer = false\n", 'no change is named "bufer"; did you mean "buffer"'),
        ("[space]\nbuffer = 3\n", "expected true, false or a table of bounds"),
        ("[space.buffer]\npacket = [1, 2]\n", 'no key is named "packet"'),
        ("[space.buffer]\npackets = [0, 2]\n", "expected positive numbers"),
        ("[space.queue]\ndiscipline = 3\n", "expected a list of names"),
        ("[constraint]\nchanges = 'two'\n", "expected a positive number"),
        ("duration_s = 1\n", "expected 5 to 600 seconds"),
        ("duration_s =\n", "cannot be read as TOML"),
    ],
)
def test_a_wrong_space_is_refused_with_its_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "attack.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as raised:
        load_space(file)
    assert str(file) in str(raised.value)


def test_a_budget_is_counted_in_simulated_time() -> None:
    assert read_budget("1 min") == 90_000.0
    done = attack("reno", budget="1 s", findings=1, seeds=1)
    assert done.simulated_s == pytest.approx(1500.0, rel=1.0)


def test_the_command_writes_a_folder_that_replays(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    words = ["attack", "vegas", "--budget", "2 s", "--findings", "1", "--seeds", "3", "--output", str(folder)]
    done = CliRunner().invoke(app, [*words, "--json", "--fail-below", "0.9"])
    assert done.exit_code == 1, done.output
    document = json.loads(done.stdout)
    assert document["schema"] == "ackclock-attack/1"
    found = document["findings"][0]
    assert replay(folder / "finding.toml") == pytest.approx(found["share"])
    assert found["parts_at_s"] > 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    (letters,) = set(re.findall(r"#tree=([\w-]+)", page))
    shared = zlib.decompress(base64.urlsafe_b64decode(letters + "=="), -zlib.MAX_WBITS)
    scenario = ackclock.load_scenario(folder / "scenario.toml")
    assert scenario.algorithm_names() == ["vegas"]
    assert json.loads(shared) == json.loads(scenario.to_json())
    failing = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", "test_finding.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert failing.returncode == 1, failing.stdout + failing.stderr
    assert "failed" in failing.stdout


def test_a_class_of_ones_own_replays_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = [
        "class Still:",
        "    def __init__(self, start):",
        "        self.cwnd = start.initial_window",
        "    def on_ack(self, ack):",
        "        self.cwnd = 5.0",
        "    def on_congestion(self, event):",
        "        self.cwnd = 5.0",
    ]
    Path("mine.py").write_text("\n".join(text))
    space = Path("attack.toml")
    space.write_text("duration_s = 5\n[constraint]\nchanges = 1\n")
    words = ["attack", "mine.py:Still", "--space", str(space), "--budget", "0.1 s", "--findings", "1"]
    done = CliRunner().invoke(app, [*words, "--seeds", "2", "--json"])
    assert done.exit_code == 0, done.output
    out = Path("results/still-attack")  # as evaluate and conform name their folders
    share = json.loads(done.stdout)["findings"][0]["share"]
    Path("mine.py").unlink()
    assert replay(out / "finding.toml") == pytest.approx(share)
    assert ackclock.run(out / "scenario.toml").flows["algorithm"][0].endswith("mine.py:Still")
    assert replay(out / "finding.toml", "cubic") > share


def test_a_finding_of_an_unknown_change_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "finding.toml"
    file.write_text('algorithms = ["cubic"]\n[path]\nbufer = { packets = 3 }\n')
    with pytest.raises(InputError, match='no change is named "bufer"'):
        read_finding(file)


def test_python_offers_it() -> None:
    assert ackclock.attack is attack
    assert ackclock.Attack is Attack


def test_the_plain_path_is_no_attack() -> None:
    assert judged("cubic", {}) > 0.95
    assert judged("cubic", {}, "loss") > 0.98


def test_bounds_of_coordinates_do_not_matter() -> None:
    space = Space()
    points = ([-1.0, 2.0] * space.dimensions)[: space.dimensions]
    assert space.path(points) == space.path([min(max(each, 0.0), 1.0) for each in points])


class Told:
    """A run that is told, not simulated: ten seconds of slow start with half of the rate, then all of it."""

    tables: ClassVar[dict[str, object]] = {}

    def __init__(self) -> None:
        self.times = np.arange(1, 401) / 10
        self.is_early = self.times <= 10

    def columns(self, name: str) -> dict[str, np.ndarray]:
        if name == "flows":
            return {"flow": np.array([0]), "algorithm": np.array(["reno"]), "start_s": np.array([0.0])}
        rate = 10e6 * PAYLOAD
        return {
            "flow": np.zeros(400),
            "time_s": self.times,
            "goodput_bit_per_s": np.where(self.is_early, rate / 2, rate),
            "cwnd_packets": np.full(400, 20.0),
            "ssthresh_packets": np.where(self.is_early, math.inf, 10.0),
        }


def test_what_a_stay_in_slow_start_loses_is_taken_off_the_run() -> None:
    found = stays(Told(), np.array([0]))  # type: ignore[arg-type]
    assert (found["stay_slow-start_begin_s"], found["stay_slow-start_end_s"]) == (0, 10)
    row = {f"own_{key}": value for key, value in found.items()}
    # Half of the rate for ten seconds of forty.
    assert QUANTITIES["state"].share(row, Yardstick({}, 40.0)) == pytest.approx(1 - 5 / 40)


def test_a_flow_that_has_not_begun_stays_in_no_state() -> None:
    assert judged("cubic", {"latecomer": {"at": 20.0}}, "state") > 0.95


def test_packets_come_later_and_later() -> None:
    path = Space().held({"reordering-growth": {"share": 0.1, "ms": 100.0, "by": 10.0}})
    tree: Any = table(path, 40.0)
    link = tree["topology"]["dumbbell"]["bottleneck"]
    steps = [(float(at.split()[0]), float(delay.split()[0])) for at, delay in link["delay"]["steps"]]
    assert [delay for at, delay in steps if at == 5.0] == [20 + 50]
    assert [delay for at, delay in steps if at == 5.05] == [20]
    assert max(delay for _, delay in steps) == 20 + 100
    assert link["impairments"] == ["overtaking"]


def test_reordering_grows_no_faster_than_the_constraint_permits() -> None:
    path = Space().held({"reordering-growth": {"share": 0.1, "ms": 300.0, "by": 2.0}})
    assert path["reordering-growth"]["ms"] == 2 * Space().constraint.growth


def test_packets_that_come_too_late_cost_rack_more_than_sack() -> None:
    path: Changes = {"reordering-growth": {"share": 0.05, "ms": 100.0, "by": 10.0}}
    assert judged("rack+reno", path) < 0.7 * judged("sack+reno", path)


def law(algorithm: str, spec: str, path: Changes) -> float:
    problem = attack_problem([algorithm], breaks=spec)
    return problem.judge(Runner(measure=problem.measure), [path], (1,), 40.0)[0][1].share


def test_a_law_is_broken_by_as_much_as_its_bound_is_passed() -> None:
    """BBR 3 has ten times the rate as its maximum, of which 1.25 times would be within the law."""
    stale: Changes = {"buffer": {"packets": 1000.0}, "rate-step": {"factor": 0.1, "at": 5.0}}
    assert law("bbr3", "bbr", stale) == pytest.approx(1.25 / 10, rel=0.02)
    assert law("bbr3", "bbr", {}) > 1


def test_flows_of_ledbat_add_their_targets() -> None:
    """The latecomer takes the queue of 100 ms for the path, and adds its own; the law is 125 ms."""
    late: Changes = {"buffer": {"packets": 600.0}, "latecomer": {"at": 10.0}}
    assert law("ledbat", "ledbat", late) == pytest.approx(125 / 200, rel=0.1)
    assert law("ledbat", "ledbat", {"buffer": {"packets": 600.0}}) > 1


def test_the_row_for_a_specification_names_the_case(tmp_path: Path) -> None:
    space = tmp_path / "attack.toml"
    others = "".join(f"{name} = false\n" for name in BY_NAME if name not in ("latecomer", "buffer"))
    space.write_text(f"[space]\nlatecomer = true\nbuffer = {{ packets = 600 }}\n{others}")
    done = attack("ledbat", breaks="ledbat", space=space, budget="0.5 s", findings=1, seeds=2)
    assert done.finding is not None
    assert documents.row_key(done) == "ledbat/target"
    assert "125 ms" in documents.row_rule(done)
    folder = ResultsFolder(tmp_path / "out", ("attack",))
    with folder as opened:
        write(done, opened)
    assert replay(tmp_path / "out" / "finding.toml") == pytest.approx(done.share)


def test_a_law_needs_its_gauges() -> None:
    with pytest.raises(InputError, match="cubic offers no gauge bbr3_state"):
        attack("cubic", breaks="bbr", budget="0.1 s")
    with pytest.raises(InputError, match="there are laws of bbr, ledbat"):
        attack("cubic", breaks="cubic", budget="0.1 s")


def test_harm_on_a_path_that_harms_by_itself_does_not_count() -> None:
    """The competitor begins in an outage that lasts to the end: nobody gives it anything."""
    path: Changes = {
        "outage": {"seconds": 5.0, "at": 7.5},
        "competitors": {"algorithm": "rack+reno", "count": 1.0, "at": 7.5},
    }
    assert judged("cubic", path, "rack+reno", 10.0) >= 1


def test_a_cluster_finds_the_same_also_after_it_was_stopped(tmp_path: Path) -> None:
    distributed: Any = pytest.importorskip("distributed")
    space = tmp_path / "attack.toml"
    space.write_text("duration_s = 10\n")
    small = {"budget": "0.6 s", "findings": 1, "seeds": 2, "breaks": "ledbat", "space": space}

    def stop(done: float, total: float, _: str) -> None:
        if done > total / 4:
            raise KeyboardInterrupt

    inside = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(protocol="tcp://", **inside) as cluster:
        address = cluster.scheduler_address
        with pytest.raises(KeyboardInterrupt):
            attack("ledbat", tmp_path, address=address, progress=stop, **small)  # type: ignore[arg-type]
        there = attack("ledbat", tmp_path, address=address, **small)  # type: ignore[arg-type]
    here = attack("ledbat", **small)  # type: ignore[arg-type]
    assert 0 < there.new_runs < here.new_runs
    assert json.dumps(as_json(there)) == json.dumps(as_json(here))


@pytest.mark.parametrize("mistake", [["--budget", "3"], ["--hurt", "latency"], ["--differ", "delay"]])
def test_a_command_that_is_refused_says_nothing_of_replacing(mistake: list[str], tmp_path: Path) -> None:
    facts = {"result": {"what": "attack"}, "making": {"command": "ackclock attack reno"}}
    (tmp_path / "provenance.json").write_text(json.dumps(facts), encoding="utf-8")
    done = CliRunner().invoke(app, ["attack", "cubic", *mistake, "--output", str(tmp_path)])
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith(f"{mistake[0]}: ")
    assert "will replace" not in done.output
