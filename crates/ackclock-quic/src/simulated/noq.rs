//! Connections of noq.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ackclock_simulation::stack::Log;
use bytes::BytesMut;
use noq_proto as proto;

#[expect(clippy::duplicate_mod, reason = "the two stacks have types of the same names")]
#[path = "pair.rs"]
mod pair;

pub(super) use pair::Pair;

use super::qlog::Translated;

fn endpoint(config: proto::EndpointConfig, server: Option<Arc<proto::ServerConfig>>) -> proto::Endpoint {
    proto::Endpoint::new(Arc::new(config), server, false)
}

/// Makes the connections of a configuration write a qlog, with times since `start`.
fn log(transport: &mut proto::TransportConfig, writer: Log, start: Instant) {
    transport.qlog_factory(Arc::new(OneLog(Mutex::new(Some((writer, start))))));
}

/// The qlog of the first connection that asks, which is the only one.
struct OneLog(Mutex<Option<(Log, Instant)>>);

impl proto::QlogFactory for OneLog {
    fn for_connection(
        &self,
        _: proto::Side,
        _: SocketAddr,
        _: proto::ConnectionId,
        _: Instant,
    ) -> Option<proto::QlogConfig> {
        let (writer, start) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let mut config = proto::QlogConfig::new(Box::new(Translated::new(writer, "noq", 1.0)));
        config.start_time(start);
        Some(config)
    }
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
