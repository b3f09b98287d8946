"""A full disk is an error wherever it is met: before the tables are saved, and while the report is."""

import errno
from pathlib import Path

import pytest

import ackclock
from ackclock.errors import OutputError, is_of_disk
from ackclock.results_folder import ResultsFolder
from tests.package.test_recorded import SMALL


@pytest.mark.parametrize("full", ["write_text", "commit"])
def test_a_report_that_does_not_fit_is_no_success(
    full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = ackclock.run(SMALL)
    kept, calls = getattr(ResultsFolder, full), []

    def fails(folder: ResultsFolder, *arguments: object) -> object:
        calls.append(arguments)
        if (full == "write_text" and arguments[0] == "report.html") or (full == "commit" and len(calls) == 2):
            raise OSError(errno.ENOSPC, "No space left on device")
        return kept(folder, *arguments)

    monkeypatch.setattr(ResultsFolder, full, fails)
    with pytest.raises(OutputError, match=r"report: .*No space left on device; the tables are saved"):
        result.save(tmp_path / "results")
    assert (tmp_path / "results" / "tables" / "flows.parquet").is_file()


def test_an_error_made_of_a_full_disk_is_one_too() -> None:
    made = OutputError("results: cannot write results here: No space left on device")
    made.__context__ = OSError(errno.ENOSPC, "No space left on device")
    assert is_of_disk(made)
    assert not is_of_disk(OutputError("results: another process has replaced these results meanwhile"))
    assert not is_of_disk(FileNotFoundError(errno.ENOENT, "no font"))
