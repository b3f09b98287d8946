//! The processing of an acknowledgment, in the order that the controller's contract requires: the scoreboard, the
//! facts, the recovery, congestion, and exactly one `on_ack`.
//!
//! Long because the order in which an acknowledgment is taken is one rule.

use ackclock_congestion::{Ack, Congestion, LossSample, RateSample, Signal};
use ackclock_units::{Duration, PacketRate, Time};

use super::super::super::mechanism::accurate_ecn::Feedback;
use super::super::super::mechanism::early_retransmit;
use super::super::super::mechanism::frto::{Evidence, Verdict};
use super::super::super::mechanism::session::SessionMember;
use super::super::super::recovery::{AckEvent, Needs, ProbeAnswer, Reaction, WindowEvent};
use super::super::super::settings::EcnMode;
use super::super::super::{is_not_before, timestamp};
use super::super::loss::NewlyAcked;
use super::Endpoint;
use super::class::{SenderClass, USUAL};
use crate::wire::{Flags, Header, SackBlocks};

/// An acknowledgment as it arrived.
struct Arrival<'a> {
    header: &'a Header,
    /// The blocks, without the report of a duplicate.
    sack: &'a SackBlocks,
    /// The data that it reports to have arrived again.
    duplicated: Option<(u64, u64)>,
}

/// The content of an acknowledgment before the scoreboard has taken it.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct Reading {
    /// True if it acknowledges new data cumulatively.
    advanced: bool,
    /// The bytes of that.
    bytes: u64,
    /// True if it does not change the receive window. RFC 5681, section 2: an acknowledgment that changes it is no
    /// duplicate.
    same_window: bool,
    /// True if it repeats the acknowledgment number of the last one, with the same window.
    repeats: bool,
    /// The data that it reports to have arrived again.
    duplicated: Option<(u64, u64)>,
    /// True if that data begins at SND.UNA, and nothing is selectively acknowledged.
    is_blind: bool,
}

/// The findings of the scoreboard about an acknowledgment.
struct News {
    newly: NewlyAcked,
    /// It is a duplicate.
    duplicate: bool,
    /// Segments delivered by its evidence.
    delivered: u32,
    /// Packets acknowledged cumulatively.
    covered: f64,
}

/// The findings of the recovery about an acknowledgment.
struct Losses {
    reaction: Reaction,
    /// Packets declared lost.
    lost: u32,
    /// True if the sender was in fast recovery until then.
    was_fast: bool,
}

impl Endpoint {
    /// Takes an acknowledgment in the established state.
    #[inline]
    pub(super) fn on_acknowledgment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        let class = SenderClass {
            recovery: self.loss.recovery().recovery(),
            sampled: !self.window.decides_alone(),
            ecn: self.signals.ecn().is_agreed(),
            refined: self.loss.refines_acks(),
            explicit: self.has_feedback(),
        };
        if class == USUAL {
            self.take_arrival(now, header, sack, USUAL);
        } else if class == class.by_time() {
            self.take_arrival(now, header, sack, class.by_time());
        } else if class == class.sampled_by_time() {
            self.take_arrival(now, header, sack, class.sampled_by_time());
        } else {
            self.take_arrival(now, header, sack, class);
        }
    }

    /// Removes the report of a duplicate from the blocks, and then takes the acknowledgment.
    #[expect(clippy::inline_always, reason = "once for a class that is known")]
    #[inline(always)]
    fn take_arrival(&mut self, now: Time, header: &Header, sack: &SackBlocks, class: SenderClass) {
        if header.acknowledgment > self.stream.next() {
            return;
        }
        let reports = class.refined && self.settings.dsack;
        let duplicated = if reports { sack.duplicate(header.acknowledgment) } else { None };
        let others;
        let sack = if duplicated.is_some() {
            others = sack.without_first();
            &others
        } else {
            sack
        };
        self.take_acknowledgment(now, &Arrival { header, sack, duplicated }, class);
    }

    #[expect(clippy::inline_always, reason = "once for a class that is known")]
    #[inline(always)]
    fn take_acknowledgment(&mut self, now: Time, arrival: &Arrival<'_>, class: SenderClass) {
        let needs = if class.is_compiled() { class.recovery.needs() } else { self.loss.recovery().needs() };
        let framed = class.refined && self.settings.smart_framing;
        let sampled = class.sampled && !framed;
        self.integrate_cwnd(now);
        let is_later = class.ecn && self.is_later(arrival.header);
        let reading = self.read(arrival);
        // The scoreboard.
        let news = self.update_scoreboard(now, arrival, &reading, needs, (framed, sampled));
        self.window.note_flight(self.loss.queue().outstanding() + news.newly.cumulative);
        // The facts.
        let rtt = self.sample_rtt(now, arrival.header, reading.advanced, &news.newly, needs);
        if class.refined && reading.advanced && self.settings.validates_windows() {
            self.measure_round_trip(now, reading.bytes);
        }
        let mut rate = self.sample_rate(now, &news, sampled);
        self.detect_spurious(now, arrival.header, &reading, &news, needs, class.refined);
        // The recovery.
        let before = self.window.cwnd();
        let losses = self.recover(now, &reading, &news, class);
        if class.refined && losses.was_fast {
            self.end_recovery(now);
        }
        if let Some(sample) = &mut rate {
            sample.lost += f64::from(losses.lost);
        }
        let loss = self.account_for_loss(losses.lost).filter(|_| sampled);
        // Congestion.
        let was_marked = needs.sees_sent && self.loss.recovery().reduces_for_mark();
        let ce_marked = if class.ecn { self.take_echo(now, arrival, &news, is_later) } else { 0 };
        self.rearm_rto(now, reading.advanced, losses.reaction);
        if needs.send_times {
            self.update_probe(now, &reading, arrival.sack.is_empty(), &news.newly);
        }
        // The controller, exactly once.
        let feedback = if class.explicit { self.take_feedback() } else { None };
        let (in_flight, delivered) = self.counted(&reading, &news, framed, class.refined);
        let decision = self.window.on_ack(&Ack {
            delivered,
            lost: f64::from(losses.lost),
            ce_marked: f64::from(ce_marked),
            in_flight,
            rtt,
            suspended: self.is_suspended(&losses, needs),
            advanced: reading.advanced || (class.refined && self.grows_by_sack(&news)),
            loss,
            rate,
            feedback,
            ..self.facts(now)
        });
        self.apply_decision(now, &decision);
        if needs.sees_sent && self.loss.is_reducing() {
            self.loss.on_window(&WindowEvent {
                delivered: news.delivered,
                begins: matches!(losses.reaction, Reaction::Episode { .. })
                    || (!was_marked && self.loss.recovery().reduces_for_mark()),
                cumulative: news.newly.cumulative,
                selective: news.newly.selective,
                is_safe: reading.advanced && losses.lost == 0,
                before,
                cwnd: self.window.cwnd(),
            });
        }
        self.note_finish(now);
    }

    /// Reads the other side's window, its timestamp, and how far it has received.
    #[expect(clippy::inline_always, reason = "once for a class that is known")]
    #[inline(always)]
    fn read(&mut self, arrival: &Arrival<'_>) -> Reading {
        let Arrival { header, sack, duplicated } = *arrival;
        let queue = self.loss.queue();
        let una = queue.una();
        let same_window = header.window == self.stream.peer_window();
        if !same_window {
            self.stream.take_window(header, una);
        }
        if header.acknowledgment >= una {
            self.stream.set_echo(header.timestamps.value);
        }
        let advanced = header.acknowledgment > una;
        Reading {
            advanced,
            bytes: header.acknowledgment.saturating_sub(una),
            same_window,
            repeats: same_window && header.acknowledgment == una,
            duplicated,
            is_blind: duplicated.is_some_and(|(start, _)| start == una)
                && sack.is_empty()
                && !queue.has_sacked(),
        }
    }

    /// Removes acknowledged segments from the scoreboard.
    #[expect(clippy::inline_always, reason = "what is not asked of the summary is not gathered")]
    #[inline(always)]
    fn update_scoreboard(
        &mut self,
        now: Time,
        arrival: &Arrival<'_>,
        reading: &Reading,
        needs: Needs,
        (framed, sampled): (bool, bool),
    ) -> News {
        let Arrival { header, sack, .. } = *arrival;
        let Reading { advanced, same_window, bytes, .. } = *reading;
        let certain_until = needs.send_times.then(|| self.certain_until(now, header));
        let acknowledged = (header.acknowledgment, sack);
        let newly = self.loss.acknowledge(acknowledged, advanced, certain_until, sampled);
        let duplicate = self.loss.is_duplicate(header, advanced || !same_window, &newly, needs.sack);
        let delivered = self.loss.count_delivered(&newly, advanced, duplicate, needs.sack);
        let covered = if framed { self.packets(bytes) } else { f64::from(newly.cumulative) };
        News { newly, duplicate, delivered, covered }
    }

    /// If a newly delivered segment was sent again no later than this, it is certain that the latest copy arrived (RFC
    /// 8985, 6.2, step 2): a round trip ago, and not after the echoed timestamp.
    fn certain_until(&self, now: Time, header: &Header) -> Time {
        let mut age = self.path_min_rtt().as_nanos();
        if self.settings.timestamps {
            // In whole microseconds of the clock: a segment of the same microsecond is not older.
            let echoed = timestamp(now).wrapping_sub(header.timestamps.echo);
            age = age.max((u64::from(echoed) * 1000 + now.as_nanos() % 1000).saturating_sub(999));
        }
        Time::from_nanos(now.as_nanos().saturating_sub(age))
    }

    // The facts.

    /// A round-trip time, if this acknowledgment measured one.
    #[expect(clippy::inline_always, reason = "one call per class of sender")]
    #[inline(always)]
    fn sample_rtt(
        &mut self,
        now: Time,
        header: &Header,
        advanced: bool,
        newly: &NewlyAcked,
        needs: Needs,
    ) -> Option<Duration> {
        let in_full = needs.full_rtt_gain;
        if !advanced {
            let unambiguous = newly.newest_clean.filter(|_| !newly.ambiguous);
            return Some(self.take_rtt(now.since(unambiguous?), newly.cumulative, false, in_full));
        }
        // The echo belongs to the transmission that arrived, so retransmissions cause no ambiguity (RFC 7323, 4).
        if !self.settings.timestamps && newly.ambiguous {
            return None;
        }
        let latest = if self.settings.timestamps { now } else { newly.newest_clean? };
        Some(self.take_rtt(self.rtt_of(now, header, latest), newly.cumulative, true, in_full))
    }

    /// The round-trip time that an acknowledgment of new data measured. If the acknowledgment covers several segments,
    /// it is the round-trip time of the latest, sent at `latest`, whose acknowledgment was delayed least. With
    /// timestamps it is that of the earliest segment (RFC 7323, 4.3).
    #[inline]
    pub fn rtt_of(&self, now: Time, header: &Header, latest: Time) -> Duration {
        if self.settings.timestamps {
            let elapsed = timestamp(now).wrapping_sub(header.timestamps.echo);
            Duration::from_micros(u64::from(elapsed))
        } else {
            now.since(latest)
        }
    }

    /// Takes a round-trip time into the estimator and the counts; it may end the back-off. The acknowledgment that measured it
    /// covers `covered` segments, and may have advanced SND.UNA. With `in_full` the gain does not depend on the number
    /// of samples in a round trip.
    #[inline]
    pub fn take_rtt(&mut self, rtt: Duration, covered: u32, advanced: bool, in_full: bool) -> Duration {
        // Appendix G of RFC 7323: a sample for every other segment in flight.
        let flight = self.loss.queue().outstanding() + covered;
        let per_round = if in_full { 1 } else { flight.div_ceil(2) };
        self.clock.take_rtt(rtt, per_round, advanced, &self.settings.rto)
    }

    /// A sample of the delivery rate, if the controller uses samples.
    #[inline]
    fn sample_rate(&mut self, now: Time, news: &News, sampled: bool) -> Option<RateSample> {
        let rate = self.rounds.update(now, news.delivered, news.newly.newest.as_ref(), sampled);
        if news.newly.newest_again {
            // Its first copy may have arrived instead: a flight in less than a round-trip time reveals that
            // (draft-ietf-ccwg-bbr-06, 4.1.3.5).
            return rate.filter(|sample| sample.interval >= self.clock.rtt().min_rtt());
        }
        rate
    }

    /// Undoes the latest episode if the acknowledgment shows that it was spurious.
    #[expect(clippy::inline_always, reason = "once for a class that is known")]
    #[inline(always)]
    fn detect_spurious(
        &mut self,
        now: Time,
        header: &Header,
        reading: &Reading,
        news: &News,
        needs: Needs,
        refined: bool,
    ) {
        let all_acknowledged = self.loss.queue().is_empty();
        if reading.advanced && self.signals.is_spurious_by_timestamp(header.timestamps.echo, all_acknowledged)
        {
            self.undo_episode(now);
        }
        if refined && self.signals.is_judging_timeout() {
            self.judge_timeout(now, reading, &news.newly, needs.sack);
        }
        if let Some(duplicate) = reading.duplicated
            && self.signals.is_spurious_by_report(duplicate, reading.is_blind)
        {
            self.undo_episode(now);
        }
    }

    /// Undoes the last timeout if the acknowledgments after it show that it was spurious.
    #[cold]
    fn judge_timeout(&mut self, now: Time, reading: &Reading, newly: &NewlyAcked, sack: bool) {
        let evidence = Evidence {
            advanced: reading.advanced,
            selective: newly.selective > 0,
            duplicate: reading.repeats,
            una: self.loss.queue().una(),
            highest: self.loss.queue().highest_acknowledged(),
            has_new: self.end_of_new().is_some(),
            sack,
        };
        match self.signals.judge_timeout(&evidence) {
            Verdict::Spurious => self.undo_episode(now),
            // Without SACK, duplicates caused by the new segments do not remove these from the pipe.
            Verdict::Genuine if !sack => self.loss.restart(self.stream.next()),
            Verdict::Open | Verdict::Genuine => {}
        }
    }

    // The recovery.

    /// Lets the recovery declare segments lost, which may begin an episode.
    #[expect(clippy::inline_always, reason = "a recovery that is known is called at once")]
    #[inline(always)]
    fn recover(&mut self, now: Time, reading: &Reading, news: &News, class: SenderClass) -> Losses {
        let was_fast = self.loss.recovery().is_fast();
        let pipe_before = self.loss.queue().pipe();
        let lower = class.refined && !class.recovery.needs().send_times;
        let threshold = if lower { Some(self.lower_threshold(news.newly.newest_clean)) } else { None };
        let path_min_rtt = if class.recovery.needs().send_times { Some(self.path_min_rtt()) } else { None };
        let timer = self.clock.event(now, self.stream.next(), &self.settings);
        let News { newly, duplicate, .. } = news;
        let mut ack = AckEvent {
            advanced: reading.advanced,
            segments: newly.cumulative,
            duplicate: *duplicate,
            ..timer
        };
        if let Some(path_min_rtt) = path_min_rtt {
            ack.path_min_rtt = path_min_rtt;
            ack.newest = newly.newest_certain();
            ack.highest_sent_at = newly.highest_sent_at();
            ack.lowest_once = newly.lowest_once;
            ack.has_duplicate = reading.duplicated.is_some();
        } else if let Some(threshold) = threshold {
            ack.duplicate_threshold = threshold;
        }
        let reaction = self.loss.on_ack(class.recovery, &ack);
        if class.refined {
            self.suspect_in_session();
        }
        self.react(now, reaction);
        Losses { reaction, lost: pipe_before.saturating_sub(self.loss.queue().pipe()), was_fast }
    }

    /// The number of duplicates that means a loss, after the acknowledgment of a segment that was sent once, at
    /// `acknowledged`. Early retransmit and sessions lower it.
    #[cold]
    fn lower_threshold(&self, acknowledged: Option<Time>) -> u32 {
        let usual = self.settings.duplicate_threshold;
        let outstanding = self.loss.queue().outstanding();
        let early = if self.settings.early_retransmit {
            early_retransmit::threshold(usual, outstanding, self.end_of_new().is_some())
        } else {
            u32::MAX
        };
        let head = self.loss.queue().head().map(|head| head.sent_at());
        let in_session = self.session().map(|member| member.threshold(usual, acknowledged, head));
        early.min(in_session.unwrap_or(usual))
    }

    /// Counts `lost` packets that were just declared lost. Returns the facts of the latest.
    pub(super) fn account_for_loss(&mut self, lost: u32) -> Option<LossSample> {
        let latest = self.loss.take_latest_lost();
        self.rounds.on_lost(lost, latest)
    }

    /// RFC 6298, 5.2 and 5.3, after new data was acknowledged. A fast retransmit may restart the timer, too.
    #[inline]
    fn rearm_rto(&mut self, now: Time, advanced: bool, reaction: Reaction) {
        let begins = matches!(reaction, Reaction::Episode { .. });
        let sent_again = self.settings.rearm_at_fast_retransmit && begins;
        if (advanced && reaction != Reaction::KeepTimer) || sent_again {
            self.restart_rto(now);
        }
    }

    /// RFC 6298, 5.2 and 5.3: stops the timer when all is acknowledged; otherwise restarts it now.
    #[inline]
    pub fn restart_rto(&mut self, now: Time) {
        self.clock.restart_rto(now, self.loss.queue().is_empty(), &self.settings.rto);
    }

    /// Updates loss probes after an acknowledgment: a probe may have repaired a loss, and the next one is due later if
    /// something new is acknowledged.
    #[expect(clippy::inline_always, reason = "once for each class that has probes")]
    #[inline(always)]
    fn update_probe(&mut self, now: Time, reading: &Reading, has_no_block: bool, newly: &NewlyAcked) {
        let Reading { advanced, repeats, duplicated, .. } = *reading;
        let is_bare = has_no_block && duplicated.is_none();
        let una = self.loss.queue().una();
        let answer = ProbeAnswer { una, repeats: repeats && is_bare, duplicated };
        if self.loss.is_repaired_by_probe(&answer) {
            self.begin_episode(now, false);
        }
        if advanced || newly.selective > 0 {
            self.schedule_probe(now);
        }
    }

    // Congestion.

    /// True if the timestamp of an acknowledgment shows that it was sent after those before (RFC 9768, A.1), where acknowledgments
    /// without news may report marks: those of packets without data.
    fn is_later(&self, header: &Header) -> bool {
        let (latest, arrived) = (self.stream.echo(), header.timestamps.value);
        let has_both = self.settings.timestamps && latest != 0;
        self.settings.ecn_control_packets && has_both && latest != arrived && is_not_before(arrived, latest)
    }

    /// Takes the echo of marks in an acknowledgment. Returns the number of marked packets, if acknowledgments report
    /// it.
    fn take_echo(&mut self, now: Time, arrival: &Arrival<'_>, news: &News, is_later: bool) -> u32 {
        let header = arrival.header;
        let News { delivered, covered, .. } = *news;
        if !self.signals.ecn().is_accurate() {
            let echoed = header.flags.has(Flags::ECE);
            self.signals.count_marked(if echoed { delivered } else { 0 });
            return if echoed { self.on_ece(now, delivered, covered) } else { 0 };
        }
        if self.settings.ecn_validation && !self.validates_ecn(now, header, arrival.sack) {
            return 0;
        }
        let bytes = self.life.cold_if_any().map(|cold| &mut cold.bytes);
        let feedback = Feedback {
            ace: header.ace(),
            delivered,
            is_later,
            cycles: self.settings.accecn_cycles,
            tests_zero: self.settings.ecn_fallback,
        };
        let reported = self.signals.ecn_mut().take_ace(feedback, bytes);
        let of_data = reported.min(delivered);
        // Packets without data may be marked too, if they are ECN-capable.
        let marked = if self.settings.ecn_control_packets { reported } else { of_data };
        if marked > 0 {
            self.signals.count_marked(marked);
            self.on_ece(now, delivered, covered);
        }
        of_data
    }

    /// An acknowledgment echoes congestion: packets were marked instead of dropped. It delivers `delivered` segments, and
    /// acknowledges `acknowledged` packets cumulatively. The controller gets one signal per window of data, and none while losses are repaired, since that already responds to the same congestion. Returns the number of marked packets, if acknowledgments report it.
    fn on_ece(&mut self, now: Time, delivered: u32, acknowledged: f64) -> u32 {
        let round = self.rounds.round();
        if self.signals.admits_mark(round, self.loss.queue().una()) && self.loss.recovery().is_open() {
            self.signals.begin_with_mark(round);
            self.loss.keep_episode();
            self.rounds.suspend(false);
            // The flight when the acknowledgment arrived.
            let flight = self.reduced(self.flight() + acknowledged);
            self.respond(&Congestion { now, signal: Signal::Ecn, flight, restart: false, repeated: false });
            if self.settings.reduction_for_marks {
                self.loss.reduce_for_mark(self.stream.next());
            }
        }
        if self.settings.ecn == EcnMode::DataCentre { delivered } else { 0 }
    }

    // The controller.

    /// True if growth is suspended. The acknowledgment that ends recovery only reduces the window to its new size (RFC
    /// 5681, 3.2, step 6; RFC 6582, 3.2, step 3), except in Linux, where it then grows the window like any other
    /// (`tcp_fastretrans_alert`, `tcp_cong_control`). By then the round trip of the signal is over, unless packets took no
    /// time at all.
    #[inline]
    fn is_suspended(&self, losses: &Losses, needs: Needs) -> bool {
        let ends_recovery = losses.was_fast && !self.settings.growth_at_end_of_recovery;
        ends_recovery
            || (needs.sees_sent && self.loss.recovery().reduces_for_mark())
            || self.loss.recovery().is_fast()
            || matches!(losses.reaction, Reaction::Episode { .. } | Reaction::PersistentCongestion)
            || self.rounds.is_suspended()
    }

    /// True if what is selectively acknowledged grows the window, since reordering is so large (`tcp_may_raise_cwnd`).
    #[cold]
    fn grows_by_sack(&self, news: &News) -> bool {
        let is_large = |(_, largest): (u32, u32)| largest > self.settings.duplicate_threshold;
        self.settings.grow_by_sack
            && news.newly.selective > 0
            && self.loss.recovery().reorderings().is_some_and(is_large)
    }

    /// The packets in flight, and the packets that the acknowledgment counts for the growth of the window. Used if
    /// segments may be small (`framed`) or acknowledgments are counted. RFC 2581 counts at most a full segment.
    #[inline]
    fn counted(&self, reading: &Reading, news: &News, framed: bool, refined: bool) -> (f64, f64) {
        let News { delivered, covered, .. } = *news;
        let by_acks = refined && self.settings.count_acknowledgments;
        if framed {
            return (self.packets_in_network(), if by_acks { covered.min(1.0) } else { covered });
        }
        let counted = if by_acks { u32::from(reading.advanced) } else { delivered };
        (f64::from(self.loss.in_network()), f64::from(counted))
    }

    /// The feedback of routers that has been kept.
    #[cold]
    fn take_feedback(&mut self) -> Option<PacketRate> {
        self.life.cold_if_any()?.feedback.take()
    }

    /// True if there is feedback for the controller.
    pub fn has_feedback(&self) -> bool {
        self.life.cold().is_some_and(|cold| cold.feedback.is_some())
    }

    // Sessions (burst-tcp, 3.3.2).

    pub fn session(&self) -> Option<&SessionMember> {
        self.life.cold()?.session.as_ref()
    }

    /// Tells the session of a segment that lacks duplicates for a loss, or that there is none.
    fn suspect_in_session(&self) {
        let Some(member) = self.session() else { return };
        let (recovery, queue) = (self.loss.recovery(), self.loss.queue());
        let duplicates = recovery.duplicates();
        let suspected = queue.head().filter(|_| duplicates > 0 && recovery.is_open());
        let missing = self.settings.duplicate_threshold.saturating_sub(duplicates);
        member.suspect(suspected.map(|head| head.sent_at()), missing);
    }
}
