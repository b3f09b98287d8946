//! `[tcp]`: the behaviour of TCP endpoints.

use std::sync::LazyLock;

use ackclock_congestion::Start;
use ackclock_transport::tcp::{ConnectionCount, EcnMode, Recovery, Settings, Sharing};
use ackclock_units::{Bytes, Rate};
use serde::{Deserialize, Deserializer, de};

use super::{algorithm, systems};
use crate::read::error::{Checked, ScenarioError};
use crate::read::key::Key;
use crate::read::{flatten, quantity, reader, settings, tree};
use crate::values::packets::LARGEST_PACKET;
use crate::values::window::{InitialWindow, ReceiveWindow, Threshold};

/// The behaviour of a TCP connection: the table `[tcp]`, and `tcp = {..}` of a flow, merged over it.
///
/// An endpoint uses the keys of [`Settings`] as written; the other keys depend on each other or on the algorithm.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TcpConfig {
    /// The system whose settings replace keys that are left out: see [`SYSTEMS`](crate::SYSTEMS).
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
    /// The window at the beginning, if the receive buffer is tuned as in Linux: it grows up to `receive_window`.
    #[serde(deserialize_with = "quantity::read_option")]
    pub initial_receive_window: Option<ReceiveWindow>,
    /// Explicit congestion notification: `"off"`, `"classic"` (RFC 3168), `"accurate"` (RFC 9768) or `"dctcp"` (RFC
    /// 8257); if omitted, as the algorithm requires.
    #[serde(deserialize_with = "read_ecn")]
    pub ecn: Option<EcnMode>,
    /// The state that a connection takes over from others between the same hosts: `"temporal"`, `"ensemble"`,
    /// `"fast-start"`, `"spand"`, `"network-adaptive"`, `"t-tcp"`, `"congestion-manager"` or `"tcp-session"`; nothing
    /// where left out.
    #[serde(deserialize_with = "read_sharing")]
    pub sharing: Option<Sharing>,
    /// The weight of a connection among those that share the window of one Congestion Manager.
    pub sharing_weight: f64,
    /// True if a fast retransmit restarts the retransmission timer (RFC 6675, 6), as in ns-2 and Linux; if omitted,
    /// the recovery decides.
    pub rearm_at_fast_retransmit: Option<bool>,
    /// The other keys.
    #[serde(skip)]
    pub settings: Settings,
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
            ecn: None,
            sharing: None,
            sharing_weight: 1.0,
            rearm_at_fast_retransmit: None,
            settings: Settings::default(),
        }
    }
}

/// The keys that do not belong to [`Settings`].
struct Own(TcpConfig);

impl<'de> Deserialize<'de> for Own {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Own, D::Error> {
        TcpConfig::deserialize(from).map(Own)
    }
}

impl<'de> Deserialize<'de> for TcpConfig {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TcpConfig, D::Error> {
        static KEYS: LazyLock<Vec<&str>> = LazyLock::new(|| {
            flatten::keys_of::<Own>().iter().copied().chain(Settings::keys().map(|(name, _)| name)).collect()
        });
        let (settings, Own(config)) = flatten::read(from, Settings::default(), &KEYS)?;
        Ok(TcpConfig { settings, ..config })
    }
}

impl TcpConfig {
    /// Reads the keys of a table `[tcp]` by itself, written as JSON, and completes them by those of its `system`.
    ///
    /// # Errors
    /// When the text is no JSON, or a key or its value cannot be right; keys are named as those of the table.
    pub fn from_json(text: &str) -> Result<TcpConfig, ScenarioError> {
        let table = Key::top("tcp");
        let mut keys = tree::from_json(text)?;
        systems::complete(&mut keys, "tcp")?;
        let config: TcpConfig = reader::read_below(&keys, &table)?;
        config.check(&table, &[])?;
        Ok(config)
    }

    /// The initial window and threshold of a controller.
    pub fn start(&self) -> Start {
        Start {
            initial_window: self.initial_window.packets(self.mss),
            initial_ssthresh: self.initial_ssthresh.0,
            ..Start::default()
        }
    }

    /// The bytes on the wire in addition to the payload, with T/TCP's option if connections are transactions.
    pub fn header_bytes(&self) -> u32 {
        let option = if self.sharing == Some(Sharing::TTcp) { ConnectionCount::OPTION_BYTES } else { 0 };
        self.header.get() as u32 + option
    }

    /// The settings of a connection. If the scenario does not decide them, the algorithm decides the echo of marks,
    /// `ecn`, and its recovery the timer at a fast retransmit.
    pub fn connection(&self, (ecn, recovery): (EcnMode, Recovery)) -> Settings {
        let bytes_of = |window: ReceiveWindow| {
            let bytes = window.bytes(self.mss).map_or(u64::from(u32::MAX), Bytes::get);
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let rearms = self.rearm_at_fast_retransmit.unwrap_or(recovery.rearms_at_fast_retransmit());
        Settings {
            mss: self.mss.get() as u16,
            initial_window: self.initial_window.packets(self.mss),
            initial_ssthresh: self.initial_ssthresh.0,
            receive_window: bytes_of(self.receive_window),
            initial_receive_window: self.initial_receive_window.map(bytes_of),
            ecn: self.ecn.unwrap_or(ecn),
            rearm_at_fast_retransmit: rearms,
            fast_start_after_idle: self.sharing == Some(Sharing::FastStart),
            ..self.settings.clone()
        }
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
        if self.settings.read_rate == Some(Rate::default()) {
            let message = "found 0 bit/s; an application that reads nothing at all ends no transfer";
            return Err(at.then("read_rate").wrong(Rate::default(), message));
        }
        settings::check(&self.settings, at)?;
        if let Some(control) = &self.settings.receiver_control
            && !self.settings.timestamps
        {
            let message =
                format!("found {control}, which measures delays by timestamps; write timestamps = true, too");
            return Err(at.then("receiver_control").wrong(control, message));
        }
        let rto = &self.settings.rto;
        for (name, span) in [("rto_initial", rto.initial), ("rto_min", rto.min)] {
            if span > rto.max {
                let message = format!("found {span}; it is at most rto_max, {}", rto.max);
                return Err(at.then(name).wrong(span, message));
            }
        }
        Ok(())
    }
}

fn read_ecn<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EcnMode>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let named = text.trim().parse();
    named.map(Some).map_err(|()| de::Error::unknown_variant(&text, EcnMode::NAMES))
}

pub(crate) fn read_sharing<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Sharing>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let named = text.trim().parse();
    named.map(Some).map_err(|()| de::Error::unknown_variant(&text, Sharing::NAMES))
}
