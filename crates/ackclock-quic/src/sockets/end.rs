//! An end of a connection at a UDP socket.

use std::io::{ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

use ackclock_simulation::stack::{End, StackConnection, StackCounts};
use ackclock_units::{Duration, Time};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::{TimeSpec, TimeValLike};
use quinn_udp::{BATCH_SIZE, EcnCodepoint, RecvMeta, Transmit, UdpSocketState};

use super::clock::Clock;

/// Bytes that the kernel keeps for a socket that is not read.
const SOCKET_BUFFER: usize = 4 << 20;

/// The longest wait.
const LONGEST: Duration = Duration::from_millis(100);

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Time goes on.
    Going,
    /// The limit is reached.
    Over,
}

/// An end of a connection, its socket and its peer.
pub(super) struct ConnectionEnd {
    end: End,
    connection: Box<dyn StackConnection>,
    socket: UdpSocket,
    state: UdpSocketState,
    peer: Option<SocketAddr>,
    /// A datagram that the socket did not take yet.
    waiting: Vec<u8>,
    buffers: Vec<Vec<u8>>,
    is_ecn: bool,
    first_at: Option<Time>,
    latest_at: Option<Time>,
}

impl ConnectionEnd {
    pub fn new(
        end: End,
        connection: Box<dyn StackConnection>,
        is_ecn: bool,
        socket: UdpSocket,
    ) -> Result<ConnectionEnd, String> {
        let wrong = |error: std::io::Error| format!("a socket: {error}");
        let state = UdpSocketState::new((&socket).into()).map_err(wrong)?;
        // As large as the host permits.
        let _ = state.set_recv_buffer_size((&socket).into(), SOCKET_BUFFER);
        let _ = state.set_send_buffer_size((&socket).into(), SOCKET_BUFFER);
        // Datagrams may come joined (GRO), as many as fit 64 KiB.
        let buffers = vec![vec![0; 1 << 16]; BATCH_SIZE];
        let _ = nix::sys::prctl::set_timerslack(1);
        Ok(ConnectionEnd {
            end,
            connection,
            socket,
            state,
            peer: None,
            waiting: Vec::new(),
            buffers,
            is_ecn,
            first_at: None,
            latest_at: None,
        })
    }

    /// Sets the address to which datagrams are sent.
    pub fn set_peer(&mut self, peer: SocketAddr) {
        self.peer = Some(peer);
    }

    /// The sending end opens the connection.
    pub fn open(&mut self, clock: Clock) {
        self.connection.open(clock.now());
    }

    /// The instant of the first datagram received.
    pub fn first_at(&self) -> Option<Time> {
        self.first_at
    }

    /// The instant of the latest datagram received.
    pub fn latest_at(&self) -> Option<Time> {
        self.latest_at
    }

    /// The counts so far.
    pub fn counts(&self, clock: Clock) -> StackCounts {
        self.connection.counts(clock.now())
    }

    /// Goes on until an instant.
    pub fn run(&mut self, clock: Clock, until: Time) -> Result<(), String> {
        while self.step(clock, until)? == Step::Going {}
        Ok(())
    }

    /// Takes arrived datagrams, sends due ones, and waits for either, at most until this instant.
    pub fn step(&mut self, clock: Clock, until: Time) -> Result<Step, String> {
        self.receive(clock)?;
        if self.connection.next_wake(self.end) <= clock.now() {
            self.connection.on_timer(clock.now(), self.end);
        }
        self.transmit(clock)?;
        let now = clock.now();
        if now >= until {
            return Ok(Step::Over);
        }
        let wait = self.connection.next_wake(self.end).min(until).since(now).min(LONGEST);
        let mut flags = PollFlags::POLLIN;
        flags.set(PollFlags::POLLOUT, !self.waiting.is_empty());
        let mut files = [PollFd::new(self.socket.as_fd(), flags)];
        let timeout = TimeSpec::nanoseconds(wait.as_nanos().cast_signed());
        match ppoll(&mut files, Some(timeout), None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(Step::Going),
            Err(error) => Err(format!("waiting: {error}")),
        }
    }

    /// Takes all datagrams that have come.
    fn receive(&mut self, clock: Clock) -> Result<(), String> {
        let mut metas = [RecvMeta::default(); BATCH_SIZE];
        loop {
            let mut slices: Vec<IoSliceMut> =
                self.buffers.iter_mut().map(|buffer| IoSliceMut::new(buffer)).collect();
            let count = match self.state.recv((&self.socket).into(), &mut slices, &mut metas) {
                Ok(count) => count,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    return Ok(());
                }
                // Nobody listens there yet.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(()),
                Err(error) => return Err(format!("receiving: {error}")),
            };
            let now = clock.now();
            for (meta, buffer) in metas.iter().zip(&self.buffers).take(count) {
                if *self.peer.get_or_insert(meta.addr) != meta.addr {
                    continue;
                }
                self.first_at.get_or_insert(now);
                self.latest_at = Some(now);
                let is_marked = meta.ecn == Some(EcnCodepoint::Ce);
                for datagram in buffer[..meta.len].chunks(meta.stride.max(1)) {
                    self.connection.on_datagram(now, self.end, datagram, is_marked);
                }
            }
        }
    }

    /// Sends all datagrams that the stack has, until the socket takes no more.
    fn transmit(&mut self, clock: Clock) -> Result<(), String> {
        let Some(destination) = self.peer else { return Ok(()) };
        let ecn = self.is_ecn.then_some(EcnCodepoint::Ect0);
        loop {
            if self.waiting.is_empty()
                && !self.connection.poll_transmit(clock.now(), self.end, &mut self.waiting)
            {
                return Ok(());
            }
            let contents = self.waiting.as_slice();
            let transmit = Transmit { destination, ecn, contents, segment_size: None, src_ip: None };
            match self.state.try_send((&self.socket).into(), &transmit) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // The stack repeats what is lost.
                Ok(()) | Err(_) => self.waiting.clear(),
            }
        }
    }
}
