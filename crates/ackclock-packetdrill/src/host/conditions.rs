//! The settings of a system, and what a script changes of them.

use std::sync::Arc;

use ackclock_congestion::CongestionControl;
use ackclock_scenario::TcpConfig;
use ackclock_transport::tcp::{EcnMode, Recovery, Settings};
use ackclock_transport::{Controller, Transport, Variant};
use serde_json::{Map, Value, json};

use crate::read::shell::Change;

/// Variables that change nothing here: buffers, the division into large segments, and defaults that a simulated TCP has in any case.
const WITHOUT_MEANING: &[&str] = &[
    "tcp_rmem",
    "tcp_wmem",
    "tcp_mem",
    "tcp_fack",
    "tcp_tso_win_divisor",
    "tcp_min_tso_segs",
    "tcp_pacing_ss_ratio",
    "tcp_pacing_ca_ratio",
    "tcp_notsent_lowat",
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_syncookies",
    "tcp_no_metrics_save",
    "tcp_synack_retries",
    "tcp_window_scaling",
    "tcp_tso_rtt_log",
    "tcp_autocorking",
    "tcp_limit_output_bytes",
    "tcp_fin_timeout",
    "tcp_invalid_ratelimit",
    "tcp_moderate_rcvbuf",
    "tcp_ecn_option_beacon",
    "tcp_thin_linear_timeouts",
    "tcp_min_snd_mss",
    "tcp_shrink_window",
];

/// The options of a connection on which its two ends agree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    /// Payload bytes of a full segment.
    pub mss: u16,
    pub sack: bool,
    pub timestamps: bool,
    pub ecn: EcnMode,
}

/// The parts of a connection.
pub(super) struct Made {
    pub settings: Arc<Settings>,
    pub recovery: Recovery,
    pub controller: Box<dyn CongestionControl>,
}

/// The conditions of the connections that open from now on.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    /// The keys of `[tcp]` that the script sets.
    script: Map<String, Value>,
    /// Those that the caller sets, which count more.
    caller: Map<String, Value>,
    pub sack: bool,
    pub timestamps: bool,
    /// `tcp_ecn`.
    pub ecn: u8,
}

impl Conditions {
    pub fn new(tcp: &Map<String, Value>) -> Result<Conditions, String> {
        let mut conditions =
            Conditions { script: Map::new(), caller: tcp.clone(), sack: true, timestamps: false, ecn: 2 };
        let config = conditions.config(&[])?;
        conditions.timestamps = config.settings.timestamps;
        Ok(conditions)
    }

    /// Makes a change.
    pub fn apply(&mut self, change: &Change) -> Result<(), String> {
        match change {
            Change::Pacing(paces) => self.set("pacing", json!(if *paces { "auto" } else { "algorithm" })),
            Change::InitialWindow(window) => self.set("initial_window", json!(format!("{window} packets"))),
            Change::Sysctl(name, value) => return self.set_variable(name, value),
        }
        Ok(())
    }

    fn set(&mut self, key: &str, value: Value) {
        self.script.insert(key.to_owned(), value);
    }

    fn set_variable(&mut self, name: &str, value: &str) -> Result<(), String> {
        let refused = || format!("{name}={value}");
        let number = || -> Result<u64, String> {
            value
                .strip_prefix("0x")
                .map_or_else(|| value.parse(), |digits| u64::from_str_radix(digits, 16))
                .map_err(|_| refused())
        };
        match name {
            "tcp_timestamps" => self.timestamps = number()? != 0,
            "tcp_sack" => self.sack = number()? != 0,
            "tcp_dsack" => self.set("dsack", json!(number()? != 0)),
            "tcp_frto" => self.set("frto", json!(number()? != 0)),
            "tcp_slow_start_after_idle" => self.set("restart_after_idle", json!(number()? != 0)),
            "tcp_early_retrans" => self.set("loss_probes", json!(number()? >= 3)),
            "tcp_syn_retries" => self.set("syn_attempts", json!(number()? + 1)),
            "tcp_syn_linear_timeouts" => self.set("syn_linear_timeouts", json!(number()?)),
            "tcp_ecn" => self.ecn = number()? as u8,
            "tcp_ecn_option" => {
                self.set("accecn_option", json!(number()? != 0));
                self.set("accecn_option_always", json!(number()? >= 2));
            }
            "tcp_ecn_fallback" => self.set("ecn_fallback", json!(number()? != 0)),
            "tcp_congestion_control" => self.set("algorithm", json!(algorithm(value)?)),
            "tcp_recovery" if number()? & 1 == 1 => {}
            "tcp_reordering" if number()? == 3 => {}
            "tcp_mtu_probing" | "tcp_abc" if number()? == 0 => {}
            _ if WITHOUT_MEANING.contains(&name) => {}
            _ => return Err(format!("the variable {}", refused())),
        }
        Ok(())
    }

    fn config(&self, more: &[(&str, Value)]) -> Result<TcpConfig, String> {
        let mut keys = self.script.clone();
        keys.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        keys.extend(self.caller.clone());
        TcpConfig::from_json(&Value::Object(keys).to_string()).map_err(|error| error.to_string())
    }

    /// The parts of a connection with these agreed options and the keys of its socket.
    pub fn make(&self, agreed: Agreed, own: &[(&str, Value)]) -> Result<Made, String> {
        let mut keys =
            vec![("mss", json!(format!("{} bytes", agreed.mss))), ("timestamps", json!(agreed.timestamps))];
        keys.extend(own.iter().cloned());
        let config = self.config(&keys)?;
        let variant = Variant::parse(&config.algorithm, &[]).map_err(|error| error.to_string())?;
        let (Transport::Tcp(recovery), Controller::Known(spec)) = (variant.transport, variant.controller)
        else {
            return Err(format!("{} is no algorithm of TCP", config.algorithm));
        };
        let recovery = if agreed.sack { recovery } else { Recovery::NewReno };
        let controller = spec.build(&config.start());
        let needed = EcnMode::for_needs(controller.needs());
        let ecn = if needed == EcnMode::Off { agreed.ecn } else { needed };
        let settings = Settings { ecn, ..config.connection((ecn, recovery)) };
        Ok(Made { settings: Arc::new(settings), recovery, controller })
    }

    /// ECN of a connection that this end opens.
    pub fn ecn_of_client(&self) -> EcnMode {
        match self.ecn {
            1 | 4 => EcnMode::Classic,
            3 => EcnMode::Accurate,
            _ => EcnMode::Off,
        }
    }

    /// ECN of a connection whose SYN has this field ACE.
    pub fn ecn_of_server(&self, ace: u8) -> EcnMode {
        match (self.ecn, ace) {
            (0, _) => EcnMode::Off,
            // RFC 9768, 3.1.2: any flags but those of classic ECN ask for accurate ECN.
            (3.., 1 | 2 | 4..) => EcnMode::Accurate,
            (_, 3 | 7) => EcnMode::Classic,
            _ => EcnMode::Off,
        }
    }
}

/// The algorithm of Linux' name for a congestion control.
pub(super) fn algorithm(name: &str) -> Result<String, String> {
    let known = match name {
        "cubic" => "rack+hystart-linux+cubic-linux".to_owned(),
        "bbr" => "rack+bbr1".to_owned(),
        _ => format!("rack+{name}"),
    };
    Variant::parse(&known, &[]).map(|_| known).map_err(|_| format!("the congestion control {name}"))
}
