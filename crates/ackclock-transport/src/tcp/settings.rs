use std::str::FromStr;

use ackclock_units::{Duration, Rate};

/// The settings of a TCP connection, shared by connections with equal settings.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing on or off")]
pub struct Settings {
    /// Maximum segment size: payload bytes per packet.
    pub mss: u16,
    /// The initial congestion window in packets (RFC 5681, 3390, 6928).
    pub initial_window: f64,
    /// The initial slow-start threshold in packets; infinite for none.
    pub initial_ssthresh: f64,
    /// The receive buffer in bytes, which is what the receiver advertises; room for one segment at least.
    pub receive_window: u32,
    /// The size of the receive buffer at the beginning, where it is tuned: it grows to `receive_window` at most. None for no
    /// tuning.
    pub initial_receive_window: Option<u32>,
    /// The rate at which the receiving application reads; none where it reads at once.
    pub read_rate: Option<Rate>,
    /// One acknowledgment for every so many in-order segments; 1 switches delayed ACKs off (RFC 5681, 4.2).
    pub segments_per_ack: u32,
    /// The longest an acknowledgment is delayed.
    pub ack_delay: Duration,
    /// True if the acknowledgment of a FIN is delayed as that of data. Without it a FIN is acknowledged at once, as in
    /// Linux and BSD; ns-2's one-way TCP has no FIN, so that its receiver delays the last acknowledgment, too.
    pub delay_fin_ack: bool,
    /// True if the acknowledgment of a SYN is delayed, as in ns-2 before February 2010 (`SYN_immediate_ack_`).
    pub delay_syn_ack: bool,
    /// True if segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// True if the first two duplicate ACKs send new data (RFC 3042).
    pub limited_transmit: bool,
    /// True if the connection opens with SYN and closes with FIN; without, it is established from its start.
    pub handshake: bool,
    /// True if a connection ends by a reset: an application that stops gives up what is in flight, and a reset follows the last
    /// acknowledgment in place of a FIN (RFC 9293, 3.10.5: ABORT).
    pub close_by_reset: bool,
    /// True if data goes in the SYN of a connection to a server whose cookie is known (RFC 7413).
    pub fast_open: bool,
    /// Segments of a slow start are acknowledged at once, whatever `segments_per_ack` says (Allman 1998).
    pub delay_acks_after_slow_start: bool,
    /// After an idle time the window stays, on trial, and is not the initial one (TCP Fast Start).
    pub fast_start_after_idle: bool,
    /// True if the network may mark packets instead of dropping them, and how the receiver echoes that.
    pub ecn: EcnMode,
    /// True if acknowledgments count bytes by codepoint in an option, where they are accurate about marks (RFC 9768, 3.2.3).
    pub accecn_option: bool,
    /// The retransmission timer.
    pub rto: RtoSettings,
    /// True if a fast retransmit sets the timer anew, as in ns-2 and Linux. RFC 6298 does not ask for it; RFC 6675, 6,
    /// leaves a sender the choice.
    pub rearm_at_fast_retransmit: bool,
    /// How far SND.UNA must have advanced for duplicates to mean another loss, in recoveries without SACK.
    pub fast_retransmit_beyond: FastRetransmitBeyond,
    /// RACK's reordering timer expires so much later than RFC 8985, 6.2, computes, as timers of kernels do. An acknowledgment
    /// in between finds the losses by itself. Linux adds 2 ms (`TCP_TIMEOUT_MIN_US`) and rounds up to a jiffy.
    pub reordering_timer_slack: Duration,
    /// The timeout of the first SYN; it doubles with each further one.
    pub syn_timeout: Duration,
    /// The number of SYNs before the connection fails.
    pub syn_attempts: u32,
    /// Duplicate ACKs that mean a loss (RFC 5681: three).
    pub duplicate_threshold: u32,
    /// The pacing of controllers that set no rate themselves.
    pub pacing: Pacing,
    /// True if receivers with SACK report data that arrived again (RFC 2883), and senders undo an episode all of whose
    /// retransmissions are reported so (RFC 3708).
    pub dsack: bool,
    /// True if a timeout is judged by the two acknowledgments after it (RFC 5682).
    pub frto: bool,
    /// True if fewer duplicates mean a loss where fewer than four segments are outstanding (RFC 5827), in recoveries that
    /// count duplicates.
    pub early_retransmit: bool,
    /// True if windows of less than four segments leave as four smaller ones (TCP-SF). Controllers that take samples or pace
    /// count segments as packets, whatever their size.
    pub smart_framing: bool,
    /// True if each acknowledgment of new data counts as one packet for the growth of the window, as in RFC 2581, and not
    /// the data that it covers (RFC 3465).
    pub count_acknowledgments: bool,
    /// A misbehaving receiver sends so many acknowledgments in place of each, which together cover the same data (Savage et
    /// al. 1999, 2.1); 1 for an honest one.
    pub ack_splitting: u32,
    /// A misbehaving receiver acknowledges so many segments more than have arrived, and conceals losses (Savage et al. 1999,
    /// 2.3); 0 for an honest one.
    pub optimistic_acks: u32,
    /// A misbehaving receiver echoes no marks.
    pub hide_marks: bool,
}

/// The pacing of controllers that set no rate themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pacing {
    /// None: segments leave as the window allows.
    #[default]
    Algorithm,
    /// As in Linux: at twice the window over the round-trip time in slow start, at 1.2 times it afterwards.
    Auto,
    /// As RFC 9002, 7.7, proposes: at 1.25 times the window over the round-trip time.
    Rfc9002,
}

impl Pacing {
    /// The names by which [`FromStr`] reads them.
    pub const NAMES: &[&str] = &["algorithm", "auto", "rfc9002"];
}

impl FromStr for Pacing {
    type Err = ();

    fn from_str(name: &str) -> Result<Pacing, ()> {
        match name {
            "algorithm" => Ok(Pacing::Algorithm),
            "auto" => Ok(Pacing::Auto),
            "rfc9002" => Ok(Pacing::Rfc9002),
            _ => Err(()),
        }
    }
}

/// Explicit congestion notification, where both ends are of a mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcnMode {
    /// Packets are not ECN-capable.
    #[default]
    Off,
    /// The receiver echoes a mark until the sender says that it has reduced its window (RFC 3168).
    Classic,
    /// The receiver's acknowledgments say which packets were marked (RFC 8257, 3.2); SYNs are ECN-capable, too.
    DataCentre,
    /// The receiver's acknowledgments have a counter of marked packets, modulo eight (RFC 9768).
    Accurate,
}

/// What must be acknowledged before the third duplicate means another loss (RFC 6582, section 4, and 3.2, steps 1 and 4). It
/// concerns `tahoe`, `reno` and `vegas`; NewReno always asks for more than its last episode covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FastRetransmitBeyond {
    /// Nothing: each third duplicate is a loss, also of segments that a restart sent again needlessly (RFC 5681, 3.2; ns-2
    /// with `bugFix_` false).
    Nothing,
    /// More than had been sent at the last restart, so that its needless retransmissions cause no episode.
    #[default]
    Restart,
    /// More than had been sent at the last fast retransmit or restart: one fast retransmit for a window of data (ns-2 with
    /// `bugFix_` true, its default).
    Recover,
}

impl FastRetransmitBeyond {
    /// The names by which [`FromStr`] reads them.
    pub const NAMES: &[&str] = &["nothing", "restart", "recover"];
}

impl FromStr for FastRetransmitBeyond {
    type Err = ();

    fn from_str(name: &str) -> Result<FastRetransmitBeyond, ()> {
        match name {
            "nothing" => Ok(FastRetransmitBeyond::Nothing),
            "restart" => Ok(FastRetransmitBeyond::Restart),
            "recover" => Ok(FastRetransmitBeyond::Recover),
            _ => Err(()),
        }
    }
}

/// The retransmission timer's constants (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoSettings {
    /// Before the first round-trip time is measured.
    pub initial: Duration,
    /// The least timeout.
    pub min: Duration,
    /// The largest timeout, back-off included.
    pub max: Duration,
    /// The clock's tick G.
    pub granularity: Duration,
    /// The event that ends the back-off.
    pub backoff_until: BackoffUntil,
    /// After so many expiries in a row SRTT and RTTVAR are cleared: RFC 6298, 5, permits it, and ns-2 does it after four.
    /// None never clears them.
    pub clear_after: Option<u32>,
}

/// The round-trip time that ends the back-off of the retransmission timeout (RFC 6298, 5: "once a new RTT measurement is
/// obtained (which can only happen when new data has been sent and acknowledged)").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackoffUntil {
    /// One measured by an acknowledgment that advances SND.UNA, as in ns-2: in RFC 6298, 5.2 and 5.3, that alone
    /// "acknowledges new data", and data selectively acknowledged may be discarded yet (RFC 2018, 8).
    #[default]
    NewData,
    /// Any, also of a segment selectively acknowledged, as in Linux (`tcp_ack_update_rtt`). RFC 8961, 4, (4), allows it:
    /// "subsequent successful transmission of non-retransmitted data".
    AnySample,
}

impl BackoffUntil {
    /// The names by which [`FromStr`] reads them.
    pub const NAMES: &[&str] = &["new-data", "any-sample"];
}

impl FromStr for BackoffUntil {
    type Err = ();

    fn from_str(name: &str) -> Result<BackoffUntil, ()> {
        match name {
            "new-data" => Ok(BackoffUntil::NewData),
            "any-sample" => Ok(BackoffUntil::AnySample),
            _ => Err(()),
        }
    }
}

impl Default for RtoSettings {
    /// RFC 6298: 1 s before the first measurement, at least 1 s, at most 60 s.
    fn default() -> RtoSettings {
        RtoSettings {
            initial: Duration::from_secs(1),
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            granularity: Duration::from_millis(1),
            backoff_until: BackoffUntil::NewData,
            clear_after: None,
        }
    }
}

impl Settings {
    /// True if acknowledgments say more, or are taken otherwise, than by RFC 5681 and RFC 6675: duplicates are reported,
    /// timeouts judged, thresholds lowered, or other things counted than segments.
    pub(crate) fn refines_acks(&self) -> bool {
        self.dsack || self.frto || self.early_retransmit || !self.counts_segments()
    }

    /// True if the window counts segments: neither acknowledgments in place of them, nor segments of several sizes.
    pub(crate) fn counts_segments(&self) -> bool {
        !self.count_acknowledgments && !self.smart_framing
    }

    /// True if senders mark segments by their phase, or may come to.
    pub(crate) fn marks_segments(&self) -> bool {
        self.delay_acks_after_slow_start || self.fast_start_after_idle
    }

    /// The receive window that a connection begins with.
    pub fn first_window(&self) -> u32 {
        self.initial_receive_window.map_or(self.receive_window, |window| window.min(self.receive_window))
    }
}

impl Default for Settings {
    /// A modern sender by the RFCs: ten packets of initial window, delayed ACKs, limited transmit.
    fn default() -> Settings {
        Settings {
            mss: 1460,
            initial_window: 10.0,
            initial_ssthresh: f64::INFINITY,
            receive_window: u32::MAX,
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
            fast_start_after_idle: false,
            ecn: EcnMode::Off,
            accecn_option: false,
            rto: RtoSettings::default(),
            rearm_at_fast_retransmit: false,
            fast_retransmit_beyond: FastRetransmitBeyond::Restart,
            reordering_timer_slack: Duration::ZERO,
            syn_timeout: Duration::from_secs(1),
            syn_attempts: 7,
            duplicate_threshold: 3,
            pacing: Pacing::Algorithm,
            dsack: false,
            frto: false,
            early_retransmit: false,
            smart_framing: false,
            count_acknowledgments: false,
            ack_splitting: 1,
            optimistic_acks: 0,
            hide_marks: false,
        }
    }
}
