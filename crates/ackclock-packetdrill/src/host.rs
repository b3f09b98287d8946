//! The host that a script examines: its sockets, its connections, and the time, which passes as the script asks.

mod calls;
mod conditions;
mod connection;
mod socket;
mod wire;

use std::collections::{BTreeMap, VecDeque};

use ackclock_units::{Duration, Time};

use crate::read::shell::Change;
use crate::script::Packet;
use conditions::Conditions;
use connection::Connected;
use socket::Socket;

pub(crate) use calls::Returned;
pub(crate) use wire::{Live, Wire};

/// Time zero of a script. Timestamps of zero have a meaning of their own, so that clocks begin later.
const BEGIN: Time = Time::from_nanos(1_000_000_000);

/// Segments sent at one instant; more are an endpoint that never stops.
const MOST_AT_ONCE: usize = 1_000_000;

/// The host of a script.
pub(crate) struct Host {
    conditions: Conditions,
    sockets: BTreeMap<i64, Socket>,
    connections: Vec<Connected>,
    now: Time,
    sent: VecDeque<Live>,
}

impl Host {
    /// A host with the settings of a table `[tcp]`, as JSON.
    pub fn new(tcp: &serde_json::Map<String, serde_json::Value>) -> Result<Host, String> {
        Ok(Host {
            conditions: Conditions::new(tcp)?,
            sockets: BTreeMap::new(),
            connections: Vec::new(),
            now: BEGIN,
            sent: VecDeque::new(),
        })
    }

    /// The time of the script.
    pub fn now(&self) -> Duration {
        self.now.since(BEGIN)
    }

    /// A change of the conditions, for connections that open later. Those that are open send no option of byte counters any more
    /// once that is switched off.
    pub fn change(&mut self, change: &Change) -> Result<(), String> {
        if matches!(change, Change::Sysctl(name, value) if name == "tcp_ecn_option" && value == "0") {
            self.connections.iter_mut().for_each(Connected::stop_byte_counters);
        }
        self.conditions.apply(change)
    }

    /// Lets time pass: events that are due before then happen.
    pub fn pass_until(&mut self, until: Duration) {
        let until = BEGIN + until;
        while let Some(due) = self.next_due().filter(|due| *due < until) {
            self.wake(due);
        }
        self.now = self.now.max(until);
    }

    /// Lets time pass to the next thing that is due, at `until` at the latest; false if nothing is.
    pub fn pass_to_next(&mut self, until: Duration) -> bool {
        let due = self.next_due().filter(|due| *due <= BEGIN + until);
        if let Some(due) = due {
            self.wake(due);
        }
        due.is_some()
    }

    fn next_due(&self) -> Option<Time> {
        let wakes = self.connections.iter().map(Connected::next_wake);
        wakes.min().filter(|due| *due < Time::MAX)
    }

    fn wake(&mut self, due: Time) {
        self.now = self.now.max(due);
        for index in 0..self.connections.len() {
            if self.connections[index].next_wake() <= self.now {
                self.connections[index].on_timer(self.now);
                self.transmit(index);
            }
        }
    }

    /// Sends all that a connection has to send.
    fn transmit(&mut self, index: usize) {
        for _ in 0..MOST_AT_ONCE {
            match self.connections[index].poll(self.now) {
                Some(live) => self.sent.push_back(live),
                None => return,
            }
        }
    }

    /// The segments that were sent and not taken yet, the earliest first.
    pub fn sent(&self) -> &VecDeque<Live> {
        &self.sent
    }

    /// Takes the earliest segment.
    pub fn take_sent(&mut self) -> Option<Live> {
        self.sent.pop_front()
    }

    /// The latest connection.
    fn current(&self) -> Option<usize> {
        self.connections.len().checked_sub(1)
    }

    /// A packet arrives.
    pub fn receive(&mut self, packet: &Packet) -> Result<(), String> {
        let is_syn = packet.flags.contains('S') && !packet.flags.contains('.');
        let listening = self.sockets.values().find(|socket| socket.listens_from.is_some());
        // A socket that listens anew has another port.
        let is_elsewhere = |index| listening.is_some_and(|socket| socket.listens_from > Some(index));
        let is_new =
            self.current().is_none_or(|index| self.connections[index].is_over() || is_elsewhere(index));
        if is_syn && is_new {
            let Some(socket) = listening else { return Err("a SYN where no socket listens".to_owned()) };
            let connected = Connected::listening(&self.conditions, socket, packet)?;
            self.connections.push(connected);
        }
        let index = self.current().ok_or("a segment before there is a connection")?;
        self.connections[index].receive(self.now, packet)?;
        self.transmit(index);
        Ok(())
    }

    /// The live value of a timestamp that a segment of the script echoes was mapped when it was sent: both are noted here.
    pub fn note_timestamps(&mut self, live: &Live, script: u32) {
        if let Some(index) = self.current() {
            self.connections[index].note_timestamp(script, live.header.timestamps.value);
        }
    }

    /// The value of a name in a script's assertions.
    pub fn value(&self, name: &str) -> Option<f64> {
        if let Some(state) = constant(name) {
            return Some(state);
        }
        self.connections[self.current()?].value(self.now, name)
    }
}

/// The time of a script at an instant of its host.
pub(crate) fn script_time(at: Time) -> Duration {
    at.since(BEGIN)
}

/// The constants of `tcp_info`.
fn constant(name: &str) -> Option<f64> {
    const STATES: &[&str] = &[
        "TCP_ESTABLISHED",
        "TCP_SYN_SENT",
        "TCP_SYN_RECV",
        "TCP_FIN_WAIT1",
        "TCP_FIN_WAIT2",
        "TCP_TIME_WAIT",
        "TCP_CLOSE",
        "TCP_CLOSE_WAIT",
        "TCP_LAST_ACK",
        "TCP_LISTEN",
        "TCP_CLOSING",
    ];
    const CONGESTION: &[&str] =
        &["TCP_CA_Open", "TCP_CA_Disorder", "TCP_CA_CWR", "TCP_CA_Recovery", "TCP_CA_Loss"];
    let place = |names: &[&str]| names.iter().position(|known| *known == name).map(|place| place as f64);
    place(STATES).map(|place| place + 1.0).or_else(|| place(CONGESTION))
}
