"""The page on what is published names every folder of it."""

from pathlib import Path

PUBLISHED = Path(__file__).resolve().parents[2] / "published"


def test_the_page_has_a_row_for_each_folder() -> None:
    page = (PUBLISHED / "README.md").read_text(encoding="utf-8")
    folders = [path.name for path in PUBLISHED.iterdir() if path.is_dir()]
    comparisons = [f"comparisons/{path.name}" for path in (PUBLISHED / "comparisons").iterdir()]
    rows = {"papers": "papers/<key>"}
    for folder in sorted({*folders, *comparisons} - {"comparisons"}):
        assert f"| `{rows.get(folder, folder)}/` |" in page, f"published/{folder}/ has no row"
