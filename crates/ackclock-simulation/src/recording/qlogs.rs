//! The qlogs of connections: other stacks write their own, and this module writes the qlogs of simulated TCP
//! senders.

mod memory;
mod tcp;

use std::io;

use ackclock_transport::{Extension, Payload, SackBlocks};
use ackclock_units::Time;

use self::memory::Memory;
use self::tcp::TcpLog;
pub use self::tcp::header as qlog_header;
use crate::facts::Packet;
use crate::facts::counts::Gauges;

/// The sink to which a stack writes the qlog of a connection.
pub type Log = Box<dyn io::Write + Send + Sync>;

/// The writer of a qlog.
enum Written {
    /// By a stack, which may be in another thread.
    ByStack(Memory),
    /// By the simulator, for the TCP sender of this flow.
    ForSender(usize),
}

/// The qlogs of a run, by flow.
#[derive(Default)]
pub(crate) struct Qlogs {
    is_on: bool,
    /// By name, in the order in which they began.
    flows: Vec<(String, Written)>,
    /// By flow, up to the last that has one: the logs of TCP senders.
    tcp: Vec<Option<Box<TcpLog>>>,
}

impl Qlogs {
    /// Keeps qlogs, or none.
    pub fn new(is_on: bool) -> Qlogs {
        Qlogs { is_on, ..Qlogs::default() }
    }

    /// True if qlogs are kept.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// The sink for a flow's qlog, if it is to write one.
    pub fn of(&mut self, flow: &str) -> Option<Log> {
        if !self.is_on {
            return None;
        }
        let memory = Memory::default();
        self.flows.push((flow.to_owned(), Written::ByStack(memory.clone())));
        Some(Box::new(memory))
    }

    /// Logs a TCP sender with full segments of this many bytes of payload; false if it is not to be logged.
    pub fn add_tcp(&mut self, flow: usize, name: &str, mss: u16) -> bool {
        if self.is_on && cfg!(feature = "qlog") {
            self.flows.push((name.to_owned(), Written::ForSender(flow)));
            self.tcp.resize_with(flow, || None);
            self.tcp.push(Some(Box::new(TcpLog::new(name, mss))));
        }
        self.is_on
    }

    /// True if some TCP sender is logged.
    pub fn log_tcp(&self) -> bool {
        !self.tcp.is_empty()
    }

    fn tcp(&mut self, flow: u32) -> Option<&mut TcpLog> {
        if cfg!(feature = "qlog") { self.tcp.get_mut(flow as usize)?.as_deref_mut() } else { None }
    }

    /// Logs a packet that leaves its flow's sender, if the sender is logged.
    pub fn on_sent(&mut self, now: Time, packet: &Packet) {
        if let Payload::Tcp(header) = &packet.payload
            && !packet.payload.is_backward()
            && let Some(log) = self.tcp(packet.flow)
        {
            log.on_sent(now, header, packet.size);
        }
    }

    /// Logs a packet that arrives at its flow's sender, if the sender is logged.
    pub fn on_received(&mut self, now: Time, packet: &Packet, extension: Option<&Extension>) {
        if let Payload::Tcp(header) = &packet.payload
            && packet.payload.is_backward()
            && let Some(log) = self.tcp(packet.flow)
        {
            let sack = match extension {
                Some(Extension::Sack(blocks) | Extension::Explicit(_, blocks)) => blocks,
                _ => &SackBlocks::NONE,
            };
            log.on_received(now, header, sack, packet.size);
        }
    }

    /// The sender of a flow has processed a packet or a timer; logs its metrics if it is logged.
    pub fn on_metrics(&mut self, now: Time, flow: u32, gauges: impl FnOnce() -> Option<Gauges>) {
        if let Some(log) = self.tcp(flow)
            && let Some(gauges) = gauges()
        {
            log.on_metrics(now, &gauges);
        }
    }

    /// The logs by the names of their flows.
    pub fn take(self) -> Vec<(String, Vec<u8>)> {
        let Qlogs { flows, mut tcp, .. } = self;
        let mut text = |written| match written {
            Written::ByStack(memory) => memory.take(),
            Written::ForSender(flow) => tcp[flow].take().map_or_else(Vec::new, |log| log.into_text()),
        };
        flows.into_iter().map(|(name, written)| (name, text(written))).collect()
    }
}
