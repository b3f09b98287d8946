//! The same connections over UDP sockets, an end in each process, by the host's clock.

mod clock;
mod end;

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};

use ackclock_congestion::Start;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_simulation::stack::{End, StackCounts, StackSetup, Stacks};
use ackclock_transport::Stack;
use ackclock_units::{Duration, Time};

use crate::simulated::SimulatedStacks;
use crate::simulated::tls::Certificate;
use clock::Clock;
use end::{ConnectionEnd, Step};

/// UDP payload bytes of a full datagram, which is a packet of 1500 bytes on the wire.
const MTU: u16 = 1472;

/// By default every other packet is acknowledged; a sender may change that.
const USUAL_ACK_EVERY: u32 = 2;

/// The receiver ends when nothing has come for this long.
const SILENCE: Duration = Duration::from_secs(2);

/// The properties of a sender.
#[derive(Clone, Debug)]
pub struct Sending {
    /// The receiver's address.
    pub to: SocketAddr,
    /// The implementation of QUIC.
    pub stack: Stack,
    /// A specification of the registry.
    pub algorithm: String,
    /// The time for which it sends.
    pub duration: Duration,
    /// The time at the beginning that averages leave out.
    pub warm_up: Duration,
    /// Packets that the receiver acknowledges together.
    pub segments_per_ack: u32,
    /// True if datagrams are ECN-capable.
    pub ecn: bool,
    /// True if controller and stack are checked by the contract of controllers.
    pub checked: bool,
    /// The file to which the stack writes its qlog, if it does.
    pub qlog: Option<PathBuf>,
}

/// The properties of a receiver.
#[derive(Clone, Debug)]
pub struct Receiving {
    /// The address to listen at.
    pub at: SocketAddr,
    /// The implementation of QUIC.
    pub stack: Stack,
    /// The time at the beginning that averages leave out.
    pub warm_up: Duration,
    /// True if acknowledgments are ECN-capable, and marks are returned.
    pub ecn: bool,
}

/// The counts of a sender after its warm-up.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Packets.
    pub packets: u64,
    /// Packets declared lost, whose contents were sent again.
    pub lost: u64,
    /// Congestion episodes that began with a loss.
    pub losses: u32,
    /// The mean round-trip time.
    pub mean_rtt: Duration,
    /// The smallest, the warm-up included.
    pub min_rtt: Duration,
    /// The largest, the warm-up included.
    pub max_rtt: Duration,
}

/// The counts of a receiver.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Received {
    /// Bytes that the application has read.
    pub bytes: u64,
    /// The rate of the bytes after the warm-up, in bits per second until the last datagram.
    pub goodput: f64,
}

/// Sends as fast as the controller lets it, to a receiver whose certificate (DER) is in a file.
///
/// # Errors
/// When the controller does not run on the stack, a file or socket fails, or the receiver does not answer: a sentence.
pub fn send(sending: &Sending, certificate: &Path) -> Result<Sent, String> {
    crate::Factory::of(sending.stack, &sending.algorithm).map_err(|error| error.to_string())?;
    let bytes = fs::read(certificate).map_err(|error| format!("{}: {error}", certificate.display()))?;
    let certificate = Certificate::of_server(bytes);
    if certificate.client().is_none() {
        return Err("the file holds no certificate that a receiver has written".to_owned());
    }
    let any: SocketAddr = if sending.to.is_ipv4() { ([0; 4], 0).into() } else { ([0_u16; 8], 0).into() };
    let socket = UdpSocket::bind(any).map_err(|error| format!("a socket: {error}"))?;
    let mut setup = setup(sending.stack, &sending.algorithm, (sending.segments_per_ack, sending.ecn))?;
    if let Some(path) = &sending.qlog {
        let file = fs::File::create_new(path).map_err(|error| format!("{}: {error}", path.display()))?;
        setup.log = Some(Box::new(std::io::BufWriter::new(file)));
    }
    let mut end = ConnectionEnd::new(
        End::Sender,
        connection(setup, certificate, sending.checked),
        sending.ecn,
        socket,
    )?;
    end.set_peer(sending.to);
    let clock = Clock::start();
    end.open(clock);
    let established = |counts: &StackCounts| counts.established_at.is_some();
    let limit = Time::ZERO + SILENCE;
    while !established(&end.counts(clock)) {
        if end.step(clock, limit)? == Step::Over {
            return Err(format!("{}: no receiver answers", sending.to));
        }
    }
    end.run(clock, Time::ZERO + sending.warm_up)?;
    let before = end.counts(clock);
    end.run(clock, Time::ZERO + sending.duration)?;
    let counts = end.counts(clock);
    if counts.failed {
        return Err("the connection was lost".to_owned());
    }
    let samples = (counts.rtt_samples - before.rtt_samples).max(1);
    Ok(Sent {
        packets: counts.sent - before.sent,
        lost: counts.lost - before.lost,
        losses: counts.losses - before.losses,
        mean_rtt: Duration::from_nanos((counts.rtt_total - before.rtt_total).as_nanos() / samples),
        min_rtt: counts.rtt_min,
        max_rtt: counts.rtt_max,
    })
}

/// Receives one connection until nothing has come for two seconds. Its certificate is written to a file for the sender.
///
/// # Errors
/// When a file or socket fails, or nobody comes within a minute: a sentence.
pub fn receive(receiving: &Receiving, certificate: &Path) -> Result<Received, String> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let own = Certificate::default();
    let socket = UdpSocket::bind(receiving.at).map_err(|error| format!("{}: {error}", receiving.at))?;
    // Written in full under another name first, since the sender may wait for the file's name.
    let unfinished = certificate.with_extension("unfinished");
    // Another receiver's is replaced, and nothing else.
    if fs::read(certificate)
        .is_ok_and(|found| !found.is_empty() && Certificate::of_server(found).client().is_none())
    {
        return Err(format!("{}: this file is no certificate and would be replaced", certificate.display()));
    }
    let written = fs::write(&unfinished, own.bytes()).and_then(|()| fs::rename(&unfinished, certificate));
    written.map_err(|error| format!("{}: {error}", certificate.display()))?;
    // The controller of a receiver never has much in flight.
    let setup = setup(receiving.stack, "reno", (USUAL_ACK_EVERY, receiving.ecn))?;
    let mut end = ConnectionEnd::new(End::Receiver, connection(setup, own, false), receiving.ecn, socket)?;
    let clock = Clock::start();
    let limit = clock.now() + PATIENCE;
    while end.first_at().is_none() {
        if end.step(clock, limit)? == Step::Over {
            return Err(format!("{}: nobody came within {PATIENCE}", receiving.at));
        }
    }
    let begin = end.first_at().unwrap_or_default() + receiving.warm_up;
    let quiet = |end: &ConnectionEnd| end.latest_at().unwrap_or_default() + SILENCE;
    let mut before = None;
    while end.step(clock, quiet(&end))? == Step::Going || clock.now() < quiet(&end) {
        if before.is_none() && clock.now() >= begin {
            before = Some(end.counts(clock).bytes);
        }
    }
    let bytes = end.counts(clock).bytes;
    let span = end.latest_at().unwrap_or_default().since(begin).as_secs_f64();
    let after = bytes - before.unwrap_or(bytes);
    Ok(Received { bytes, goodput: if span > 0.0 { after as f64 * 8.0 / span } else { 0.0 } })
}

fn setup(stack: Stack, algorithm: &str, (segments_per_ack, ecn): (u32, bool)) -> Result<StackSetup, String> {
    let spec: ControllerSpec = algorithm.parse().map_err(|error| format!("{error}"))?;
    // The window of RFC 9002, 7.2.
    let start = Start { initial_window: 10.0, initial_ssthresh: f64::INFINITY, restart_window: 2.0 };
    let controller = spec.build(&start);
    Ok(StackSetup {
        stack,
        controller,
        mtu: MTU,
        bytes: None,
        ecn,
        segments_per_ack,
        receive_window: None,
        seed: 1,
        log: None,
    })
}

fn connection(
    setup: StackSetup,
    certificate: Certificate,
    is_checked: bool,
) -> Box<dyn ackclock_simulation::stack::StackConnection> {
    let stacks = SimulatedStacks::with(certificate);
    if is_checked { stacks.checked().connect(setup) } else { stacks.connect(setup) }
}
