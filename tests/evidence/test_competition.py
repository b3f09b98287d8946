"""The competition: paths are those of the seed, scores those of the runs, and a broken class has none."""

import math
import re
import sys
import time
from pathlib import Path

import pytest

import ackclock
from ackclock.cli.app import main
from ackclock.cli.progress import ProgressBar
from ackclock.evaluation import competition
from ackclock.runs import crew

SILENT = '''"""A window of a fixed size.

Author: <b>A. Student</b>
Source: none
Licence: MIT
"""

class Fixed:
    def __init__(self, start):
        self.cwnd = 4.0

    def on_ack(self, ack):
        pass

    def on_congestion(self, event):
        pass
'''


def called(arguments: list[str]) -> int:
    """The exit code of the program."""
    before = sys.argv
    sys.argv = ["ackclock", *arguments]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.argv = before
    return 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "classes"
    made.mkdir()
    (made / "fixed.py").write_text(SILENT, encoding="utf-8")
    broken = SILENT.replace("Fixed", "Broken").replace("        pass", "        return 1 / 0")
    (made / "broken.py").write_text(broken, encoding="utf-8")
    return made


def test_a_board_has_everybody_by_score_and_the_seed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "board.html"
    arguments = ["competition", str(folder), "--seed", "7", "--paths", "2", "--output", str(page)]
    assert called(arguments) == 0
    said = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"0\.000  broken  \(on path 1: ZeroDivisionError: .*\)", said[-2])
    assert "(broken.py, line 13, in on_ack: return 1 / 0)" in said[-2]
    text = page.read_text(encoding="utf-8")
    places = re.findall(r"<tr><td>(\d)</td><td>([\w+]+)</td><td>(.*?)</td><td>([\d.]+)</td>", text)
    assert {name for _, name, _, _ in places} == {"rack+reno", "cubic", "fixed", "broken"}
    scores = [float(score) for *_, score in places]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == 0.0
    assert "&lt;b&gt;A. Student&lt;/b&gt;" in text, "an author writes no HTML"
    assert text.count("<td>–</td>") == 2, "on the paths that a broken class does not finish"
    assert f"<code>7</code>; its checksum <code>{competition.checksum(7)}</code>" in text
    again = tmp_path / "again.html"
    assert called([*arguments[:-1], str(again)]) == 0
    assert again.read_bytes() == page.read_bytes()


def test_a_window_below_the_path_scores_its_share_of_the_link(folder: Path) -> None:
    """Four packets of 1500 bytes per round trip leave no queue: the score is their rate, of the link's."""
    fixed = next(each for each in competition.contenders(folder) if each.name == "fixed")
    # A path that holds more than four packets, and loses none at random.
    seed = 3
    [path] = competition.run_all("drawn-paths", [seed], [fixed])
    held = path.rate_bit_per_s * path.least_rtt_s / (1500 * 8)
    assert held > 8
    assert fixed.score == pytest.approx(4 / held, rel=0.05)


def test_files_that_cannot_take_part_have_rows_that_say_why(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One such file ended the competition, and thirty of them one after the other."""
    (folder / "syntax.py").write_text("class Fixed(:\n", encoding="utf-8")
    (folder / "nameless.py").write_text(SILENT.replace("Author", "Writer"), encoding="utf-8")
    page = tmp_path / "board.html"
    arguments = ["competition", str(folder), "--seed", "7", "--paths", "1", "--output", str(page)]
    assert called(arguments) == 0
    said = capsys.readouterr().out
    assert "0.000  syntax  (classes/syntax.py: is no Python: invalid syntax (syntax.py, line 1))" in said
    assert '0.000  nameless  (classes/nameless.py: the docstring lacks the line "Author: ..")' in said
    text = page.read_text(encoding="utf-8")
    assert text.count('<tr class="failed">') == 3, "broken, nameless and syntax"
    assert "is no Python: invalid syntax (syntax.py, line 1)</td>" in text


def test_time_for_a_class_that_does_not_return_says_nothing_of_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    told: list[tuple[float, float, str, float]] = []
    pace = competition.Pace(2, lambda *told_of: told.append(told_of))
    pace.begin(0.0, "quick on path 1")
    clock[0] = 2.0
    pace.end(failed=False)
    pace.begin(0.5, "endless on path 1")
    clock[0] = 3.0
    pace.tell()
    assert told[-1] == (0.5, 2, "endless on path 1", 0.0)
    clock[0] = 62.0
    pace.tell()
    assert math.isnan(told[-1][3])
    assert (
        told[-1][2]
        == "endless on path 1 for 60 s, 0% of its run; a call that does not return ends after 60 s"
    )
    pace.tell(3.0, 60.0)
    assert "for 60 s, 5% of its run" in told[-1][2]
    pace.end(failed=True)
    pace.begin(1.0, "quick on path 2")
    assert told[-1] == (1.0, 2, "quick on path 2", 60.0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--scenario", "single-flow"], "single-flow: has no table [draw]"),
        (["--paths", "0"], "--paths: found 0; it must be at least 1"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(
    more: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(["competition", str(folder), "--seed", "1", *more]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert called(["competition", "nofolder", "--seed", "1"]) == 2
    assert "nofolder: there is no such folder" in capsys.readouterr().err
    assert called(["competition", __file__, "--seed", "1"]) == 2
    assert "is a file; expected the folder in which it is" in capsys.readouterr().err


def test_a_line_of_progress_has_no_time_left_that_is_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    bar = ProgressBar("Competing")
    for paused in (15.0, math.nan):
        clock[0] += 20.0
        bar.tell(0.5, 2, "anna on path 1", paused)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Competing")]
    assert lines == ["Competing: 25%, about 15 s left; anna on path 1", "Competing: 25%; anna on path 1"]


def test_a_drawn_seed_is_bound_by_its_checksum(capsys: pytest.CaptureFixture[str]) -> None:
    assert called(["competition"]) == 0
    kept, published = re.findall(r": +(\w+)", capsys.readouterr().out)
    assert competition.checksum(int(kept)) == published
    assert competition.checksum(int(kept) + 1) != published
    ackclock.load_scenario("drawn-paths", {"seed": kept})
    assert called(["competition", "--seed", kept]) == 0
    assert published in capsys.readouterr().out, "everybody can check it afterwards"


def test_a_file_that_is_no_board_is_left_alone(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "notes.html"
    page.write_text("notes", encoding="utf-8")
    assert called(["competition", str(folder), "--seed", "1", "--paths", "1", "--output", str(page)]) == 2
    assert "is there and is no board" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == "notes"


@pytest.mark.parametrize(
    ("place", "said"), [("made", "is a folder"), ("/proc/board.html", "cannot be written")]
)
def test_a_board_without_a_place_is_refused_before_the_runs(
    place: str,
    said: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It was a traceback after all runs."""
    monkeypatch.setattr(competition, "run_all", lambda *_: pytest.fail("the runs have begun"))
    (tmp_path / "made").mkdir()
    assert called(["competition", str(folder), "--seed", "1", "--output", str(tmp_path / place)]) == 2
    assert said in capsys.readouterr().err


def test_the_folder_of_a_board_is_made(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "sub" / "board.html"
    assert called(["competition", str(folder), "--seed", "7", "--paths", "1", "--output", str(page)]) == 0
    assert page.is_file()


def test_a_class_that_does_not_return_has_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = SILENT.replace("Fixed", "Endless").replace("        pass", "        while True: pass", 1)
    (folder / "endless.py").write_text(endless, encoding="utf-8")
    monkeypatch.setattr(crew, "CALL_S", 0.3)
    field = competition.contenders(folder)
    competition.run_all("drawn-paths", [7], field)
    found = {each.name: each for each in field}
    assert "on_ack, line 13 of endless.py, has not returned" in found["endless"].failed
    assert found["endless"].score == 0 < found["fixed"].score


def test_an_interrupted_competition_says_that_there_is_no_board(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(competition, "run_all", interrupted)
    page = tmp_path / "board.html"
    assert called(["competition", str(folder), "--seed", "1", "--output", str(page)]) == 130
    assert "no board was written" in capsys.readouterr().err
    assert not page.exists()


ENDLESS = SILENT.replace("Fixed", "Endless").replace("        pass", "        self.cwnd = 1e9")


def test_a_window_without_end_is_stopped_by_its_events(folder: Path) -> None:
    """It took minutes on one path. The events are those of the run, so every computer stops it there."""
    (folder / "endless.py").write_text(ENDLESS, encoding="utf-8")
    said = []
    for _ in range(2):
        field = competition.contenders(folder)
        competition.run_all("drawn-paths", [7], field)
        found = {each.name: each for each in field}
        said.append(found["endless"].failed)
        assert not found["fixed"].failed
    assert re.fullmatch(
        r"on path 1: stopped at [\d.]+ s of 30 s, after 25 times the events that fill the link: .*", said[0]
    )
    assert said[0] == said[1]


LOSSY, RATE = 5, 33.31e6
"""The seed of a path of `drawn-paths` with random losses, and its rate in bit/s."""


@pytest.mark.parametrize("sent", [0.95, 1.5])
def test_a_class_that_fills_a_lossy_link_is_within_the_budget(sent: float, folder: Path) -> None:
    """The references use a part of the link, and their events are scaled to all of it."""
    paced = SILENT.replace("Fixed", "Paced").replace("self.cwnd = 4.0", "self.cwnd = start.initial_window")
    acted = f"        self.cwnd, self.pacing_rate = 1e4, {sent} * {RATE} / 12e3\n"
    (folder / "paced.py").write_text(paced.replace("        pass\n", acted), encoding="utf-8")
    field = [each for each in competition.contenders(folder) if each.name in ("rack+reno", "cubic", "paced")]
    [path] = competition.run_all("drawn-paths", [LOSSY], field)
    assert path.rate_bit_per_s == pytest.approx(RATE, rel=1e-3)
    reno, _, mine = field
    assert not mine.failed
    assert reno.score < 0.5 < mine.score + 0.5 * (sent > 1)


def test_what_is_finished_before_an_interrupt_is_on_the_board(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = competition.run_all

    def interrupted(
        scenario: str, seeds: list[int], field: list[competition.Contender], *_: object
    ) -> object:
        def tell(done: float, *_: object) -> None:
            if done >= 1:
                raise KeyboardInterrupt

        return whole(scenario, seeds, field, tell)

    monkeypatch.setattr(competition, "run_all", interrupted)
    page = tmp_path / "board.html"
    arguments = ["competition", str(folder), "--seed", "7", "--paths", "3", "--output", str(page)]
    assert called(arguments) == 130
    assert "interrupted: 1 of 3 paths were finished and are on the board" in capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert "The board goes by the mean over 1 path. It was interrupted: 3 paths were to be run." in text
    assert text.count("<td>1</td>") == 2, "a place, and a path"


def test_of_two_classes_in_a_file_none_is_taken(folder: Path) -> None:
    """The second has the methods of the first: the first ran, without a word."""
    heir = "\n\nclass Heir(Fixed):\n    def on_ack(self, ack):\n        self.cwnd = 8.0\n"
    (folder / "heir.py").write_text(SILENT + heir, encoding="utf-8")
    found = {each.name: each for each in competition.contenders(folder)}
    assert (
        "has the classes Fixed, Heir with on_ack and on_congestion; it must have exactly one"
        in found["heir"].failed
    )
