"""Trims a log to what congestion control needs, without a change of its format.

python tests/qlogs/trim.py FULL.sqlog SMALL.sqlog.gz SECONDS

It keeps the head of the file and the events of packets sent and lost and of metrics, up to this many seconds
after the first one, without the packets' frames.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KEPT = ("packet_sent", "packet_lost", "metrics_updated")
SEPARATOR = b"\x1e"


def trimmed(events: list[dict[str, Any]], seconds: float) -> Iterator[dict[str, Any]]:
    """The events that are kept."""
    for event in events:
        is_kept = event["name"].rpartition(":")[2].removeprefix("recovery_") in KEPT
        if is_kept and event["time"] - events[0]["time"] <= 1000 * seconds:
            event["data"].pop("frames", None)
            yield event


def main(full: Path, small: Path, seconds: float) -> None:
    """Reads and writes."""
    head, *events = [json.loads(each) for each in full.read_bytes().split(SEPARATOR) if each.strip()]
    records = [head, *trimmed(events, seconds)]
    texts = [SEPARATOR + json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in records]
    small.write_bytes(gzip.compress(b"".join(texts), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
