//! `[tcp]`: how the TCP endpoints behave.

use ackclock_transport::tcp::EcnMode;
use ackclock_units::{Bytes, Duration};
use serde::{Deserialize, Deserializer, de};

use super::read::quantity::{self, InitialWindow, ReceiveWindow, Threshold};

/// How a TCP connection behaves: the table `[tcp]`, and `tcp = {..}` of a flow, merged over it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing on or off")]
pub struct TcpConfig {
    /// Recovery, slow start and avoidance, such as `sack+limited(max_ssthresh=100)+htcp`.
    pub algorithm: String,
    /// Payload of a full segment.
    #[serde(deserialize_with = "quantity::read")]
    pub mss: Bytes,
    /// Bytes on the wire beside the payload, of every segment and acknowledgment.
    #[serde(deserialize_with = "quantity::read")]
    pub header: Bytes,
    /// The congestion window at the start.
    #[serde(deserialize_with = "quantity::read")]
    pub initial_window: InitialWindow,
    /// The slow-start threshold at the start.
    #[serde(deserialize_with = "quantity::read")]
    pub initial_ssthresh: Threshold,
    /// What the receiver advertises.
    #[serde(deserialize_with = "quantity::read")]
    pub receive_window: ReceiveWindow,
    /// An acknowledgment for every so many segments (RFC 1122, 4.2.3.2: two); 1 for no delayed acknowledgments.
    pub ack_every: u32,
    /// The longest an acknowledgment is held back.
    #[serde(deserialize_with = "quantity::read")]
    pub ack_delay: Duration,
    /// Whether segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// Whether the first two duplicate acknowledgments send new data (RFC 3042).
    pub limited_transmit: bool,
    /// Whether connections begin with a handshake; without one they start established, as ns-2's one-way TCP.
    pub handshake: bool,
    /// Explicit congestion notification: `"off"`, `"classic"` (RFC 3168) or `"accurate"` (RFC 8257); what the algorithm
    /// asks for where the key is left out.
    #[serde(deserialize_with = "read_ecn")]
    pub ecn: Option<EcnMode>,
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
    /// Whether a fast retransmit sets the retransmission timer anew (RFC 6675, 6), as in ns-2 and Linux.
    pub rearm_at_fast_retransmit: bool,
    /// The wait before the first SYN is repeated; it doubles with every further one.
    #[serde(deserialize_with = "quantity::read")]
    pub syn_timeout: Duration,
    /// SYNs sent before the connection fails.
    pub syn_attempts: u32,
}

impl Default for TcpConfig {
    fn default() -> TcpConfig {
        TcpConfig {
            algorithm: "newreno".to_owned(),
            mss: Bytes::new(1460),
            header: Bytes::new(40),
            initial_window: InitialWindow::Packets(10.0),
            initial_ssthresh: Threshold(f64::INFINITY),
            receive_window: ReceiveWindow::Unlimited,
            ack_every: 2,
            ack_delay: Duration::from_millis(200),
            timestamps: false,
            limited_transmit: true,
            handshake: true,
            ecn: None,
            rto_initial: Duration::from_secs(1),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            clock_granularity: Duration::from_millis(1),
            rearm_at_fast_retransmit: false,
            syn_timeout: Duration::from_secs(1),
            syn_attempts: 7,
        }
    }
}

fn read_ecn<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EcnMode>, D::Error> {
    const NAMES: &[&str] = &["off", "classic", "accurate"];
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    match text.trim() {
        "off" => Ok(Some(EcnMode::Off)),
        "classic" => Ok(Some(EcnMode::Classic)),
        "accurate" => Ok(Some(EcnMode::Accurate)),
        _ => Err(de::Error::unknown_variant(&text, NAMES)),
    }
}
