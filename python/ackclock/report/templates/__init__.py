"""The templates of reports, and the policy by which a report loads nothing and runs nothing else."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import math
import re
from importlib import resources

import jinja2

__all__ = ["environment", "html_page"]

FIRST = '<meta charset="utf-8">\n'
"""The beginning of the head of each page."""

SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@functools.cache
def environment() -> jinja2.Environment:
    """The templates of this package; values are escaped unless marked as HTML."""
    loader = jinja2.FunctionLoader(_source)
    made = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_unbroken,
    )
    made.filters["log2"] = math.log2
    made.filters["coded"] = _coded
    return made


def _coded(text: object) -> str:
    """A text as HTML, in which what stands between grave accents is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(str(text)))


def _unbroken(value: object) -> object:
    """A text whose numbers stay on one line: a browser breaks it at a thin space, as in 1 166."""
    return value.replace("\u2009", "\u202f") if isinstance(value, str) else value


def html_page(template: str, **values: object) -> str:
    """The text of an HTML page. Its policy lets it run the scripts of this package and `library`, no others.

    It may connect to nothing, whatever a name or a label in it says.
    """
    text = environment().get_template(template).render(**values)
    scripts = [*_scripts(), str(values.get("library", ""))]
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts if script)
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    meta = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
    )
    return text.replace(FIRST, FIRST + meta, 1)


@functools.cache
def _scripts() -> tuple[str, ...]:
    """The scripts of the templates. They have no values in them, which are data of their own."""
    names = sorted(file.name for file in resources.files(__package__).iterdir() if file.name.endswith(".j2"))
    found = (script for name in names for script in SCRIPT.findall(_source(name)))
    return tuple(script for script in found if "{{" not in script)


def _source(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
