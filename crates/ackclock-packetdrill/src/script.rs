//! A script of packetdrill, as it was read.

use ackclock_units::Duration;

/// A script: the shell commands before it, and its events in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Script {
    /// How far the time of an event may be from the time expected (`--tolerance_usecs`).
    pub tolerance: Option<Duration>,
    pub events: Vec<Event>,
}

/// An event and its line, from one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub line: usize,
    pub when: When,
    pub action: Action,
    /// The event as it is written.
    pub text: String,
}

/// The time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    pub kind: WhenKind,
    pub from: Duration,
    /// The end of a range of times, or of a call that blocks.
    pub until: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenKind {
    /// Counted from the beginning of the script.
    Absolute,
    /// Counted from the event before.
    Relative,
    /// Any time (`*`).
    Any,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Packet(Packet),
    Call(Call),
    /// Python in `%{ }%`.
    Code(String),
    /// Shell in backquotes.
    Shell(String),
}

/// Which way a packet of a script goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the TCP that is examined (`<`).
    In,
    /// From it (`>`).
    Out,
}

/// A TCP segment in its IP packet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packet {
    pub direction: Direction,
    pub ecn: Option<EcnField>,
    /// The flags by their letters, as written, without P, which no simulated segment has.
    pub flags: String,
    pub start: u64,
    pub end: u64,
    pub length: u64,
    pub ack: Option<u64>,
    pub window: Option<u64>,
    /// None for `<...>`: any options.
    pub options: Option<Vec<TcpOption>>,
}

/// The ECN field of the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EcnField {
    NotCapable,
    Capable0,
    Capable1,
    Marked,
}

/// An option of a TCP header, without the padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TcpOption {
    Mss(u16),
    WindowScale(u8),
    SackPermitted,
    Sack(Vec<(u64, u64)>),
    Timestamps(u32, u32),
    /// Byte counters of accurate ECN, each by its name, in their order.
    Counters(Vec<(String, u32)>),
}

/// A call of the application: `name(arguments) = result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub name: String,
    pub arguments: Vec<String>,
    /// The value returned, as written; empty where the script does not say.
    pub result: String,
    /// The name of the error, if it fails.
    pub error: Option<String>,
}
