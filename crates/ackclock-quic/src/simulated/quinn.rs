//! Connections of quinn.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use ackclock_simulation::stack::Log;
use bytes::BytesMut;
use quinn_proto as proto;

#[path = "pair.rs"]
mod pair;

pub(super) use pair::Pair;

use super::qlog::Translated;

fn endpoint(config: proto::EndpointConfig, server: Option<Arc<proto::ServerConfig>>) -> proto::Endpoint {
    proto::Endpoint::new(Arc::new(config), server, false, None)
}

/// Makes the connections of a configuration write a qlog, with times since `start`.
fn log(transport: &mut proto::TransportConfig, writer: Log, start: Instant) {
    let mut config = proto::QlogConfig::default();
    config.writer(Box::new(Translated::new(writer, "quinn", 1000.0))).start_time(start);
    transport.qlog_stream(config.into_stream());
}

/// Passes a datagram to an endpoint. Its own answer, if any, is written to `answer`.
fn handle(
    endpoint: &mut proto::Endpoint,
    now: Instant,
    (from, to): (SocketAddr, SocketAddr),
    ecn: Option<proto::EcnCodepoint>,
    data: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<proto::DatagramEvent> {
    endpoint.handle(now, from, Some(to.ip()), ecn, data, answer)
}

fn poll_transmit(
    connection: &mut proto::Connection,
    now: Instant,
    datagram: &mut Vec<u8>,
) -> Option<proto::Transmit> {
    connection.poll_transmit(now, 1, datagram)
}

/// Packets sent and lost.
fn packets(connection: &proto::Connection) -> (u64, u64) {
    let path = connection.stats().path;
    (path.sent_packets, path.lost_packets)
}
