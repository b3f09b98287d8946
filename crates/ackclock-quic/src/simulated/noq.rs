//! Connections of noq.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use noq_proto as proto;

#[expect(clippy::duplicate_mod, reason = "the two stacks have types of the same names")]
#[path = "pair.rs"]
mod pair;

pub(super) use pair::Pair;

fn endpoint(config: proto::EndpointConfig, server: Option<Arc<proto::ServerConfig>>) -> proto::Endpoint {
    proto::Endpoint::new(Arc::new(config), server, false)
}

/// An endpoint takes a datagram; what it answers by itself is written to `answer`.
fn handle(
    endpoint: &mut proto::Endpoint,
    now: Instant,
    (from, to): (SocketAddr, SocketAddr),
    ecn: Option<proto::EcnCodepoint>,
    data: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<proto::DatagramEvent> {
    endpoint.handle(now, proto::FourTuple::new(from, Some(to.ip())), ecn, data, answer)
}

fn poll_transmit(
    connection: &mut proto::Connection,
    now: Instant,
    datagram: &mut Vec<u8>,
) -> Option<proto::Transmit> {
    connection.poll_transmit(now, NonZeroUsize::MIN, datagram)
}

/// Packets sent and lost.
fn packets(connection: &mut proto::Connection) -> (u64, u64) {
    let stats = connection.stats();
    (stats.sent_packets, stats.lost_packets)
}
