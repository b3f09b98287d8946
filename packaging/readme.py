"""Gives the README inside distributions absolute links: `python packaging/readme.py dist/*`.

In the repository its links and pictures are relative, so that it reads whole in any checkout. The package
index has no checkout: `make sdist` and `make wheel` run this on what they have built. Wheels of a release are
built from the source distribution, whose README then has absolute links already.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path

PAGES = "https://github.com/ackclock/ackclock/blob/main/"
FILES = "https://raw.githubusercontent.com/ackclock/ackclock/main/"
"""Where the repository shows a page, and where it serves a file such as a picture."""

RELATIVE_LINK = re.compile(r"(?P<text>(?P<picture>!?)\[[^\]]*\])\((?!https?://|#)(?P<path>[^)\s]+)\)")


def absolute(text: str) -> str:
    """The Markdown of the README with absolute links and pictures."""
    return RELATIVE_LINK.sub(
        lambda link: f"{link['text']}({FILES if link['picture'] else PAGES}{link['path']})", text
    )


def rewrite_source_distribution(path: Path) -> None:
    """Rewrites `README.md` and `PKG-INFO`, which repeats it, in an archive `.tar.gz`."""
    written = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=written, mode="w:gz") as new:
        for member in old:
            content = old.extractfile(member)
            data = content.read() if content else b""
            if member.name.count("/") == 1 and member.name.endswith(("/README.md", "/PKG-INFO")):
                data = absolute(data.decode()).encode()
                member.size = len(data)
            new.addfile(member, io.BytesIO(data))
    path.write_bytes(written.getvalue())


def rewrite_wheel(path: Path) -> None:
    """Rewrites `METADATA`, whose body is the README, and its line in `RECORD`."""
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.infolist()}
    metadata = next(member for member in members if member.filename.endswith(".dist-info/METADATA"))
    record = next(member for member in members if member.filename.endswith(".dist-info/RECORD"))
    old, new = members[metadata], absolute(members[metadata].decode()).encode()
    members[metadata] = new
    members[record] = members[record].replace(entry(old), entry(new))
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)


def entry(data: bytes) -> bytes:
    """The part of a line in `RECORD` that names hash and size."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return b"METADATA,sha256=" + digest + b",%d" % len(data)


def main() -> None:
    """Rewrites the distributions that the command line names."""
    for path in map(Path, sys.argv[1:]):
        if path.name.endswith(".tar.gz"):
            rewrite_source_distribution(path)
        elif path.suffix == ".whl":
            rewrite_wheel(path)
        else:
            raise SystemExit(f"{path} is neither a source distribution (.tar.gz) nor a wheel (.whl)")


if __name__ == "__main__":
    main()
