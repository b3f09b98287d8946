"""Draws the picture of the README, `python docs/behaviour/readme.py`: light, or dark where the page is."""

from __future__ import annotations

from pathlib import Path

import ackclock
from ackclock.report.figures import image

PICTURE = Path(__file__).parents[2] / "published" / "figures" / "windows.svg"
ABOUT = {"Title": "single-flow: cubic, bbr3, vegas"}
DARK = """  <style type="text/css">@media (prefers-color-scheme: dark) {
    [style*="fill: #ffffff"] { fill: #0d1117 !important }
    [style*="stroke: #000000"] { stroke: #c9d1d9 !important }
    [style*="stroke: #dddddd"] { stroke: #30363d !important }
    text, text tspan { fill: #e6edf3 !important }
  }</style>
"""


def main() -> None:
    """Writes the picture."""
    race = ackclock.compare(["cubic", "bbr3", "vegas"], "single-flow", series=True)
    svg = image(race.plot("window"), "svg", ABOUT).decode()
    PICTURE.write_text(svg.replace(" <defs>\n", f" <defs>\n{DARK}", 1), encoding="utf-8")


if __name__ == "__main__":
    main()
