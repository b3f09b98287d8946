//! Quick acknowledgments, as in Linux (`tcp_event_data_recv`, `tcp_enter_quickack_mode`, `tcp_in_quickack_mode`): a receiver delays
//! none at the beginning of a connection, after a pause and after duplicate data, so that a sender's slow start gets all of them.
//!
//! Choices: the delay of acknowledgments is `ack_delay` where Linux adapts it (ATO). An application that reads causes no acknowledgment
//! (`tcp_cleanup_rbuf`).

use ackclock_units::{Duration, Time};

use super::super::settings::Settings;
use super::rtt::RttEstimator;

/// The quick acknowledgments after a mark (`tcp_data_ecn_check`).
const AFTER_MARK: u32 = 2;

#[derive(Clone, Debug)]
pub(crate) struct QuickAcks {
    /// Acknowledgments that are not delayed from now on.
    left: u32,
    /// The most of them (`TCP_MAX_QUICKACKS`, as far as the window goes).
    most: u32,
    /// When data in order arrived last.
    latest: Option<Time>,
    /// The retransmission timeout of this end: a longer pause is one of the sender.
    timeout: Duration,
    /// The application answers what arrives, and acknowledgments go with its data (`inet_csk_in_pingpong_mode`).
    is_answered: bool,
}

impl QuickAcks {
    /// None if the settings have none.
    pub fn of(settings: &Settings) -> Option<QuickAcks> {
        // Half of the segments that the window has room for, but two at least (`tcp_incr_quickack`).
        let half = settings.receive_window / (2 * u32::from(settings.mss));
        let room = if half == 0 { 2 } else { half };
        (settings.quick_acks > 0).then(|| QuickAcks {
            left: 0,
            most: settings.quick_acks.min(room),
            latest: None,
            timeout: settings.rto.initial,
            is_answered: false,
        })
    }

    /// The handshake took this round trip, which is the first sample of the timeout.
    pub fn take_round_trip(&mut self, round_trip: Duration, settings: &Settings) {
        let mut rtt = RttEstimator::new(&settings.rto);
        rtt.sample(round_trip, 1, &settings.rto);
        self.timeout = rtt.rto(&settings.rto);
    }

    /// The retransmission timeout of this end's own data.
    pub fn take_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Data arrives in order. True if it is acknowledged at once.
    pub fn on_data(&mut self, now: Time) -> bool {
        if self.latest.is_none_or(|latest| now.since(latest) > self.timeout) {
            self.left = self.left.max(self.most);
        }
        self.latest = Some(now);
        self.left > 0 && !self.is_answered
    }

    /// Data arrives again: its sender may have got no acknowledgment. If it `is_old`, from before the latest acknowledgment, it is answered
    /// apart (`tcp_send_dupack`), and the answer is none of those that begin.
    pub fn on_duplicate(&mut self, is_old: bool) {
        self.begin(self.most + u32::from(is_old));
    }

    /// The first mark since the sender has reduced its window, which may be small.
    pub fn on_mark(&mut self) {
        self.begin(AFTER_MARK.min(self.most));
    }

    fn begin(&mut self, count: u32) {
        self.left = self.left.max(count);
        self.is_answered = false;
    }

    /// An acknowledgment that was due is sent.
    pub fn on_ack(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// An acknowledgment was delayed for nothing: no answer has come (`tcp_delack_timer_handler`).
    pub fn on_timer(&mut self) {
        self.is_answered = false;
    }

    /// This end sends data. What follows data within the delay of an acknowledgment is an answer.
    pub fn on_sent(&mut self, now: Time, delay: Duration) {
        self.is_answered |= self.latest.is_some_and(|latest| now.since(latest) < delay);
    }
}
