//! Time: measured round trips, and the timers that follow from them.

use ackclock_units::{Duration, Time};

use super::super::mechanism::rtt::RttEstimator;
use super::super::mechanism::timers::Timers;
use super::super::recovery::AckEvent;
use super::super::settings::{BackoffUntil, RtoSettings, Settings};

/// The timers, and the round-trip times of segments with data.
#[repr(C)]
pub(super) struct Clock {
    timers: Timers,
    rtt: RttEstimator,
    samples: u64,
    total: Duration,
    max: Duration,
}

impl Clock {
    /// Nothing measured yet, and no timer but the application's.
    pub fn starting_at(start: Time, settings: &RtoSettings) -> Clock {
        Clock {
            timers: Timers::starting_at(start),
            rtt: RttEstimator::new(settings),
            samples: 0,
            total: Duration::ZERO,
            max: Duration::ZERO,
        }
    }

    #[inline]
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    #[inline]
    pub fn timers(&self) -> &Timers {
        &self.timers
    }

    /// Round-trip times of data measured so far.
    #[inline]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The sum of these round-trip times, and the largest.
    pub fn total_and_max(&self) -> (Duration, Duration) {
        (self.total, self.max)
    }

    /// The passing of time as a recovery sees it; `next` is the next sequence number to send.
    #[inline]
    pub fn event<'a>(&'a self, now: Time, next: u64, settings: &'a Settings) -> AckEvent<'a> {
        AckEvent::timer(now, next, self.samples, &self.rtt, settings)
    }

    /// Takes the round-trip time measured by an acknowledgment, one of about `per_round` in a round trip. It may
    /// end the back-off; if it `advanced` SND.UNA, it does.
    #[inline]
    pub fn take_rtt(
        &mut self,
        rtt: Duration,
        per_round: u32,
        advanced: bool,
        settings: &RtoSettings,
    ) -> Duration {
        self.rtt.sample(rtt, per_round, settings);
        if advanced || settings.backoff_until == BackoffUntil::AnySample {
            self.rtt.end_back_off();
        }
        let rtt = self.rtt.latest();
        self.samples += 1;
        self.total += rtt;
        self.max = self.max.max(rtt);
        rtt
    }

    /// Takes the round-trip time of the SYN; none if several were sent, since any of them may have been answered.
    pub fn take_rtt_of_syn(&mut self, rtt: Option<Duration>, settings: &RtoSettings) {
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt, 1, settings);
            self.rtt.forget_min_rtt();
        } else {
            self.rtt.after_lost_syn(settings);
        }
    }

    /// Takes over the smoothed round-trip time and its variation from other connections, before any sample.
    pub fn inherit(&mut self, rtt: (Duration, Duration), settings: &RtoSettings) {
        self.rtt.inherit(rtt, settings);
    }

    /// The retransmission timer has expired: the timeout doubles.
    pub fn back_off(&mut self, settings: &RtoSettings) {
        self.rtt.back_off(settings);
    }

    /// The retransmission timeout.
    #[inline]
    pub fn rto(&self, settings: &RtoSettings) -> Duration {
        self.rtt.rto(settings)
    }

    /// Restarts the retransmission timer.
    #[inline]
    pub fn arm_rto(&mut self, now: Time, settings: &RtoSettings) {
        self.timers.arm_retransmission(now, self.rtt.rto(settings));
    }

    /// RFC 6298, 5.2 and 5.3: stops the timer when all is acknowledged; otherwise restarts it now.
    #[inline]
    pub fn restart_rto(&mut self, now: Time, all_acknowledged: bool, settings: &RtoSettings) {
        if all_acknowledged {
            self.timers.stop_retransmission();
        } else {
            self.arm_rto(now, settings);
        }
    }

    /// Starts the retransmission timer for a SYN or a probe of the receive window instead of data.
    pub fn arm(&mut self, now: Time, timeout: Duration) {
        self.timers.arm_retransmission(now, timeout);
    }

    #[inline]
    pub fn stop_rto(&mut self) {
        self.timers.stop_retransmission();
    }

    /// Sets the application's next start or stop.
    pub fn set_application(&mut self, at: Time) {
        self.timers.set_application(at);
    }

    /// Stops all timers, since the connection is over.
    pub fn stop(&mut self) {
        self.timers = Timers::starting_at(Time::MAX);
    }
}
