"""The door for algorithms of others: wrong files are refused in a sentence, right ones have their rows."""

from pathlib import Path

import pytest

import ackclock
from ackclock.errors import InputError
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.verdict import CLASSES
from verification import community

RIGHT = '''"""A window that never changes.

Author: A. Student
Source: none
Licence: MIT
"""

class Still:
    def __init__(self, start):
        self.cwnd = start.initial_window

    def on_ack(self, ack):
        pass

    def on_congestion(self, event):
        pass
'''

WRONG = {
    "no docstring": (RIGHT.partition('"""\n\n')[2], "has no docstring; it must have a title, and the lines"),
    "no licence": (RIGHT.replace("Licence: MIT\n", ""), 'the docstring lacks the line "Licence: .."'),
    "an empty author": (RIGHT.replace("A. Student", ""), 'the docstring lacks the line "Author: .."'),
    "no class": (
        RIGHT.partition("class")[0],
        "has no class with on_ack and on_congestion; it must have exactly",
    ),
    "no method": (RIGHT.replace("on_ack", "ack"), "has no class with on_ack and on_congestion"),
    "two classes": (
        RIGHT + RIGHT[RIGHT.index("class") :].replace("Still", "Again"),
        "has the classes Still, Again",
    ),
    "a clock": (RIGHT.replace('"""\n\nclass', '"""\nimport time\n\nclass'), 'imports "time"; it may import'),
    "a neighbour": (RIGHT.replace('"""\n\nclass', '"""\nfrom . import x\n\nclass'), 'imports "."'),
    "no Python": (RIGHT.replace("def on_ack", "on_ack"), "is no Python: invalid syntax"),
}


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_right_file_says_what_it_is(tmp_path: Path) -> None:
    entry = community.read(written(tmp_path, RIGHT))
    assert (entry.name, entry.cls, entry.author, entry.licence) == ("mine", "Still", "A. Student", "MIT")
    assert entry.title == "A window that never changes"


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    text, said = WRONG[case]
    with pytest.raises(InputError) as refused:
        community.read(written(tmp_path, text))
    assert str(refused.value).startswith(f"{tmp_path.name}/mine.py: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_command_refuses_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, WRONG["no licence"][0])
    monkeypatch.setattr(community, "FOLDER", tmp_path)
    monkeypatch.setattr(community.entries, "__defaults__", (tmp_path,))
    assert community.main([]) == 2
    assert "Licence" in capsys.readouterr().err


def test_a_changed_file_and_a_lost_file_are_told(tmp_path: Path) -> None:
    entry = community.read(written(tmp_path, RIGHT))
    assert community.stale([entry], {"mine": {"sha256": entry.sha256}}) == []
    old = entry.sha256
    changed = community.read(written(tmp_path, RIGHT + "\n"))
    assert community.stale([changed], {"mine": {"sha256": old}}) == [
        "community/mine.py has no row of this content: make community NAME=mine"
    ]
    assert "published/community/gone.json has no file" in community.stale([], {"gone": {}})[0]


def test_every_file_has_its_row() -> None:
    found, published = community.entries(), community.rows()
    assert found
    assert community.stale(found, published) == []
    for row in published.values():
        # A row is not renewed with the simulator, so that it may lack a criterion that came later.
        assert row["criteria"]
        assert set(row["criteria"]) <= {criterion.key for criterion in SUITES[DEFAULT].criteria}
        assert {each["class"] for each in row["criteria"].values()} <= set(CLASSES)
    # The tables have the criteria of the time when they were written.
    written = {
        name: (community.PUBLISHED / f"{name}.csv").read_text("utf-8") for name in ("table", "criteria")
    }
    for name, row in published.items():
        assert f"\n{name},{row['title']}," in written["table"]
        assert name in written["criteria"].partition("\n")[0].split(",")


@pytest.mark.parametrize("entry", community.entries(), ids=lambda entry: entry.name)
def test_every_file_runs(entry: community.Entry) -> None:
    """A flow of it delivers something on the plainest path, and loses less than it delivers."""
    scenario = ackclock.load_scenario("single-flow", {"duration": "3 s", "warm_up": "0 s"})
    flows = ackclock.run(scenario, algorithm=f"{entry.file}:{entry.cls}").tables["flows"]
    assert flows["packets_delivered"][0] > 100
    assert flows["packets_lost"][0] < flows["packets_delivered"][0]
