"""`ackclock evaluate --attack`: the section of the worst path found."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.attacks.attack import AttackInterrupted
from ackclock.cli.app import app
from ackclock.errors import InputError
from ackclock.evaluation import worst_paths
from ackclock.evaluation.evaluate import Evaluation, evaluate
from ackclock.evaluation.plan import EvaluationInterrupted


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of an evaluation with a search of some dozen paths."""
    made = tmp_path_factory.mktemp("evaluation")
    words = ["evaluate", "vegas", "--quick", "--only", "constrained", "--seeds", "1", "--attack"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worst_paths, "QUICK_BUDGET", "1 s")
        patch.setattr(worst_paths, "QUICK_SEEDS", 2)
        done = CliRunner().invoke(app, [*words, "--output", str(made)])
        assert done.exit_code == 0, done.output
        assert "The worst path found for its own flows" in done.output
        yield made


def evaluated(store: Path, **options: object) -> Evaluation:
    asked = {"only": ("constrained",), "quick": True, "seeds": 1, "attack": True}
    return evaluate("vegas", store, **{**asked, **options})  # type: ignore[arg-type]


def test_the_standard_is_another_algorithm() -> None:
    assert worst_paths.aims("vegas")["own"] == {"hurt": "goodput", "than": "rack+reno"}
    assert worst_paths.aims("rack+reno")["others"] == {"hurt": "cubic"}


def test_the_report_has_the_worst_path_in_every_form(folder: Path) -> None:
    document = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    own, others = document["worst_paths"]
    assert (own["aim"], others["aim"]) == ("own", "others")
    assert own["budget_simulated_s"] == 1500
    (found,) = own["findings"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    section = page.partition('<section id="worst-path">')[2].partition("</section>")[0]
    markdown = (folder / "evaluation.md").read_text(encoding="utf-8")
    assert "## The worst path found" in markdown
    for each in found["words"]:
        assert each in section
        assert f"- {each}" in markdown
    assert "<svg" in section
    assert "#tree=" in section
    assert (folder / "figures" / "worst-path-own.svg").is_file()
    assert ackclock.load_scenario(folder / own["scenario"]).algorithm_names()[0] == "vegas"


def test_an_evaluation_goes_on_from_the_runs_of_its_attacks(folder: Path) -> None:
    again = evaluated(folder / "store")
    assert (again.new_runs, [path.attack.new_runs for path in again.worst_paths]) == (0, [0, 0])
    document = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    shares = [path.attack.share for path in again.worst_paths]
    assert shares == pytest.approx([each["share"] for each in document["worst_paths"]])
    assert evaluated(folder / "store", attack=False).worst_paths == ()


def test_an_interrupted_attack_interrupts_the_evaluation(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise AttackInterrupted("interrupted after 3 runs")

    monkeypatch.setattr(worst_paths, "attack", stop)
    with pytest.raises(EvaluationInterrupted, match="3 runs"):
        evaluated(folder / "store")


def test_a_stack_has_no_attack(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not for quinn"):
        evaluated(tmp_path, stack="quinn")
