//! What the sender makes of an acknowledgement, in the order the controller's contract asks for: facts, losses,
//! congestion, and exactly one `on_ack`.

use ackclock_congestion::{Ack, Signal};
use ackclock_units::{Duration, Time};

use crate::segment::{Flags, Segment};

use super::flight::Sent;
use super::recovery::{AckSeen, Phase, Reaction};
use super::sender::Sender;
use super::timestamp;

/// What one acknowledgement newly covers.
#[derive(Default)]
struct Newly {
    /// Segments acknowledged cumulatively, including those selectively acknowledged before.
    cumulative: u32,
    /// Segments selectively acknowledged for the first time.
    selective: u32,
    /// Segments not known to be delivered before.
    delivered: u32,
    /// Whether a cumulatively acknowledged segment had been sent more than once (Karn's rule).
    ambiguous: bool,
    /// The latest-sent segment among those newly delivered, and among those of them sent once only.
    newest: Option<Sent>,
    newest_clean: Option<Sent>,
}

impl Newly {
    fn take_cumulative(&mut self, sent: Sent) {
        self.cumulative += 1;
        self.ambiguous |= sent.is_retransmitted();
        if !sent.is_sacked() {
            self.take_delivered(sent);
        }
    }

    fn take_selective(&mut self, sent: Sent) {
        self.selective += 1;
        self.take_delivered(sent);
    }

    fn take_delivered(&mut self, sent: Sent) {
        self.delivered += 1;
        let is_newer = |known: &Option<Sent>| known.is_none_or(|known| known.stamp.sent_at <= sent.stamp.sent_at);
        if is_newer(&self.newest) {
            self.newest = Some(sent);
        }
        if !sent.is_retransmitted() && is_newer(&self.newest_clean) {
            self.newest_clean = Some(sent);
        }
    }
}

impl Sender {
    /// Takes an acknowledgement in the established state.
    pub(crate) fn on_acknowledgment(&mut self, now: Time, segment: &Segment) {
        if segment.acknowledgment > self.next {
            return;
        }
        self.integrate_cwnd(now);
        self.peer_window = u64::from(segment.window);
        self.echo = segment.timestamps.value;
        let advanced = segment.acknowledgment > self.flight.una();
        let newly = self.cover(segment, advanced);
        let duplicate = self.is_duplicate(segment, advanced, &newly);
        let delivered = self.count_delivered(&newly, advanced, duplicate);

        let rtt = self.sample_rtt(now, segment, advanced, &newly);
        let rate = self.delivery.update(now, u64::from(delivered), newly.newest.as_ref());
        if advanced {
            self.detect_spurious(segment);
        }

        let lost_before = self.flight.pipe();
        let reaction = self.react(now, advanced, duplicate, &newly);
        let lost = lost_before.saturating_sub(self.flight.pipe());
        if advanced && !self.loss.hold_timer {
            self.restart_timer(now);
        }
        self.inform_controller(now, advanced, delivered, lost, rtt, rate, reaction);
        self.note_finish(now);
    }

    /// Takes the cumulative and selective acknowledgments off the retransmission queue.
    fn cover(&mut self, segment: &Segment, advanced: bool) -> Newly {
        let mut newly = Newly::default();
        if advanced {
            self.flight.acknowledge(segment.acknowledgment, |sent| newly.take_cumulative(sent));
        }
        if !segment.sack.is_empty() {
            for (start, end) in segment.sack.iter(segment.acknowledgment) {
                self.flight.select(start, end, |sent| newly.take_selective(sent));
            }
        }
        newly
    }

    /// RFC 5681, section 2; with SACK, RFC 6675, section 2: it must bring new selective information.
    fn is_duplicate(&self, segment: &Segment, advanced: bool, newly: &Newly) -> bool {
        let repeats = !advanced
            && segment.acknowledgment == self.flight.una()
            && !self.flight.is_empty()
            && !segment.flags.has(Flags::FIN);
        repeats && (!self.recovery.uses_sack() || newly.selective > 0)
    }

    /// Segments this acknowledgement says were delivered. Without SACK a duplicate stands for one, which the
    /// cumulative acknowledgment that covers it later does not count again.
    fn count_delivered(&mut self, newly: &Newly, advanced: bool, duplicate: bool) -> u32 {
        if self.recovery.uses_sack() {
            return newly.delivered;
        }
        if duplicate {
            self.credited += 1;
            return 1;
        }
        if !advanced {
            return 0;
        }
        let delivered = newly.cumulative.saturating_sub(self.credited).max(1);
        self.credited -= newly.cumulative - delivered;
        if self.flight.is_empty() {
            self.credited = 0;
        }
        delivered
    }

    fn sample_rtt(&mut self, now: Time, segment: &Segment, advanced: bool, newly: &Newly) -> Option<Duration> {
        let rtt = if self.settings.timestamps && advanced {
            // The echo is of the transmission that arrived, so retransmissions are no ambiguity (RFC 7323, 4).
            let elapsed = timestamp(now).wrapping_sub(segment.timestamps.echo);
            Duration::from_micros(u64::from(elapsed))
        } else if newly.ambiguous {
            return None;
        } else {
            now.since(newly.newest_clean?.stamp.sent_at)
        };
        self.measure(rtt);
        Some(rtt)
    }

    /// Takes a round-trip time into the estimator and the counts.
    pub(crate) fn measure(&mut self, rtt: Duration) {
        self.rtt.sample(rtt, &self.settings.rto);
        self.counters.rtt_samples += 1;
        self.counters.rtt_total += rtt;
        self.counters.rtt_max = self.counters.rtt_max.max(rtt);
    }

    /// Eifel (RFC 3522): the acknowledgement of a segment sent before the retransmission proves that one needless.
    fn detect_spurious(&mut self, segment: &Segment) {
        let Some(retransmitted_at) = self.retransmitted_at.take() else { return };
        let age = retransmitted_at.wrapping_sub(segment.timestamps.echo);
        if age > 0 && age < u32::MAX / 2 {
            self.counters.spurious += 1;
            self.flight.forget_losses();
            self.loss.phase = Phase::Open;
            self.loss.departed = 0;
            self.controller.on_spurious();
            self.consult_controller();
        }
    }

    fn react(&mut self, now: Time, advanced: bool, duplicate: bool, newly: &Newly) -> Reaction {
        let seen = AckSeen {
            now,
            advanced,
            segments: newly.cumulative,
            duplicate,
            next: self.next,
            threshold: self.settings.duplicate_threshold,
            fine_timeout: self.rtt.fine_timeout(),
        };
        let reaction = self.recovery.on_ack(&seen, &mut self.loss, &mut self.flight);
        if let Reaction::Episode { restart } = reaction {
            self.counters.fast_retransmits += 1;
            self.retransmitted_at = None;
            self.congest(now, Signal::Loss, restart, false);
        }
        reaction
    }

    /// RFC 6298, 5.2 and 5.3: off when all is acknowledged, else from now on.
    fn restart_timer(&mut self, now: Time) {
        if self.flight.is_empty() {
            self.rto_deadline = Time::MAX;
        } else {
            self.arm_rto(now);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the facts of one acknowledgement, gathered here and only here")]
    fn inform_controller(
        &mut self,
        now: Time,
        advanced: bool,
        delivered: u32,
        lost: u32,
        rtt: Option<Duration>,
        rate: Option<ackclock_congestion::RateSample>,
        reaction: Reaction,
    ) {
        let in_episode = self.loss.phase == Phase::Fast || matches!(reaction, Reaction::Episode { .. });
        self.controller.on_ack(&Ack {
            now,
            delivered: f64::from(delivered),
            lost: f64::from(lost),
            ce_marked: 0.0,
            in_flight: f64::from(self.in_network()),
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            round: self.delivery.round,
            may_grow: advanced && !in_episode && self.window_limited,
            rate,
        });
        self.consult_controller();
    }
}
