//! A connection of the host, and its agreed options.

use ackclock_transport::tcp::{Connection, EcnMode};
use ackclock_transport::{SackBlocks, Transfer, Way};
use ackclock_units::Time;
use serde_json::{Value, json};

use super::conditions::{Agreed, Conditions, algorithm};
use super::socket::Socket;
use super::wire::{self, Live, Wire};
use crate::script::{EcnField, Packet, TcpOption};

/// The segment size that the host asks for: that of Ethernet.
const OWN_MSS: u16 = 1460;

/// The segment size of a host that names none (RFC 9293, 3.7.1).
const DEFAULT_MSS: u16 = 536;

/// The bytes of timestamps in each segment (RFC 7323, appendix A).
const TIMESTAMP_BYTES: u16 = 12;

/// The bytes of three byte counters in each segment (RFC 9768, 3.2.3).
const COUNTER_BYTES: u16 = 12;

/// The events that its own host causes in a connection.
#[derive(Clone, Copy, Debug)]
enum Input {
    Timer,
    Write(u64),
    Close,
}

/// A connection, and the values of it that the script can request.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Connected {
    connection: Connection,
    agreed: Agreed,
    /// The shift of the windows that arrive; none if windows are not scaled.
    scale: Option<u8>,
    own_mss: u16,
    is_client: bool,
    /// The events of a client before its SYN was answered: then it is made anew, with the agreed options.
    opening: Option<Opening>,
    /// Timestamps sent, as the script and as the connection has them.
    timestamps: Vec<(u32, u32)>,
    /// Bytes that the application has read.
    pub read: u64,
    pub has_closed: bool,
    /// The application has a socket of it.
    pub has_socket: bool,
    /// It was closed before it was open, or after the other side had closed: then nothing remains of it.
    leaves_nothing: bool,
    /// The number after its FIN, once that was sent, and whether it is acknowledged.
    fin_end: Option<u64>,
    is_fin_acknowledged: bool,
    /// The reset that answers a segment to a connection of which nothing remains.
    reset: Option<Live>,
    /// The application has shut the reading side down: the end of the data is where it is.
    pub reads_no_more: bool,
}

struct Opening {
    conditions: Conditions,
    own: Vec<(&'static str, Value)>,
    since: Time,
    inputs: Vec<(Time, Input)>,
}

/// The keys that a socket sets.
fn own_keys(socket: &Socket) -> Result<Vec<(&'static str, Value)>, String> {
    let mut keys = Vec::new();
    if let Some(name) = &socket.algorithm {
        keys.push(("algorithm", json!(algorithm(name)?)));
    }
    if let Some(attempts) = socket.syn_attempts {
        keys.push(("syn_attempts", json!(attempts)));
    }
    Ok(keys)
}

fn transfer(start: Time) -> Transfer {
    Transfer { start, stop: Time::MAX, packets: Some(0) }
}

impl Connected {
    /// The answer to a SYN.
    pub fn listening(conditions: &Conditions, socket: &Socket, syn: &Packet) -> Result<Connected, String> {
        let own_mss = socket.maxseg.unwrap_or(OWN_MSS);
        let ace = wire::header(syn, Way::ToReceiver).ace();
        let (agreed, scale) = agree(conditions, own_mss, syn, conditions.ecn_of_server(ace));
        let made = conditions.make(agreed, &own_keys(socket)?)?;
        let connection = Connection::listening(&made.settings, made.recovery, made.controller);
        Ok(Connected::of(connection, agreed, scale, own_mss))
    }

    /// A connection that the host opens.
    pub fn opening(conditions: &Conditions, socket: &Socket, now: Time) -> Result<Connected, String> {
        let own_mss = socket.maxseg.unwrap_or(OWN_MSS);
        let timestamps = conditions.timestamps;
        let mss = own_mss - if timestamps { TIMESTAMP_BYTES } else { 0 };
        let agreed = Agreed { mss, sack: conditions.sack, timestamps, ecn: conditions.ecn_of_client() };
        let own = own_keys(socket)?;
        let made = conditions.make(agreed, &own)?;
        let connection = Connection::opening(&made.settings, made.recovery, made.controller, transfer(now));
        let opening = Opening { conditions: conditions.clone(), own, since: now, inputs: Vec::new() };
        let mut connected = Connected::of(connection, agreed, Some(0), own_mss);
        connected.is_client = true;
        connected.has_socket = true;
        connected.opening = Some(opening);
        connected.on_timer(now);
        Ok(connected)
    }

    fn of(connection: Connection, agreed: Agreed, scale: Option<u8>, own_mss: u16) -> Connected {
        Connected {
            connection,
            agreed,
            scale,
            own_mss,
            is_client: false,
            opening: None,
            timestamps: Vec::new(),
            read: 0,
            has_closed: false,
            has_socket: false,
            leaves_nothing: false,
            fin_end: None,
            is_fin_acknowledged: false,
            reset: None,
            reads_no_more: false,
        }
    }

    pub fn next_wake(&self) -> Time {
        if self.is_gone() { Time::MAX } else { self.connection.next_wake() }
    }

    /// True if nothing remains of it (RFC 9293, 3.10.4: a CLOSE in SYN-SENT; 3.10.7.4: the end of LAST-ACK).
    fn is_gone(&self) -> bool {
        self.leaves_nothing && (self.opening.is_some() || self.is_fin_acknowledged)
    }

    pub fn on_timer(&mut self, now: Time) {
        self.note(now, Input::Timer);
        self.connection.on_timer(now);
    }

    pub fn write(&mut self, now: Time, bytes: u64) {
        self.note(now, Input::Write(bytes));
        self.connection.write_bytes(now, bytes);
    }

    pub fn close(&mut self, now: Time) {
        if !self.has_closed {
            self.leaves_nothing = self.opening.is_some() || self.has_ended();
        }
        self.has_closed = true;
        self.note(now, Input::Close);
        self.connection.close(now);
    }

    fn note(&mut self, now: Time, input: Input) {
        if let Some(opening) = &mut self.opening {
            opening.inputs.push((now, input));
        }
    }

    /// The next segment that it sends.
    pub fn poll(&mut self, now: Time) -> Option<Live> {
        if self.is_gone() {
            return self.reset.take();
        }
        let segment = self.connection.poll_transmit(now)?;
        let counters = self.connection.take_byte_counters();
        let flags = wire::letters(&segment.header);
        if flags.contains('F') {
            self.fin_end = Some(segment.sequence + u64::from(segment.length) + 1);
        }
        let options = if flags.contains('S') {
            let mut options = self.options_of_syn(segment.timestamps.value, segment.timestamps.echo);
            options.extend(counters.as_ref().map(wire::option_of));
            options
        } else if flags.contains('R') {
            Vec::new()
        } else {
            wire::options(&segment, self.agreed.timestamps, counters)
        };
        let ecn = match (segment.header.is_ecn_capable(), self.connection.sender().controller().needs().l4s) {
            (false, _) => EcnField::NotCapable,
            (true, false) => EcnField::Capable0,
            (true, true) => EcnField::Capable1,
        };
        Some(Live { at: now, header: segment.header, wire: Wire { flags, ecn, options } })
    }

    fn options_of_syn(&self, value: u32, echo: u32) -> Vec<TcpOption> {
        let mut options = vec![TcpOption::Mss(self.own_mss)];
        if self.agreed.sack {
            options.push(TcpOption::SackPermitted);
        }
        if self.agreed.timestamps {
            options.push(TcpOption::Timestamps(value, echo));
        }
        if self.scale.is_some() {
            options.push(TcpOption::WindowScale(0));
        }
        options
    }

    /// A segment of the script arrives.
    pub fn receive(&mut self, now: Time, packet: &Packet) -> Result<(), String> {
        if self.is_gone() {
            self.reset = wire::reset(now, packet);
            return Ok(());
        }
        let is_answer = packet.flags.contains('S') && packet.flags.contains('.');
        if is_answer && let Some(opening) = self.opening.take() {
            self.agree_as_client(&opening, packet)?;
        }
        let way = if self.is_client { Way::ToSender } else { Way::ToReceiver };
        let mut header = wire::header(packet, way);
        if self.agreed.ecn != EcnMode::Accurate {
            header.way = way;
        }
        let shift = if packet.flags.contains('S') { 0 } else { self.scale.unwrap_or(0) };
        let window = packet.window.unwrap_or(u64::from(u16::MAX)) << shift.min(14);
        header.window = u32::try_from(window).unwrap_or(u32::MAX);
        let mut sack = SackBlocks::NONE;
        for option in packet.options.iter().flatten() {
            match option {
                TcpOption::Sack(blocks) => sack = wire::blocks(header.acknowledgment, blocks),
                TcpOption::Timestamps(value, echo) if self.agreed.timestamps => {
                    header.timestamps.value = *value;
                    header.timestamps.echo = self.live_timestamp(*echo);
                }
                TcpOption::Counters(counters) if self.agreed.ecn == EcnMode::Accurate => {
                    if let Some(counters) = wire::counters(counters) {
                        self.connection.keep_byte_counters(&counters);
                    }
                }
                _ => {}
            }
        }
        self.connection.on_segment(now, &header, &sack);
        self.is_fin_acknowledged |= self.fin_end.is_some() && packet.ack >= self.fin_end;
        Ok(())
    }

    /// The other side has answered the SYN: the connection has the options agreed on from its beginning.
    fn agree_as_client(&mut self, opening: &Opening, answer: &Packet) -> Result<(), String> {
        let conditions = &opening.conditions;
        let ecn = match (self.agreed.ecn, wire::header(answer, Way::ToSender).ace()) {
            // RFC 9768, 3.1.2, table 2: a server that knows no accurate ECN.
            (EcnMode::Accurate, 1) => EcnMode::Classic,
            (ecn, _) => ecn,
        };
        let (agreed, scale) = agree(conditions, self.own_mss, answer, ecn);
        (self.agreed, self.scale) = (agreed, scale);
        let made = conditions.make(agreed, &opening.own)?;
        self.connection =
            Connection::opening(&made.settings, made.recovery, made.controller, transfer(opening.since));
        for (at, input) in &opening.inputs {
            match input {
                Input::Timer => self.connection.on_timer(*at),
                Input::Write(bytes) => self.connection.write_bytes(*at, *bytes),
                Input::Close => self.connection.close(*at),
            }
            while self.connection.poll_transmit(*at).is_some() {}
        }
        Ok(())
    }

    /// The host sends no option of byte counters from now on.
    pub fn stop_byte_counters(&mut self) {
        self.connection.stop_byte_counters();
    }

    pub fn note_timestamp(&mut self, script: u32, live: u32) {
        self.timestamps.push((script, live));
    }

    /// The timestamp of the connection for one of the script: that of the segment which had it, or one as far from it as
    /// milliseconds are.
    fn live_timestamp(&self, script: u32) -> u32 {
        let same = self.timestamps.iter().rev().find(|(known, _)| *known == script);
        let Some((_, live)) = same.or(self.timestamps.first()) else { return script };
        let (known, _) = same.or(self.timestamps.first()).expect("it was found");
        live.wrapping_add(script.wrapping_sub(*known).wrapping_mul(1000))
    }

    pub fn is_established(&self) -> bool {
        self.connection.sender().established_at().is_some()
    }

    /// True if a new SYN opens another connection.
    pub fn is_over(&self) -> bool {
        let sender = self.connection.sender();
        sender.has_failed()
            || sender.has_reset()
            || (self.has_closed && sender.is_over() && self.connection.has_received_all())
    }

    /// Bytes that have arrived in order.
    pub fn arrived(&self) -> u64 {
        self.connection.receiver().delivered_bytes()
    }

    /// True if the other side sends no more.
    pub fn has_ended(&self) -> bool {
        self.connection.has_received_all()
    }

    /// A value of `tcp_info`.
    pub fn value(&self, _now: Time, name: &str) -> Option<f64> {
        match name.strip_prefix("tcpi_")? {
            "advmss" => Some(f64::from(self.own_mss)),
            "snd_wscale" => Some(f64::from(self.scale.unwrap_or(0))),
            "options" => Some(f64::from(self.options())),
            name => self.connection.info().get(name).map(|value| value as f64),
        }
    }

    /// `TCPI_OPT_TIMESTAMPS`, `_SACK`, `_WSCALE` and `_ECN`.
    fn options(&self) -> u8 {
        let ecn = self.agreed.ecn != EcnMode::Off;
        u8::from(self.agreed.timestamps)
            + 2 * u8::from(self.agreed.sack)
            + 4 * u8::from(self.scale.is_some())
            + 8 * u8::from(ecn)
    }
}

/// The options that a connection has after a SYN, or its answer, of the other side, and the shift of that side's windows.
fn agree(conditions: &Conditions, own_mss: u16, syn: &Packet, ecn: EcnMode) -> (Agreed, Option<u8>) {
    let options = syn.options.as_deref().unwrap_or_default();
    let timestamps =
        conditions.timestamps && options.iter().any(|option| matches!(option, TcpOption::Timestamps(..)));
    let sack = conditions.sack && options.contains(&TcpOption::SackPermitted);
    let mss = options.iter().find_map(|option| match option {
        TcpOption::Mss(mss) => Some(*mss),
        _ => None,
    });
    let scale = options.iter().find_map(|option| match option {
        TcpOption::WindowScale(shift) => Some(*shift),
        _ => None,
    });
    let whole = mss.unwrap_or(DEFAULT_MSS).min(own_mss);
    // A SYN has no byte counters: they are those of an answer.
    let has_counters = options.iter().any(|option| matches!(option, TcpOption::Counters(_)));
    let taken = TIMESTAMP_BYTES * u16::from(timestamps) + COUNTER_BYTES * u16::from(has_counters);
    let mss = whole.saturating_sub(taken).max(1);
    (Agreed { mss, sack, timestamps, ecn }, scale)
}
