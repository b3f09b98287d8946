"""A HAR file, in which a browser records the loading of a page, as the page of a scenario.

HAR 1.2 has the times, sizes and addresses of requests. `_initiator`, `_priority` and `_transferSize` are
additions of Chromium, and are used where they are there. A HAR file does not say which bytes of an object
mention another: an object that was asked for while its parent was arriving is taken to be mentioned in
the part that had arrived.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ackclock.errors import InputError
from ackclock.gzip_files import LARGEST_BYTES, bounded

__all__ = ["HarObject", "page", "toml"]

URGENCIES = {"VeryHigh": 0, "Highest": 0, "High": 1, "Medium": 2, "Low": 3, "VeryLow": 4, "Lowest": 4}
"""The urgency (RFC 9218) of each priority of Chromium: the order is Chromium's, the numbers are ours."""

DEFAULT_URGENCY = 3
LONGEST_NAME = 40


@dataclass(frozen=True)
class HarObject:
    """An object of a page, as `[[flow.page.objects]]` has it."""

    name: str
    size_bytes: int
    parent: str | None = None
    offset_bytes: int | None = None
    """The part of its parent that mentions it; None for the whole."""
    delay_s: float = 0.0
    urgency: int = DEFAULT_URGENCY
    incremental: bool = False
    visual: bool = False


@dataclass(frozen=True)
class _Entry:
    """A request that brought an object."""

    url: str
    size_bytes: int
    start_s: float
    first_byte_s: float
    end_s: float
    initiator: str | None
    priority: str
    mime: str


def page(path: str | Path) -> list[HarObject]:
    """The objects of the page in a HAR file, the document first. Raises InputError."""
    place = Path(path)
    data = bounded(place, f"larger than {LARGEST_BYTES} bytes; expected the HAR file of a page")
    try:
        log = json.loads(data)
        entries = log["log"]["entries"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{place}: no HAR file; expected JSON with log.entries, as browsers export it"
        ) from None
    if not isinstance(entries, list):
        raise InputError(f"{place}: log.entries: found {type(entries).__name__}; expected a list of requests")
    found = [entry for number, each in enumerate(entries) if (entry := _entry(place, number, each))]
    if not found:
        raise InputError(
            f"{place}: log.entries: found no response over the network; expected at least the page"
        )
    return _objects(sorted(found, key=lambda entry: entry.start_s))


def _entry(place: Path, number: int, entry: Mapping[str, Any]) -> _Entry | None:
    """The object that an entry brought over the network; None for redirects, failures and cached objects."""
    key = "startedDateTime"
    try:
        key = "startedDateTime"
        start_s = datetime.fromisoformat(entry[key]).timestamp()
        key = "request.url"
        url = str(entry["request"]["url"])
        key = "response"
        response = entry["response"]
        status, content = int(response["status"]), response.get("content", {})
        key = "timings"
        timings = entry["timings"]
        receive_s = max(float(timings.get("receive", 0)), 0) / 1e3
        total_s = max(float(entry["time"]), 0) / 1e3
        key = "response"
        size_bytes = _size(response, content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"{place}: log.entries.{number}.{key}: missing or of another form; expected an entry of HAR 1.2"
        ) from None
    if not url.startswith("http") or not 200 <= status < 300 or size_bytes <= 0:
        return None
    end_s = start_s + total_s
    return _Entry(
        url,
        size_bytes,
        start_s,
        end_s - receive_s,
        end_s,
        _initiator(entry.get("_initiator")),
        str(entry.get("_priority", "")),
        str(content.get("mimeType", "")),
    )


def _size(response: Mapping[str, Any], content: Mapping[str, Any]) -> int:
    """The bytes of a response on the wire; its content's if nothing else is known, 0 from a cache."""
    if response.get("_fromCache") or response.get("_transferSize") == 0:
        return 0
    if (moved := int(response.get("_transferSize") or -1)) > 0:
        return moved
    body, headers = int(response.get("bodySize", -1)), int(response.get("headersSize", -1))
    if body >= 0:
        return body + max(headers, 0)
    return int(content.get("size", 0))


def _initiator(initiator: object) -> str | None:
    """The address of what asked for an object: a document, a style sheet, or the latest script."""
    if not isinstance(initiator, dict):
        return None
    stack: object = initiator.get("stack")
    while isinstance(stack, dict):
        for call in stack.get("callFrames") or []:
            if isinstance(call, dict) and call.get("url"):
                return str(call["url"])
        stack = stack.get("parent")
    url = initiator.get("url")
    return str(url) if url else None


def _objects(entries: Sequence[_Entry]) -> list[HarObject]:
    """The objects of entries in the order of their requests, with what mentions them."""
    names = _names(entries)
    by_url: dict[str, int] = {}
    objects = []
    for number, entry in enumerate(entries):
        kind = entry.mime.split("/")[0]
        is_picture, is_document = kind == "image", entry.mime.startswith("text/html")
        facts: dict[str, Any] = {
            "urgency": URGENCIES.get(entry.priority, DEFAULT_URGENCY),
            "incremental": is_picture or is_document,
            "visual": is_picture or is_document or kind == "font" or "font" in entry.mime,
        }
        if number > 0:
            parent = by_url.get(entry.initiator or "", 0)
            facts |= {"parent": names[parent] if parent else None, **_mention(entries[parent], entry)}
        objects.append(HarObject(names[number], entry.size_bytes, **facts))
        by_url.setdefault(entry.url, number)
    return objects


def _mention(parent: _Entry, child: _Entry) -> dict[str, Any]:
    """The part of its parent that mentions an object, and the time from then to the request."""
    if child.start_s >= parent.end_s:
        return {"delay_s": child.start_s - parent.end_s}
    arriving_s = parent.end_s - parent.first_byte_s
    part = (child.start_s - parent.first_byte_s) / arriving_s if arriving_s > 0 else 0.0
    return {"offset_bytes": int(parent.size_bytes * min(max(part, 0.0), 1.0))}


def _names(entries: Sequence[_Entry]) -> list[str]:
    """A name for each object: the last part of its path, without the query, and a number where needed."""
    names: list[str] = []
    for number, entry in enumerate(entries):
        parts = urlsplit(entry.url)
        last = parts.path.rstrip("/").rpartition("/")[2] or parts.hostname or "document"
        name = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in last)[:LONGEST_NAME]
        names.append(name if name not in names else f"{name}~{number}")
    return names


def toml(objects: Sequence[HarObject]) -> str:
    """The objects as lines of a `[[flow]]`."""
    lines = []
    for number, each in enumerate(objects):
        lines += ["[[flow.page.objects]]", f'name = "{each.name}"', f'size = "{each.size_bytes} bytes"']
        if each.parent is not None:
            lines.append(f'parent = "{each.parent}"')
        if each.offset_bytes is not None and number > 0:
            lines.append(f'offset = "{each.offset_bytes} bytes"')
        if each.delay_s > 0:
            lines.append(f'delay = "{each.delay_s * 1e3:.3f} ms"')
        if each.urgency != DEFAULT_URGENCY:
            lines.append(f"urgency = {each.urgency}")
        lines += [f"{key} = true" for key in ("incremental", "visual") if getattr(each, key)]
        lines.append("")
    return "\n".join(lines)
