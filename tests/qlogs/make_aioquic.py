"""Makes the logs of aioquic in this folder: a transfer over a link in virtual time.

pip install aioquic==1.7.2
python tests/qlogs/make_aioquic.py reno tests/qlogs/aioquic-reno.qlog
python tests/qlogs/make_aioquic.py reno tests/qlogs/aioquic-outage.qlog 0.2 2.5

The link has 10 Mbit/s, 20 ms each way and a buffer of 30 packets. It loses all of the sender's packets from
the first to the second time in seconds, if they are given. The log is the sender's: its packets sent and
lost, without their frames, and its metrics.
"""

import datetime as dt
import heapq
import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aioquic.quic.logger as logging
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.logger import QuicLogger
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

RATE_BIT_PER_S = 10e6
DELAY_S = 0.02
BUFFER_PACKETS = 30
BYTES = 450_000
END_S = 2.0
"""The time that a transfer has after the outage."""
KEPT = {
    "transport:packet_sent",
    "recovery:packet_lost",
    "recovery:metrics_updated",
    "transport:parameters_set",
}
ADDRESSES = {"client": ("10.0.0.1", 1), "server": ("10.0.0.2", 2)}


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody checks, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")])
    begin = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + dt.timedelta(days=3650))
        .sign(key, hashes.SHA256())
    )
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def transfer(algorithm: str, begin_s: float = 0.0, end_s: float = 0.0) -> dict[str, Any]:
    """The client's log of sending a file over a link that loses all between two times."""
    clock = SimpleNamespace(now=0.0)
    logging.time = SimpleNamespace(time=lambda: clock.now)
    logger = QuicLogger()
    sending = QuicConfiguration(
        is_client=True, alpn_protocols=["x"], congestion_control_algorithm=algorithm, quic_logger=logger
    )
    sending.verify_mode = 0
    client = QuicConnection(configuration=sending)
    receiving = QuicConfiguration(
        is_client=False, alpn_protocols=["x"], max_data=2**30, max_stream_data=2**30
    )
    with tempfile.TemporaryDirectory() as folder:
        receiving.load_cert_chain(*certificate(Path(folder)))
    server = QuicConnection(
        configuration=receiving, original_destination_connection_id=client.original_destination_connection_id
    )
    ends = {"client": client, "server": server}
    now, free_at, number, begun = 0.0, 0.0, 0, {"client"}
    waiting: list[float] = []
    arrivals: list[tuple[float, int, str, bytes]] = []
    client.connect(ADDRESSES["server"], now=now)
    client.send_stream_data(0, bytes(BYTES), end_stream=True)
    while now < end_s + END_S:
        clock.now = now
        for name in sorted(begun):
            end = ends[name]
            other = "server" if name == "client" else "client"
            for data, _ in end.datagrams_to_send(now=now):
                number += 1
                departs = now
                if name == "client":
                    waiting = [at for at in waiting if at > now]
                    if len(waiting) > BUFFER_PACKETS or begin_s <= now < end_s:
                        continue
                    free_at = departs = max(free_at, now) + (len(data) + 28) * 8 / RATE_BIT_PER_S
                    waiting.append(departs)
                heapq.heappush(arrivals, (departs + DELAY_S, number, other, data))
            while end.next_event() is not None:
                pass
        timers = [(ends[name].get_timer(), name) for name in begun if ends[name].get_timer() is not None]
        next_timer = min(timers, default=(float("inf"), ""))
        if arrivals and arrivals[0][0] <= next_timer[0]:
            now, _, name, data = heapq.heappop(arrivals)
            peer = "server" if name == "client" else "client"
            begun.add(name)
            clock.now = now
            ends[name].receive_datagram(data, ADDRESSES[peer], now=now)
        elif next_timer[1]:
            now = clock.now = max(now, next_timer[0])
            ends[next_timer[1]].handle_timer(now=now)
        else:
            break
    log: dict[str, Any] = logger.to_dict()
    for trace in log["traces"]:
        trace["events"] = [event for event in trace["events"] if event["name"] in KEPT]
        for event in trace["events"]:
            event["data"].pop("frames", None)
            event["time"] = round(event["time"], 3)
    return log


if __name__ == "__main__":
    outage = tuple(map(float, sys.argv[3:5]))
    Path(sys.argv[2]).write_text(json.dumps(transfer(sys.argv[1], *outage), separators=(",", ":")) + "\n")
