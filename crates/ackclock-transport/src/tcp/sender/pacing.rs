//! The controller's schedule: departures at its rate, and the time of its next call. Window-based controllers may be
//! paced as in Linux (`tcp_update_pacing_rate`) or by RFC 9002, at a rate that follows from the window; so are windows that are not validated
//! (RFC 7661, 4.4.2).

use ackclock_congestion::Decision;
use ackclock_units::{PacketRate, Time};

use super::super::mechanism::pacer::Pacer;
use super::super::mechanism::rtt::RttEstimator;
use super::super::settings::Pacing as PacingRule;
use super::window::Window;

/// The rate in slow start, in windows per round-trip time, since the window doubles within one.
const SLOW_START_GAIN: f64 = 2.0;

/// The rate afterwards: above one, so that the window limits the sender, not the rate.
const AVOIDANCE_GAIN: f64 = 1.2;

/// The rate of RFC 9002, 7.7, in all phases.
const RFC9002_GAIN: f64 = 1.25;

/// The segments that leave unpaced at the beginning of a connection, as in Linux.
const UNPACED: u64 = 10;

/// The schedule of departures and of the controller's calls.
pub(super) struct Pacing {
    pacer: Pacer,
    /// The time of the controller's next call; [`Time::MAX`] for never.
    wake: Time,
    rule: Rule,
}

/// The rule by which the rate follows from the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The controller sets the rate, or there is none.
    Controller,
    Linux,
    Rfc9002,
    /// A window leaves in a round trip while it is `lacking` validation, and unpaced otherwise.
    Validation {
        lacking: bool,
    },
}

impl Pacing {
    /// With `validates`, a sender that nothing else paces has to validate its window.
    pub fn new(rule: PacingRule, validates: bool) -> Pacing {
        let rule = match rule {
            PacingRule::Algorithm if validates => Rule::Validation { lacking: false },
            PacingRule::Algorithm => Rule::Controller,
            PacingRule::Auto => Rule::Linux,
            PacingRule::Rfc9002 => Rule::Rfc9002,
        };
        Pacing { pacer: Pacer::new(), wake: Time::MAX, rule }
    }

    /// The window lacks validation, or does not. Returns true if that is news.
    pub fn spread(&mut self, is_lacking: bool) -> bool {
        let Rule::Validation { lacking } = &mut self.rule else { return false };
        std::mem::replace(lacking, is_lacking) != is_lacking
    }

    /// Applies the pacing rate and the deadline of a decision; there is no deadline unless `is_active`. A deadline in
    /// the past is due now.
    pub fn apply(
        &mut self,
        now: Time,
        decision: &Decision,
        window: &Window,
        rtt: &RttEstimator,
        (outstanding, is_active): (u32, bool),
    ) {
        self.pacer.set_rate(self.rate(decision, window, rtt, outstanding));
        let wake = if is_active { decision.wake } else { None };
        self.wake = wake.map_or(Time::MAX, |wake| wake.max(now));
    }

    /// The rate of departures under a decision: that of the controller, or the automatic one. None before the first
    /// round-trip time.
    fn rate(
        &self,
        decision: &Decision,
        window: &Window,
        rtt: &RttEstimator,
        outstanding: u32,
    ) -> Option<PacketRate> {
        if self.rule == Rule::Controller {
            return decision.pacing_rate;
        }
        let srtt = rtt.srtt();
        if srtt.is_zero() {
            return None;
        }
        match self.rule {
            Rule::Rfc9002 => return Some(PacketRate(RFC9002_GAIN * decision.cwnd / srtt.as_secs_f64())),
            Rule::Validation { lacking } => {
                return lacking.then(|| PacketRate(decision.cwnd / srtt.as_secs_f64()));
            }
            Rule::Controller | Rule::Linux => {}
        }
        // Near the threshold, slow start is about to end.
        let starts = decision.cwnd < window.controller().ssthresh() / 2.0;
        let gain = if starts { SLOW_START_GAIN } else { AVOIDANCE_GAIN };
        let packets = decision.cwnd.max(f64::from(outstanding));
        Some(PacketRate(gain * packets / srtt.as_secs_f64()))
    }

    /// The time of the controller's next call.
    #[inline]
    pub fn wake(&self) -> Time {
        self.wake
    }

    /// Cancels the controller's next call: there is nothing left to decide.
    pub fn stop_wake(&mut self) {
        self.wake = Time::MAX;
    }

    /// The departure of the segment held back; [`Time::MAX`] while none is.
    #[inline]
    pub fn departure(&self) -> Time {
        self.pacer.deadline()
    }

    /// True if the next segment is held back. The interval counts from the last scheduled departure, or from `from` if
    /// given.
    #[inline]
    pub fn holds_back(&mut self, now: Time, from: Option<Time>) -> bool {
        self.pacer.holds_back(now, from)
    }

    /// Notes that no segment is held back any more.
    #[inline]
    pub fn clear(&mut self) {
        self.pacer.clear();
    }

    /// Notes that a segment departs, the last of `sent` segments. The next is due an interval later, except at the
    /// beginning of a connection that is paced by its window.
    #[inline]
    pub fn note_departure(&mut self, now: Time, sent: u64) {
        let is_unpaced = || matches!(self.rule, Rule::Linux | Rule::Rfc9002) && sent < UNPACED;
        if self.pacer.is_pacing() && !is_unpaced() {
            self.pacer.on_sent(now);
        }
    }
}
