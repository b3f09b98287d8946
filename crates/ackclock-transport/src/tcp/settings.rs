//! The settings of a connection, which are the keys of a scenario's table `[tcp]`: each is declared here and nowhere else.

mod declaration;

use std::ops::RangeInclusive;
use std::str::FromStr;

use ackclock_catalogue::{Key, Part};
use ackclock_congestion::Needs;
use ackclock_units::{Duration, Rate};

pub use declaration::{Named, Setting};

use declaration::{Declared, named, settings};

/// The shortest timeout. A run with shorter timeouts would spend its time on timers, not on packets.
pub const SHORTEST_TIMEOUT: Duration = Duration::from_micros(1);

/// The longest delay and timeout, 11 days: sums of them stay far below the last instant.
pub const LONGEST_TIMEOUT: Duration = Duration::from_secs(1_000_000);

const TIMEOUTS: RangeInclusive<Duration> = SHORTEST_TIMEOUT..=LONGEST_TIMEOUT;
const DELAYS: RangeInclusive<Duration> = Duration::ZERO..=LONGEST_TIMEOUT;

/// The most segments that an acknowledgment stands for, or runs ahead of.
const MOST_SEGMENTS: u32 = 1_000_000;

/// The most acknowledgments instead of one: as many as a segment has bytes, usually.
const MOST_PIECES: u32 = 1460;

/// The most SYNs of a connection.
const MOST_SYNS: u32 = 100;

settings! {
    /// The settings of a TCP connection, shared by connections with equal settings. The defaults are those of a modern
    /// sender that follows the RFCs: an initial window of ten packets, delayed ACKs, limited transmit.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Settings {
        resolved {
            /// Maximum segment size: payload bytes per packet.
            mss: u16 = 1460;
            /// The initial congestion window in packets (RFC 5681, 3390, 6928).
            initial_window: f64 = 10.0;
            /// The initial slow-start threshold in packets; infinite for none.
            initial_ssthresh: f64 = f64::INFINITY;
            /// The receive buffer in bytes, which is what the receiver advertises; room for one segment at least.
            receive_window: u32 = u32::MAX;
            /// The size of the receive buffer at the beginning, where it is tuned: it grows to `receive_window` at most. None for
            /// no tuning.
            initial_receive_window: Option<u32> = None;
            /// True if the network may mark packets instead of dropping them, and how the receiver echoes that.
            ecn: EcnMode = EcnMode::Off;
            /// True if a fast retransmit sets the timer anew, as in ns-2 and Linux. RFC 6298 does not ask for it; RFC 6675, 6,
            /// leaves a sender the choice.
            rearm_at_fast_retransmit: bool = false;
            /// After an idle time the window stays, on trial, and is not the initial one (TCP Fast Start).
            fast_start_after_idle: bool = false;
            /// Duplicate ACKs that mean a loss (RFC 5681: three).
            duplicate_threshold: u32 = 3;
        }
        keys {
            /// The rate at which the receiving application reads; at once where the key is left out.
            read_rate: Option<Rate> = None;
            /// The congestion control of the receiver, which sets the window that it advertises (RFC 9840): `"rledbat"`; segments must carry
            /// timestamps.
            receiver_control: Option<Part> = None;
            /// An acknowledgment for every n segments in order (RFC 1122, 4.2.3.2: two); 1 for no delayed acknowledgments.
            segments_per_ack: u32 = 2, in 1..=MOST_SEGMENTS;
            /// The longest an acknowledgment is held back.
            ack_delay: Duration = Duration::from_millis(200), in DELAYS;
            /// Acknowledgments that are not delayed at the beginning, after a pause longer than the timeout and after duplicate data, as long
            /// as the application does not answer at once: 16 in Linux (`TCP_MAX_QUICKACKS`).
            quick_acks: u32 = 0, in 0..=MOST_SEGMENTS;
            /// The acknowledgment of a FIN is delayed as that of data, as in ns-2, whose one-way TCP has no FIN. Linux and BSD
            /// acknowledge a FIN at once.
            delay_fin_ack: bool = false;
            /// The acknowledgment of a SYN is delayed, as in ns-2 before February 2010 (`SYN_immediate_ack_`).
            delay_syn_ack: bool = false;
            /// Segments carry timestamps (RFC 7323).
            timestamps: bool = false;
            /// The first two duplicate acknowledgments send new data (RFC 3042).
            limited_transmit: bool = true;
            /// Connections begin with a handshake and close with a FIN; without one they start established, as ns-2's one-way TCP.
            handshake: bool = true;
            /// Connections end by a reset instead of a FIN (RFC 9293, 3.10.5): an application that stops gives up what is in flight.
            close_by_reset: bool = false;
            /// Data goes in the SYN of all connections to a server but the first (RFC 7413).
            fast_open: bool = false;
            /// Segments of a slow start are acknowledged at once, whatever `segments_per_ack` says (Allman 1998).
            delay_acks_after_slow_start: bool = false;
            /// Acknowledgments count bytes by codepoint in an option, where they are accurate about marks (RFC 9768, 3.2.3).
            accecn_option: bool = false;
            /// That option is in every segment from the SYN-ACK on, with all three counters where there is room, towards a peer that
            /// sends it too, as in Linux (`tcp_ecn_option`).
            accecn_option_always: bool = false;
            /// Any change of the ECN field is acknowledged at once where acknowledgments are accurate about marks, as in Linux, and not
            /// only the change to marked packets (RFC 9768, 3.2.2.5.1).
            accecn_ack_changes: bool = false;
            /// The marks of an acknowledgment without that option that covers more than seven packets: as many as possible where
            /// marks prevail (`"prevailing"`), or unless acknowledgments usually cover more than four packets (`"linux"`).
            accecn_cycles: AccecnCycles = AccecnCycles::Prevailing;
            /// Acknowledgments without data, retransmissions and FINs are ECN-capable too where acknowledgments are accurate about
            /// marks (draft-ietf-tcpm-generalized-ecn), as in Linux.
            ecn_control_packets: bool = false;
            /// ECN is given up where SYNs with it get no answer, or the path changes its fields in the handshake (RFC 3168, 6.1.1.1;
            /// RFC 9768, 3.1.4, 3.2.2.3 and 3.2.2.4), as in Linux (`tcp_ecn_fallback`).
            ecn_fallback: bool = false;
            /// ECN is tested before it is used where acknowledgments are accurate about marks, and given up where the counts that come back
            /// do not fit what was sent (RFC 9000, 13.4.2). Each acknowledgment has the counts.
            ecn_validation: bool = false;
            /// The pacing of algorithms that set no rate themselves: none (`"algorithm"`), as in Linux (`"auto"`), or as RFC 9002
            /// proposes (`"rfc9002"`).
            pacing: Pacing = Pacing::Algorithm;
            /// Receivers with SACK report data that arrived again (RFC 2883), and senders undo an episode all of whose
            /// retransmissions are reported so (RFC 3708).
            dsack: bool = false;
            /// The two acknowledgments after a timeout show whether it was spurious (RFC 5682).
            frto: bool = false;
            /// Fewer duplicates mean a loss where fewer than four segments are outstanding (RFC 5827), in recoveries that count
            /// duplicates.
            early_retransmit: bool = false;
            /// Windows of less than four segments leave as four smaller ones (TCP-SF). Controllers that take samples or pace count
            /// segments as packets, whatever their size.
            smart_framing: bool = false;
            /// Each acknowledgment of new data counts as a packet for the growth of the window (RFC 2581), however much it covers
            /// (RFC 3465).
            count_acknowledgments: bool = false;
            /// A misbehaving receiver sends this many acknowledgments instead of one, which together cover
            /// the same data (Savage et al. 1999, 2.1); 1 for an honest one.
            ack_splitting: u32 = 1, in 1..=MOST_PIECES;
            /// A misbehaving receiver acknowledges this many segments more than have arrived, and conceals losses (Savage et al.
            /// 1999, 2.3); 0 for an honest one.
            optimistic_acks: u32 = 0, in 0..=MOST_SEGMENTS;
            /// A misbehaving receiver echoes no marks.
            hide_marks: bool = false;
            /// Duplicates mean another loss where more is acknowledged than was sent at the last `"restart"`, at the last fast
            /// retransmit or restart (`"recover"`, as in ns-2), or in any case (`"nothing"`); in recoveries without SACK.
            fast_retransmit_beyond: FastRetransmitBeyond = FastRetransmitBeyond::Restart;
            /// RACK's reordering timer expires this much later than RFC 8985, 6.2, computes: 2 ms, as in Linux (`TCP_TIMEOUT_MIN_US`).
            /// The timer of the RFC, which is 0, retransmits into a full queue where the bandwidth-delay product is some eight packets.
            reordering_timer_slack: Duration = Duration::from_millis(2);
            /// Packets that `rfc9002` has declared lost and that are acknowledged after all raise its thresholds, and the reduction is
            /// undone once all of them are (RFC 9002, 6.1).
            adapt_loss_thresholds: bool = false;
            /// Recoveries that find losses by the clock probe tails (RFC 8985, 7).
            loss_probes: bool = true;
            /// After an idle time longer than the timeout, the window starts again from the initial one (RFC 5681, 4.1).
            restart_after_idle: bool = true;
            /// How the window grows that the sender does not use in full: `"rate-limited"` (draft-ietf-ccwg-ratelimited-increase),
            /// `"rfc7661"`, `"linux"`, or `"window"`: not at all.
            limited_growth: LimitedGrowth = LimitedGrowth::RateLimited;
            /// The window grows by what is selectively acknowledged, too, once `rack` has seen reordering by more segments than the duplicates
            /// that mean a loss (`tcp_may_raise_cwnd`).
            grow_by_sack: bool = false;
            /// The quantity that a loss reduces: what is outstanding (`"flight"`, RFC 5681), or the window (`"window"`, as in Linux).
            reduction_base: ReductionBase = ReductionBase::Flight;
            /// Proportional rate reduction in `rack` and `prr`: `"rfc6937"`, `"rfc9937"`, or as in Linux (`"linux"`).
            proportional_rate: ProportionalRate = ProportionalRate::Rfc6937;
            /// Proportional rate reduction brings the window down after marks, too, as in Linux (`tcp_enter_cwr`).
            reduction_for_marks: bool = false;
            /// The acknowledgment that ends recovery grows the window like any other, as in Linux (`tcp_cong_control`).
            growth_at_end_of_recovery: bool = false;
            /// A retransmission that is lost lowers the window again in `rack`, if it was sent in an earlier round trip (RFC 8985, 3.4).
            /// Linux leaves it to the proportional reduction.
            reduce_again: bool = true;
            /// The wait of a loss probe after a lone segment: the receiver's delay of acknowledgments (`"rfc8985"`), or as in Linux the
            /// least timeout, and 2 ms after several (`"linux"`).
            loss_probe_wait: LossProbeWait = LossProbeWait::Rfc8985;
            /// `RACK.rtt` after an acknowledgment of several segments, whose order RFC 8985, 6.2, leaves open: that of the latest-sent
            /// one (`"latest-sent"`), or of the highest one acknowledged cumulatively, if any, else selectively (`"linux"`).
            rack_rtt: RackRtt = RackRtt::LatestSent;
            /// The initial window after SYNs sent again: one segment after any (`"rfc5681"`), after more than one (`"rfc6928"`), or as
            /// it is (`"kept"`).
            window_after_lost_syn: WindowAfterLostSyn = WindowAfterLostSyn::Rfc6928;
            /// The wait before the first SYN is repeated; it doubles with every further one.
            syn_timeout: Duration = Duration::from_secs(1), in TIMEOUTS;
            /// Repetitions of a SYN before the wait begins to double, 4 in Linux 6.5 and later (`tcp_syn_linear_timeouts`).
            syn_linear_timeouts: u32 = 0, in 0..=MOST_SYNS;
            /// SYNs sent before the connection fails.
            syn_attempts: u32 = 7, in 1..=MOST_SYNS;
        }
        concerns {
            /// The retransmission timer.
            rto: RtoSettings;
        }
    }
}

settings! {
    /// The retransmission timer's constants, by default those of RFC 6298.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RtoSettings {
        resolved {}
        keys {
            /// The retransmission timeout before the first round-trip sample (RFC 6298, 2.1).
            initial as "rto_initial": Duration = Duration::from_secs(1), in TIMEOUTS;
            /// The least retransmission timeout (RFC 6298, 2.4).
            min as "rto_min": Duration = Duration::from_secs(1), in TIMEOUTS;
            /// The quantity that the least timeout bounds: the timeout (`"timeout"`, RFC 6298, 2.4), or four times the variation (`"variation"`, as in
            /// Linux).
            min_bounds as "rto_min_bounds": MinBounds = MinBounds::Timeout;
            /// The greatest retransmission timeout, backed off or not (RFC 6298, 2.5).
            max as "rto_max": Duration = Duration::from_secs(60), in TIMEOUTS;
            /// The tick of the clock that measures round-trip times (RFC 6298's G).
            granularity as "clock_granularity": Duration = Duration::from_millis(1), in DELAYS;
            /// The round-trip sample that ends the back-off of the timeout: `"new-data"`, of an acknowledgment of new data
            /// (RFC 6298, 5), or `"any-sample"`, also of a selective acknowledgment, as in Linux.
            backoff_until as "rto_backoff_until": BackoffUntil = BackoffUntil::NewData;
            /// SRTT and RTTVAR are cleared after this many timeouts in a row (RFC 6298, 5), 4 in ns-2; never where it is 0.
            clear_after as "rtt_clear_after": Option<u32> = None;
        }
        concerns {}
    }
}

named! {
    /// The marks that an acknowledgment of many packets reports, whose counter may have cycled.
    #[non_exhaustive]
    pub enum AccecnCycles {
        /// As many as the field and the packets permit, if it or the one before reports marks (RFC 9768, A.2.1).
        #[default]
        Prevailing = "prevailing",
        /// As many as that, unless acknowledgments usually cover more than four packets (`__tcp_accecn_process`).
        Linux = "linux",
    }
}

named! {
    /// The pacing of controllers that set no rate themselves.
    #[non_exhaustive]
    pub enum Pacing {
        /// None: segments leave as the window allows.
        #[default]
        Algorithm = "algorithm",
        /// As in Linux: at twice the window over the round-trip time in slow start, at 1.2 times it afterwards.
        Auto = "auto",
        /// As RFC 9002, 7.7, proposes: at 1.25 times the window over the round-trip time.
        Rfc9002 = "rfc9002",
    }
}

named! {
    /// The growth of a window that the sender does not use in full.
    #[non_exhaustive]
    pub enum LimitedGrowth {
        /// To twice the largest flight since the last reduction in slow start, and to a segment more than that in congestion
        /// avoidance (draft-ietf-ccwg-ratelimited-increase).
        #[default]
        RateLimited = "rate-limited",
        /// In slow start while it is below twice the most segments out in the latest window; in congestion avoidance while the latest
        /// window was used in full (`tcp_is_cwnd_limited`).
        Linux = "linux",
        /// As if it were used in full, while half of it was acknowledged in a recent round trip (RFC 7661, the validated phase), and
        /// otherwise not at all. A window that is not validated is paced, reduced by a loss to a share of what was used, and halved after
        /// five minutes.
        Rfc7661 = "rfc7661",
        /// Not at all.
        Window = "window",
    }
}

named! {
    /// The packets that a response to a loss reduces.
    #[non_exhaustive]
    pub enum ReductionBase {
        /// Those outstanding, FlightSize (RFC 5681, equation 4).
        #[default]
        Flight = "flight",
        /// Those that the window permits.
        Window = "window",
    }
}

named! {
    /// The rule of proportional rate reduction.
    #[non_exhaustive]
    pub enum ProportionalRate {
        /// RFC 6937, with the bound of slow start.
        #[default]
        Rfc6937 = "rfc6937",
        /// RFC 9937: a segment more than was delivered where SND.UNA advances and nothing else is lost.
        Rfc9937 = "rfc9937",
        /// RFC 9937 with the window before the loss in place of what was outstanding (`tcp_cwnd_reduction`).
        Linux = "linux",
    }
}

named! {
    /// The wait of a loss probe beyond two round trips.
    #[non_exhaustive]
    pub enum LossProbeWait {
        /// The receiver's delay of acknowledgments, where one segment is outstanding (RFC 8985, 7.2).
        #[default]
        Rfc8985 = "rfc8985",
        /// The least timeout, where one segment is outstanding, and 2 ms otherwise (`tcp_schedule_loss_probe`).
        Linux = "linux",
    }
}

named! {
    /// The segment whose round-trip time is `RACK.rtt`, of those that an acknowledgment newly covers.
    #[non_exhaustive]
    pub enum RackRtt {
        /// The latest-sent.
        #[default]
        LatestSent = "latest-sent",
        /// The highest one acknowledged cumulatively, if there is one, and otherwise selectively (`tcp_rack_advance`).
        Linux = "linux",
    }
}

named! {
    /// The initial window of a connection whose SYN was sent again.
    #[non_exhaustive]
    pub enum WindowAfterLostSyn {
        /// One segment (RFC 5681, 3.1).
        Rfc5681 = "rfc5681",
        /// One segment where more than one SYN was sent again (RFC 6928, 2).
        #[default]
        Rfc6928 = "rfc6928",
        /// The usual one.
        Kept = "kept",
    }
}

named! {
    /// The part of the retransmission timeout that has a minimum.
    #[non_exhaustive]
    pub enum MinBounds {
        /// The whole.
        #[default]
        Timeout = "timeout",
        /// The part for the variation, which is added to SRTT.
        Variation = "variation",
    }
}

named! {
    /// Explicit congestion notification, where both ends are of a mind.
    #[non_exhaustive]
    pub enum EcnMode {
        /// Packets are not ECN-capable.
        #[default]
        Off = "off",
        /// The receiver echoes a mark until the sender says that it has reduced its window (RFC 3168).
        Classic = "classic",
        /// The receiver's acknowledgments have a counter of marked packets, modulo eight (RFC 9768).
        Accurate = "accurate",
        /// The receiver's acknowledgments say which packets were marked (RFC 8257, 3.2); SYNs are ECN-capable, too.
        DataCentre = "dctcp",
    }
}

named! {
    /// How much must be acknowledged before the third duplicate means another loss (RFC 6582, section 4, and 3.2, steps
    /// 1 and 4). It concerns `tahoe`, `reno` and `vegas`; NewReno always requires more than its last episode covered.
    #[non_exhaustive]
    pub enum FastRetransmitBeyond {
        /// Nothing: each third duplicate means a loss, even if a restart's needless retransmissions caused it (RFC
        /// 5681, 3.2; ns-2 with `bugFix_` false).
        Nothing = "nothing",
        /// More than had been sent at the last restart, so that its needless retransmissions cause no episode.
        #[default]
        Restart = "restart",
        /// More than had been sent at the last fast retransmit or restart: one fast retransmit for a window of data (ns-2 with
        /// `bugFix_` true, its default).
        Recover = "recover",
    }
}

named! {
    /// The round-trip time that ends the back-off of the retransmission timeout (RFC 6298, 5: "once a new RTT measurement is
    /// obtained (which can only happen when new data has been sent and acknowledged)").
    #[non_exhaustive]
    pub enum BackoffUntil {
        /// A round-trip time measured by an acknowledgment that advances SND.UNA, as in ns-2. In RFC 6298, 5.2 and 5.3,
        /// only that "acknowledges new data", and selectively acknowledged data may still be discarded (RFC 2018, 8).
        #[default]
        NewData = "new-data",
        /// Any round-trip time, even of a selectively acknowledged segment, as in Linux (`tcp_ack_update_rtt`). RFC
        /// 8961, 4, (4), allows it: "subsequent successful transmission of non-retransmitted data".
        AnySample = "any-sample",
    }
}

impl EcnMode {
    /// The echo of marks that a controller needs: on the Internet the echo of L4S (RFC 9331, 4.2), elsewhere the echo of DCTCP.
    pub fn for_needs(needs: Needs) -> EcnMode {
        match (needs.accurate_ecn, needs.l4s) {
            (false, _) => EcnMode::Off,
            (true, false) => EcnMode::DataCentre,
            (true, true) => EcnMode::Accurate,
        }
    }
}

impl Settings {
    /// The switch with this name, for the entry of the mechanism that it switches on. The catalogue shows the sentence
    /// of its declaration.
    pub(crate) const fn switch(name: &'static str) -> Key {
        let mut place = 0;
        while place < Settings::OWN_KEYS.len() {
            let (known, sentence) = Settings::OWN_KEYS[place];
            if is_same(known, name) {
                return Key::optional(known, "true", sentence);
            }
            place += 1;
        }
        panic!("no key has this name")
    }

    /// True if acknowledgments report more, or are processed differently, than in RFC 5681 and RFC 6675: duplicates are
    /// reported, timeouts judged, thresholds lowered, windows validated, or units other than segments counted.
    pub(crate) fn refines_acks(&self) -> bool {
        self.dsack
            || self.frto
            || self.early_retransmit
            || self.grow_by_sack
            || self.validates_windows()
            || !self.counts_segments()
    }

    /// True if what every acknowledgment covers decides whether the window may grow (RFC 7661).
    pub(crate) fn validates_windows(&self) -> bool {
        self.limited_growth == LimitedGrowth::Rfc7661
    }

    /// True if the window counts segments: not acknowledgments, and not segments of several sizes.
    pub(crate) fn counts_segments(&self) -> bool {
        !self.count_acknowledgments && !self.smart_framing
    }

    /// True if senders mark segments by their phase, or may do so later.
    pub(crate) fn marks_segments(&self) -> bool {
        self.delay_acks_after_slow_start || self.fast_start_after_idle
    }

    /// The receive window with which a connection begins.
    pub fn first_window(&self) -> u32 {
        let window =
            self.initial_receive_window.map_or(self.receive_window, |size| size.min(self.receive_window));
        // A receiver that controls the window begins as a sender does.
        let controlled = self.receiver_control.as_ref().map(|_| self.initial_window.max(1.0) as u32);
        controlled.map_or(window, |packets| window.min(packets.saturating_mul(self.mss.into())))
    }
}

/// Compares texts in constants, where `==` is not available.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut place = 0;
    while place < one.len() {
        if one[place] != other[place] {
            return false;
        }
        place += 1;
    }
    true
}
