//! Both ends of a connection: one client that sends a stream, one server that reads it.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ackclock_congestion::CongestionControl;
use ackclock_simulation::stack::{End, StackConnection, StackCounts, StackGauges, StackSetup};
use ackclock_units::Time;
use bytes::BytesMut;

use super::super::epoch;
use super::super::tls::{Certificate, SERVER_NAME};
use super::proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use super::proto::{
    AckFrequencyConfig, ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint,
    Endpoint, EndpointConfig, Event, ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
};
use super::{endpoint, handle, log, packets, poll_transmit};
use crate::factory::Factory;
use crate::watch::Watch;

/// QUIC's default: every other packet is acknowledged (RFC 9000, 13.2.2).
const USUAL_ACK_EVERY: u32 = 2;

/// The windows of flow control, large enough not to limit anything.
const UNLIMITED: u32 = 1 << 30;

/// The bytes that a sender keeps until they are acknowledged: two windows, so that there is always one
/// to send, and more for the growth by the next acknowledgments. So they do not limit the sender, and
/// still take little memory.
fn kept(cwnd: f64, mtu: u16) -> u64 {
    (2.0 * cwnd * f64::from(mtu)) as u64 + 4 * CHUNK.len() as u64
}

/// Bytes written at once.
static CHUNK: [u8; 65_536] = [0; 65_536];

/// An end of a connection.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Datagrams that the endpoint itself sends.
    answers: Vec<Vec<u8>>,
}

/// A connection in simulated time.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of a connection")]
pub(crate) struct Pair {
    sides: [Side; 2],
    client_config: Option<ClientConfig>,
    factory: Arc<Factory>,
    watch: Option<Watch>,
    opened_at: Time,
    is_ecn: bool,
    mtu: u16,
    /// The next timer of each end, read after every call since stacks need a mutable reference for
    /// that.
    wakes: [Time; 2],
    /// Packets that the sender sent, and those it lost.
    packets: (u64, u64),
    /// The stream, at each end.
    streams: [Option<StreamId>; 2],
    /// Bytes still to write.
    left: u64,
    is_closed: bool,
    received: Received,
    /// The receiving end reads data as it arrives, and not in order: where no window is to close meanwhile.
    reads_at_once: bool,
    /// The window integrated over time when all was acknowledged.
    finished_cwnd_seconds: Option<f64>,
    established_at: Option<Time>,
    finished_at: Option<Time>,
    has_failed: bool,
}

/// The bytes of a stream that have arrived, each once.
#[derive(Default)]
struct Received {
    all: u64,
    /// Those that have arrived with all before them.
    in_order: u64,
    /// The lengths of parts ahead of a gap, by their beginnings.
    ahead: BTreeMap<u64, u64>,
}

impl Received {
    /// A part that has not arrived before.
    fn add(&mut self, start: u64, length: u64) {
        self.all += length;
        self.ahead.insert(start, length);
        while let Some(length) = self.ahead.remove(&self.in_order) {
            self.in_order += length;
        }
    }
}

impl Pair {
    pub fn new(setup: StackSetup, certificate: &Certificate, is_checked: bool) -> Pair {
        let controller = Controller(setup.controller);
        let mut factory = Factory::custom(move |_| controller.0.clone()).watched();
        if is_checked {
            factory = factory.checked();
        }
        let factory = Arc::new(factory);
        let window = setup.receive_window.map_or(UNLIMITED, |bytes| bytes.min(UNLIMITED.into()) as u32);
        let transport = || transport(setup.mtu, setup.segments_per_ack, window);
        let client = certificate.client().expect("a certificate that was read");
        let mut sending = transport();
        sending.congestion_controller_factory(Arc::clone(&factory) as _);
        if let Some(writer) = setup.log {
            log(&mut sending, writer, epoch::instant(Time::ZERO));
        }
        let client = QuicClientConfig::try_from(client).expect("TLS 1.3 with a suite for Initial packets");
        let mut client_config = ClientConfig::new(Arc::new(client));
        client_config.transport_config(Arc::new(sending));
        let server_config = certificate.server().map(|server| {
            let server =
                QuicServerConfig::try_from(server).expect("TLS 1.3 with a suite for Initial packets");
            let mut config = ServerConfig::with_crypto(Arc::new(server));
            config.transport_config(Arc::new(transport()));
            config
        });
        let side = |end: End, server: Option<ServerConfig>| Side {
            endpoint: endpoint(endpoint_config(setup.seed, end), server.map(Arc::new)),
            connection: None,
            answers: Vec::new(),
        };
        Pair {
            sides: [side(End::Sender, None), side(End::Receiver, server_config)],
            client_config: Some(client_config),
            factory,
            watch: None,
            opened_at: Time::ZERO,
            is_ecn: setup.ecn,
            mtu: setup.mtu,
            wakes: [Time::MAX; 2],
            packets: (0, 0),
            streams: [None; 2],
            left: setup.bytes.unwrap_or(u64::MAX),
            is_closed: false,
            received: Received::default(),
            reads_at_once: setup.receive_window.is_none(),
            finished_cwnd_seconds: None,
            established_at: None,
            finished_at: None,
            has_failed: false,
        }
    }

    fn side(&mut self, end: End) -> &mut Side {
        &mut self.sides[end as usize]
    }

    /// Follows an end's events until there are none, and lets the application write and read.
    fn drive(&mut self, now: Time, end: End) {
        loop {
            let Side { endpoint, connection, .. } = &mut self.sides[end as usize];
            let Some((handle, connection)) = connection else { return };
            if let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
                continue;
            }
            let Some(event) = connection.poll() else { break };
            self.on_event(now, end, &event);
        }
        match end {
            End::Sender => self.write(),
            End::Receiver => self.read(),
        }
    }

    fn on_event(&mut self, now: Time, end: End, event: &Event) {
        let Some((_, connection)) = &mut self.sides[end as usize].connection else { return };
        match (end, event) {
            (End::Sender, Event::Connected) => {
                self.established_at = Some(now);
                self.streams[0] = connection.streams().open(Dir::Uni);
            }
            (End::Receiver, Event::Stream(StreamEvent::Opened { dir })) => {
                self.streams[1] = connection.streams().accept(*dir);
            }
            (End::Sender, Event::Stream(StreamEvent::Finished { .. })) => {
                self.finished_at = Some(now);
                let seconds = |watch: &Watch| watch.cwnd_seconds(self.controller_time(now));
                self.finished_cwnd_seconds = self.watch.as_ref().map(seconds);
            }
            (End::Sender, Event::ConnectionLost { .. }) => self.has_failed = true,
            _ => {}
        }
    }

    /// The application writes as much as the stack takes, and closes the stream after the last byte.
    fn write(&mut self) {
        let (Some((_, connection)), Some(id)) = (&mut self.sides[0].connection, self.streams[0]) else {
            return;
        };
        if let Some(watch) = &self.watch {
            connection.set_send_window(kept(watch.decision().cwnd, self.mtu));
        }
        let mut stream = connection.send_stream(id);
        while self.left > 0 {
            let most = self.left.min(CHUNK.len() as u64) as usize;
            match stream.write(&CHUNK[..most]) {
                Ok(written) if written > 0 => self.left -= written as u64,
                _ => return,
            }
        }
        if !self.is_closed {
            self.is_closed = stream.finish().is_ok();
        }
    }

    /// The application reads all that has arrived.
    fn read(&mut self) {
        let (Some((_, connection)), Some(id)) = (&mut self.sides[1].connection, self.streams[1]) else {
            return;
        };
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(!self.reads_at_once) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.received.add(chunk.offset, chunk.bytes.len() as u64);
        }
        // A larger window is announced by the next packet.
        let _ = chunks.finalize();
    }

    /// Notes an end's next timer and counts, when it has nothing more to send at present.
    fn note(&mut self, now: Time, end: End) {
        let Some((_, connection)) = &mut self.sides[end as usize].connection else { return };
        self.wakes[end as usize] = connection.poll_timeout().map_or(Time::MAX, |at| epoch::time(at).max(now));
        if end == End::Sender {
            self.packets = packets(connection);
        }
    }

    /// The controller's time: its connection begins at one nanosecond.
    fn controller_time(&self, now: Time) -> Time {
        Time::from_nanos(now.as_nanos().saturating_sub(self.opened_at.as_nanos()) + 1)
    }
}

impl StackConnection for Pair {
    fn open(&mut self, now: Time) {
        let Some(config) = self.client_config.take() else { return };
        self.opened_at = now;
        let peer = address(End::Receiver);
        let opened = self.sides[0].endpoint.connect(epoch::instant(now), config, peer, SERVER_NAME);
        self.sides[0].connection = Some(opened.expect("a configuration of our own"));
        self.watch = self.factory.watches().pop();
    }

    fn stop(&mut self, now: Time) {
        self.left = 0;
        self.drive(now, End::Sender);
    }

    fn on_datagram(&mut self, now: Time, end: End, datagram: &[u8], is_marked: bool) {
        let ecn = match (self.is_ecn, is_marked) {
            (_, true) => Some(EcnCodepoint::Ce),
            (true, false) => Some(EcnCodepoint::Ect0),
            (false, false) => None,
        };
        let other = match end {
            End::Sender => End::Receiver,
            End::Receiver => End::Sender,
        };
        let (at, path) = (epoch::instant(now), (address(other), address(end)));
        let mut answer = Vec::new();
        let Side { endpoint, connection, answers, .. } = self.side(end);
        match handle(endpoint, at, path, ecn, BytesMut::from(datagram), &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                *connection = endpoint.accept(incoming, at, &mut answer, None).ok();
            }
            Some(DatagramEvent::Response(transmit)) => {
                answer.truncate(transmit.size);
                answers.push(answer);
            }
            None => {}
        }
        self.drive(now, end);
    }

    fn on_timer(&mut self, now: Time, end: End) {
        if let Some((_, connection)) = &mut self.side(end).connection {
            connection.handle_timeout(epoch::instant(now));
        }
        self.drive(now, end);
    }

    fn poll_transmit(&mut self, now: Time, end: End, datagram: &mut Vec<u8>) -> bool {
        if let Some(answer) = self.side(end).answers.pop() {
            datagram.extend_from_slice(&answer);
            return true;
        }
        let Some((_, connection)) = &mut self.side(end).connection else { return false };
        let transmit = poll_transmit(connection, epoch::instant(now), datagram);
        if let Some(transmit) = &transmit {
            datagram.truncate(transmit.size);
        } else {
            self.note(now, end);
        }
        transmit.is_some()
    }

    fn next_wake(&self, end: End) -> Time {
        self.wakes[end as usize]
    }

    fn counts(&self, now: Time) -> StackCounts {
        // If the other end is in another process, an end may have no sender.
        let Some(watch) = &self.watch else {
            let Received { in_order, all, .. } = &self.received;
            return StackCounts { bytes: *in_order, arrived: *all, ..StackCounts::default() };
        };
        let counts = watch.counts();
        let [_, _, rtt_min] = watch.round_trips();
        StackCounts {
            bytes: self.received.in_order,
            arrived: self.received.all,
            sent: self.packets.0,
            lost: self.packets.1,
            losses: counts.losses,
            timeouts: counts.timeouts,
            spurious: counts.spurious,
            rtt_samples: counts.rtt_samples,
            rtt_total: counts.rtt_total,
            rtt_max: counts.rtt_max,
            rtt_min,
            cwnd_seconds: self
                .finished_cwnd_seconds
                .unwrap_or_else(|| watch.cwnd_seconds(self.controller_time(now))),
            established_at: self.established_at,
            finished_at: self.finished_at,
            failed: self.has_failed,
        }
    }

    fn gauges(&self) -> StackGauges {
        let Some(watch) = &self.watch else { return StackGauges::default() };
        let [latest_rtt, srtt, _] = watch.round_trips();
        StackGauges {
            cwnd: watch.decision().cwnd,
            ssthresh: watch.ssthresh(),
            latest_rtt,
            srtt,
            in_flight: watch.in_flight(),
        }
    }

    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if let Some(watch) = &self.watch {
            watch.observe(show);
        }
    }
}

/// A controller to be copied, since factories are shared between threads.
struct Controller(Box<dyn CongestionControl>);

fn transport(mtu: u16, segments_per_ack: u32, window: u32) -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .mtu_discovery_config(None)
        .initial_mtu(mtu)
        .min_mtu(mtu)
        .stream_receive_window(VarInt::from_u32(window))
        .receive_window(VarInt::from_u32(window))
        .send_window(kept(0.0, mtu))
        .max_idle_timeout(None)
        .allow_spin(false)
        .enable_segmentation_offload(false);
    if segments_per_ack != USUAL_ACK_EVERY {
        let mut frequency = AckFrequencyConfig::default();
        // The number of packets that may wait for an acknowledgment.
        frequency.ack_eliciting_threshold(VarInt::from_u32(segments_per_ack - 1));
        transport.ack_frequency_config(Some(frequency));
    }
    transport
}

/// Takes random numbers from the scenario's seed, and disables packets whose only purpose is to vary.
fn endpoint_config(seed: u64, end: End) -> EndpointConfig {
    let mut config = EndpointConfig::default();
    let mut bytes = [end as u8; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    config.rng_seed(Some(bytes)).grease_quic_bit(false);
    config
}

fn address(end: End) -> SocketAddr {
    match end {
        End::Sender => (Ipv4Addr::new(10, 0, 0, 1), 1000).into(),
        End::Receiver => (Ipv4Addr::new(10, 0, 0, 2), 443).into(),
    }
}
