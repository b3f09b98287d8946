//! `[tcp]`: the behaviour of TCP endpoints.

use ackclock_transport::tcp::{
    BackoffUntil, ConnectionCount, EcnMode, FastRetransmitBeyond, Pacing, Sharing,
};
use ackclock_units::{Bytes, Duration, Rate};
use serde::{Deserialize, Deserializer, de};

use super::algorithm;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::{LONGEST_DELAY, MOST_FLOWS};
use crate::read::quantity;
use crate::values::packets::LARGEST_PACKET;
use crate::values::window::{InitialWindow, ReceiveWindow, Threshold};

/// The most acknowledgments instead of one: as many as a segment has bytes, usually.
const MOST_PIECES: u32 = 1460;

/// The behaviour of a TCP connection: the table `[tcp]`, and `tcp = {..}` of a flow, merged over it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing on or off")]
#[non_exhaustive]
pub struct TcpConfig {
    /// The system whose settings are those of the keys that are left out: see [`SYSTEMS`](crate::SYSTEMS).
    pub system: Option<String>,
    /// Recovery, slow start and avoidance, such as `sack+limited(max_ssthresh=100)+htcp`.
    pub algorithm: String,
    /// Payload of a full segment.
    #[serde(deserialize_with = "quantity::read")]
    pub mss: Bytes,
    /// Bytes on the wire in addition to the payload, of every segment and acknowledgment.
    #[serde(deserialize_with = "quantity::read")]
    pub header: Bytes,
    /// The congestion window at the start.
    #[serde(deserialize_with = "quantity::read")]
    pub initial_window: InitialWindow,
    /// The slow-start threshold at the start.
    #[serde(deserialize_with = "quantity::read")]
    pub initial_ssthresh: Threshold,
    /// The window that the receiver advertises.
    #[serde(deserialize_with = "quantity::read")]
    pub receive_window: ReceiveWindow,
    /// The window at the beginning, where the receive buffer is tuned as in Linux: it grows up to `receive_window`.
    #[serde(deserialize_with = "quantity::read_option")]
    pub initial_receive_window: Option<ReceiveWindow>,
    /// The rate at which the receiving application reads; at once where the key is left out.
    #[serde(deserialize_with = "quantity::read_option")]
    pub read_rate: Option<Rate>,
    /// The number of segments per acknowledgment (RFC 1122, 4.2.3.2: two); 1 for no delayed acknowledgments.
    pub segments_per_ack: u32,
    /// The longest an acknowledgment is held back.
    #[serde(deserialize_with = "quantity::read")]
    pub ack_delay: Duration,
    /// The acknowledgment of a FIN is delayed as that of data, as in ns-2, whose one-way TCP has no FIN.
    pub delay_fin_ack: bool,
    /// The acknowledgment of a SYN is delayed, as in ns-2 before February 2010.
    pub delay_syn_ack: bool,
    /// Segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// The first two duplicate acknowledgments send new data (RFC 3042).
    pub limited_transmit: bool,
    /// Connections begin with a handshake; without one they start established, as ns-2's one-way TCP.
    pub handshake: bool,
    /// Connections end by a reset instead of a FIN (RFC 9293, 3.10.5).
    pub close_by_reset: bool,
    /// Data goes in the SYN of all connections to a server but the first (RFC 7413).
    pub fast_open: bool,
    /// Segments of a slow start are acknowledged at once, whatever `segments_per_ack` says (Allman 1998).
    pub delay_acks_after_slow_start: bool,
    /// Explicit congestion notification: `"off"`, `"classic"` (RFC 3168), `"accurate"` (RFC 9768) or `"dctcp"` (RFC 8257); as the
    /// algorithm asks where the key is left out.
    #[serde(deserialize_with = "read_ecn")]
    pub ecn: Option<EcnMode>,
    /// Acknowledgments count bytes by codepoint in an option, where they are accurate about marks (RFC 9768, 3.2.3).
    pub accecn_option: bool,
    /// The pacing of algorithms that set no rate themselves: none (`"algorithm"`), or as in Linux (`"auto"`).
    #[serde(deserialize_with = "read_pacing")]
    pub pacing: Pacing,
    /// What a connection takes over from others between the same hosts: `"temporal"`, `"ensemble"`, `"fast-start"`, `"spand"`,
    /// `"network-adaptive"`, `"t-tcp"`, `"congestion-manager"` or `"tcp-session"`; nothing where left out.
    #[serde(deserialize_with = "read_sharing")]
    pub sharing: Option<Sharing>,
    /// The weight of a connection among those that share the window of one Congestion Manager.
    pub sharing_weight: f64,
    /// Receivers report data that arrived again, and senders undo an episode that sent nothing else (RFC 2883, RFC 3708).
    pub dsack: bool,
    /// The acknowledgments after a timeout show whether it was spurious (RFC 5682).
    pub frto: bool,
    /// Fewer duplicates mean a loss where fewer than four segments are outstanding (RFC 5827).
    pub early_retransmit: bool,
    /// Windows of less than four segments leave as four smaller ones (TCP-SF).
    pub smart_framing: bool,
    /// Each acknowledgment of new data counts as a packet for the growth of the window (RFC 2581), however much it covers.
    pub count_acknowledgments: bool,
    /// The receiver sends this many acknowledgments instead of one; 1 for an honest one.
    pub ack_splitting: u32,
    /// The receiver acknowledges this many packets more than have arrived, and conceals losses; 0 for an honest one.
    pub optimistic_acks: u32,
    /// The receiver echoes no marks.
    pub hide_marks: bool,
    /// The retransmission timeout before the first round-trip sample (RFC 6298, 2.1).
    #[serde(deserialize_with = "quantity::read")]
    pub rto_initial: Duration,
    /// The least retransmission timeout (RFC 6298, 2.4).
    #[serde(deserialize_with = "quantity::read")]
    pub rto_min: Duration,
    /// The greatest retransmission timeout, backed off or not (RFC 6298, 2.5).
    #[serde(deserialize_with = "quantity::read")]
    pub rto_max: Duration,
    /// The tick of the clock that measures round-trip times (RFC 6298's G).
    #[serde(deserialize_with = "quantity::read")]
    pub clock_granularity: Duration,
    /// The round-trip sample that ends the back-off of the timeout: `"new-data"`, of an acknowledgment of new data
    /// (RFC 6298, 5), or `"any-sample"`, also of a selective acknowledgment, as in Linux.
    #[serde(deserialize_with = "read_backoff_until")]
    pub rto_backoff_until: BackoffUntil,
    /// SRTT and RTTVAR are cleared after this many timeouts in a row (RFC 6298, 5), 4 in ns-2; never where it is 0.
    pub rtt_clear_after: u32,
    /// A fast retransmit restarts the retransmission timer (RFC 6675, 6), as in ns-2 and Linux; as the recovery does
    /// where the key is left out.
    pub rearm_at_fast_retransmit: Option<bool>,
    /// Duplicates mean another loss where more is acknowledged than was sent at the last `"restart"`, at the last fast
    /// retransmit or restart (`"recover"`, as in ns-2), or in any case (`"nothing"`).
    #[serde(deserialize_with = "read_fast_retransmit_beyond")]
    pub fast_retransmit_beyond: FastRetransmitBeyond,
    /// RACK's reordering timer expires so much later than RFC 8985 computes: 2 ms, as in Linux. The timer of the RFC, which
    /// is 0, retransmits into a full queue where the bandwidth-delay product is some eight packets.
    #[serde(deserialize_with = "quantity::read")]
    pub reordering_timer_slack: Duration,
    /// The wait before the first SYN is repeated; it doubles with every further one.
    #[serde(deserialize_with = "quantity::read")]
    pub syn_timeout: Duration,
    /// SYNs sent before the connection fails.
    pub syn_attempts: u32,
}

impl Default for TcpConfig {
    fn default() -> TcpConfig {
        TcpConfig {
            system: None,
            algorithm: "newreno".to_owned(),
            mss: Bytes::new(1460),
            header: Bytes::new(40),
            initial_window: InitialWindow::Packets(10.0),
            initial_ssthresh: Threshold(f64::INFINITY),
            receive_window: ReceiveWindow::Unlimited,
            initial_receive_window: None,
            read_rate: None,
            segments_per_ack: 2,
            ack_delay: Duration::from_millis(200),
            delay_fin_ack: false,
            delay_syn_ack: false,
            timestamps: false,
            limited_transmit: true,
            handshake: true,
            close_by_reset: false,
            fast_open: false,
            delay_acks_after_slow_start: false,
            ecn: None,
            accecn_option: false,
            pacing: Pacing::Algorithm,
            sharing: None,
            sharing_weight: 1.0,
            dsack: false,
            frto: false,
            early_retransmit: false,
            smart_framing: false,
            count_acknowledgments: false,
            ack_splitting: 1,
            optimistic_acks: 0,
            hide_marks: false,
            rto_initial: Duration::from_secs(1),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            clock_granularity: Duration::from_millis(1),
            rto_backoff_until: BackoffUntil::NewData,
            rtt_clear_after: 0,
            rearm_at_fast_retransmit: None,
            fast_retransmit_beyond: FastRetransmitBeyond::Restart,
            reordering_timer_slack: Duration::from_millis(2),
            syn_timeout: Duration::from_secs(1),
            syn_attempts: 7,
        }
    }
}

impl TcpConfig {
    /// The bytes on the wire in addition to the payload, with T/TCP's option where connections are
    /// transactions.
    pub fn header_bytes(&self) -> u32 {
        let option = if self.sharing == Some(Sharing::TTcp) { ConnectionCount::OPTION_BYTES } else { 0 };
        self.header.get() as u32 + option
    }

    /// Refuses an algorithm that does not exist, sizes that no packet has, and timers out of order.
    pub(crate) fn check(&self, at: &Key, custom: &[String]) -> Checked {
        algorithm::check(&at.then("algorithm"), &self.algorithm, custom)?;
        let (mss, header) = (self.mss.get(), self.header.get());
        if mss == 0 {
            let message = "found 0 bytes; a segment carries at least 1 byte";
            return Err(at.then("mss").wrong(self.mss, message));
        }
        if mss.saturating_add(header) > LARGEST_PACKET {
            let message = format!(
                "found {mss} bytes, with a header of {header} bytes; a packet has at most {LARGEST_PACKET}"
            );
            return Err(at.then("mss").wrong(self.mss, message));
        }
        self.initial_window.check(&at.then("initial_window"))?;
        self.initial_ssthresh.check(&at.then("initial_ssthresh"))?;
        self.receive_window.check(&at.then("receive_window"), self.mss)?;
        if let Some(window) = self.initial_receive_window {
            window.check(&at.then("initial_receive_window"), self.mss)?;
        }
        if self.read_rate == Some(Rate::default()) {
            let message = "found 0 bit/s; an application that reads nothing at all ends no transfer";
            return Err(at.then("read_rate").wrong(Rate::default(), message));
        }
        at.then("segments_per_ack").within(self.segments_per_ack, MOST_FLOWS)?;
        at.then("syn_attempts").within(self.syn_attempts, 100)?;
        at.then("ack_splitting").within(self.ack_splitting, MOST_PIECES)?;
        at.then("optimistic_acks").within(self.optimistic_acks.max(1), MOST_FLOWS)?;
        at.then("rto_initial").timeout(self.rto_initial)?;
        at.then("rto_min").timeout(self.rto_min)?;
        at.then("rto_max").timeout(self.rto_max)?;
        at.then("syn_timeout").timeout(self.syn_timeout)?;
        at.then("ack_delay").at_most(self.ack_delay, LONGEST_DELAY)?;
        at.then("clock_granularity").at_most(self.clock_granularity, LONGEST_DELAY)?;
        for (name, span) in [("rto_initial", self.rto_initial), ("rto_min", self.rto_min)] {
            if span > self.rto_max {
                let message = format!("found {span}; it is at most rto_max, {}", self.rto_max);
                return Err(at.then(name).wrong(span, message));
            }
        }
        Ok(())
    }
}

fn read_ecn<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EcnMode>, D::Error> {
    const NAMES: &[&str] = &["off", "classic", "accurate", "dctcp"];
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    match text.trim() {
        "off" => Ok(Some(EcnMode::Off)),
        "classic" => Ok(Some(EcnMode::Classic)),
        "accurate" => Ok(Some(EcnMode::Accurate)),
        "dctcp" => Ok(Some(EcnMode::DataCentre)),
        _ => Err(de::Error::unknown_variant(&text, NAMES)),
    }
}

fn read_fast_retransmit_beyond<'de, D: Deserializer<'de>>(from: D) -> Result<FastRetransmitBeyond, D::Error> {
    let text = String::deserialize(from)?;
    text.trim().parse().map_err(|()| de::Error::unknown_variant(&text, FastRetransmitBeyond::NAMES))
}

pub(crate) fn read_sharing<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Sharing>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let named = text.trim().parse();
    named.map(Some).map_err(|()| de::Error::unknown_variant(&text, Sharing::NAMES))
}

fn read_pacing<'de, D: Deserializer<'de>>(from: D) -> Result<Pacing, D::Error> {
    let text = String::deserialize(from)?;
    text.trim().parse().map_err(|()| de::Error::unknown_variant(&text, Pacing::NAMES))
}

fn read_backoff_until<'de, D: Deserializer<'de>>(from: D) -> Result<BackoffUntil, D::Error> {
    let text = String::deserialize(from)?;
    text.trim().parse().map_err(|()| de::Error::unknown_variant(&text, BackoffUntil::NAMES))
}
