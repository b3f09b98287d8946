//! The sending endpoint: its rate, and packets spaced by it (RFC 5348, 4).

use std::sync::Arc;

use ackclock_units::{Duration, Time};

use crate::flow::{Counters, Transfer};

use super::data_limited::DataLimited;
use super::equation::throughput;
use super::packet::{Data, Feedback};
use super::receive_rates::ReceiveRates;
use super::settings::Settings;
use super::timeout::TcpTimeout;

/// The nofeedback timer before a round-trip time is known (4.2).
const FIRST_TIMEOUT: Duration = Duration::from_secs(2);
/// The share of the receive rate that a data-limited sender keeps at a loss event (4.3).
const DATA_LIMITED_KEEPS: f64 = 0.85;
/// The weight of the past in the average of the square root of the round-trip time (`q2` in 4.5).
const ROOT_WEIGHT: f64 = 0.9;

/// The state of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Application {
    Writing,
    Stopped,
    /// The application stopped before the transfer was sent in full, or before anything was.
    CutOff,
}

/// A TFRC sender: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then polled by
/// [`poll_transmit`](Self::poll_transmit) until it has nothing to send, and by [`next_wake`](Self::next_wake).
#[derive(Clone, Debug)]
pub struct Sender {
    settings: Arc<Settings>,
    transfer: Transfer,
    /// Packets waiting; `u64::MAX` for an unlimited number.
    backlog: u64,
    next: u64,
    /// The allowed sending rate in bytes per second (`X`).
    rate: f64,
    /// The rate after oscillation reduction (`X_inst`).
    instant_rate: f64,
    /// The latest rate of the throughput equation (`X_Bps`), once there was a loss.
    calculated_rate: f64,
    /// The average round-trip time in seconds (`R`); none before the first feedback.
    rtt: Option<f64>,
    /// TCP's timeout, from the same samples.
    tcp_timeout: TcpTimeout,
    /// The average of the square root of the round-trip time (`R_sqmean`).
    root_mean: f64,
    loss_event_rate: f64,
    receive_rates: ReceiveRates,
    data_limited: DataLimited,
    /// The time at which slow start last doubled the rate (`tld`).
    last_doubled: Time,
    /// The time at which the last packet was due (`t_i`). The next is scheduled from it.
    sent_at: Option<Time>,
    nofeedback_at: Time,
    /// True if no packet was sent since the nofeedback timer was set.
    idle: bool,
    latest_rtt: Duration,
    min_rtt: Option<Duration>,
    established_at: Option<Time>,
    closed_at: Option<Time>,
    application: Application,
    /// True if packets were sent that no report has covered, and the nofeedback timer has not expired since.
    awaits_report: bool,
    last_sent_at: Time,
    window_since: Time,
    counters: Counters,
}

impl Sender {
    /// A sender that begins at `transfer.start`. Its rate is a packet per second until feedback brings a round-trip
    /// time (4.2).
    pub fn new(settings: Arc<Settings>, transfer: Transfer) -> Sender {
        let rate = f64::from(settings.segment_size);
        Sender {
            settings,
            transfer,
            backlog: transfer.packets.unwrap_or(u64::MAX),
            next: 0,
            rate,
            instant_rate: rate,
            calculated_rate: 0.0,
            rtt: None,
            tcp_timeout: TcpTimeout::default(),
            root_mean: 0.0,
            loss_event_rate: 0.0,
            receive_rates: ReceiveRates::new(Time::ZERO),
            data_limited: DataLimited::default(),
            last_doubled: Time::ZERO,
            sent_at: None,
            nofeedback_at: Time::MAX,
            idle: true,
            latest_rtt: Duration::ZERO,
            min_rtt: None,
            established_at: None,
            closed_at: None,
            application: Application::Writing,
            awaits_report: false,
            last_sent_at: Time::ZERO,
            window_since: Time::ZERO,
            counters: Counters::default(),
        }
    }

    /// The application writes this many more packets.
    pub fn write(&mut self, packets: u64) {
        self.backlog = self.backlog.saturating_add(packets);
    }

    /// Takes a feedback packet that arrived (4.3).
    pub fn on_segment(&mut self, now: Time, feedback: &Feedback) {
        self.account(now);
        let sample = now.since(feedback.timestamp).saturating_sub(feedback.delay);
        self.measure(now, sample);
        let data_limited = self.data_limited.feedback(feedback.timestamp);
        let limit = self.receive_limit(now, feedback, data_limited);
        self.counters.fast_retransmits += u32::from(feedback.loss_event_rate > self.loss_event_rate);
        self.loss_event_rate = feedback.loss_event_rate;
        self.update_rate(now, limit);
        self.modulate(sample);
        self.set_nofeedback_timer(now);
        if feedback.timestamp >= self.last_sent_at {
            self.finish(now);
        }
    }

    /// Lets time pass: the application's stop, and the nofeedback timer.
    pub fn on_timer(&mut self, now: Time) {
        self.stop_if_due(now);
        if now >= self.nofeedback_at {
            self.account(now);
            // An idle sender's timer continues to run (4.4), but no feedback is missing then.
            self.counters.timeouts += u32::from(self.closed_at.is_none());
            self.finish(now);
            let rests = self.on_no_feedback(now);
            self.instant_rate = self.rate;
            self.set_nofeedback_timer(now);
            if rests {
                // Nothing changes until a packet is sent, which sets the timer again.
                self.nofeedback_at = Time::MAX;
            }
        }
    }

    /// The data packet that is due now, if one waits (4.6).
    pub fn poll_transmit(&mut self, now: Time) -> Option<Data> {
        self.stop_if_due(now);
        if self.backlog == 0 || now + self.slack() < self.due() {
            return None;
        }
        if self.backlog < u64::MAX {
            self.backlog -= 1;
        }
        let rtt = self.rtt.map_or(Duration::ZERO, Duration::from_secs_f64);
        let credit = rtt.mul_f64(self.settings.credit_rtts).max(self.settings.granularity);
        let earliest = Time::from_nanos(now.as_nanos().saturating_sub(credit.as_nanos()));
        self.sent_at = Some(self.due().max(earliest));
        if self.nofeedback_at == Time::MAX {
            self.set_nofeedback_timer(now);
        }
        self.idle = false;
        self.awaits_report = true;
        if self.backlog > 0 && now + self.slack() < self.due() {
            self.data_limited.held_back(now);
        }
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        let sequence = self.next;
        self.next += 1;
        Some(Data { sequence, timestamp: now, rtt, length: self.settings.segment_size, marked: false })
    }

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    pub fn next_wake(&self) -> Time {
        let has_stopped = self.application != Application::Writing;
        if has_stopped && self.closed_at.is_some() {
            return Time::MAX;
        }
        let Transfer { start, stop, .. } = self.transfer;
        let stop = if has_stopped { Time::MAX } else { stop };
        let send_at = if self.backlog == 0 { Time::MAX } else { self.tick(self.due()).max(start) };
        send_at.min(self.nofeedback_at).min(stop)
    }

    /// The allowed sending rate in bytes per second (`X`).
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The rate at which packets are spaced: the allowed rate, after oscillation reduction (`X_inst`).
    pub fn instant_rate(&self) -> f64 {
        self.instant_rate
    }

    /// The average round-trip time (`R`); none before the first feedback.
    pub fn rtt(&self) -> Option<Duration> {
        self.rtt.map(Duration::from_secs_f64)
    }

    /// The latest round-trip time measured; zero before the first.
    pub fn latest_rtt(&self) -> Duration {
        self.latest_rtt
    }

    /// The least round-trip time measured; zero before the first.
    pub fn min_rtt(&self) -> Duration {
        self.min_rtt.unwrap_or_default()
    }

    /// The arrival of the first feedback.
    pub fn established_at(&self) -> Option<Time> {
        self.established_at
    }

    /// True once a packet was sent.
    pub fn has_begun(&self) -> bool {
        self.next > 0
    }

    /// The time at which a report covered the last packet, or the nofeedback timer expired: lost packets are not sent
    /// again.
    pub fn closed_at(&self) -> Option<Time> {
        self.closed_at
    }

    /// As [`closed_at`](Self::closed_at), for a transfer that no stop of the application has cut off.
    pub fn finished_at(&self) -> Option<Time> {
        self.closed_at.filter(|_| self.application != Application::CutOff)
    }

    /// The loss event rate reported last (`p`).
    pub fn loss_event_rate(&self) -> f64 {
        self.loss_event_rate
    }

    /// The equivalent of a congestion window: the packets that the allowed rate sends in a round-trip time; one
    /// packet before a round-trip time is known.
    pub fn window(&self) -> f64 {
        self.rtt.map_or(1.0, |rtt| self.rate * rtt / f64::from(self.settings.segment_size))
    }

    /// The counts by `now`: timeouts are expiries of the nofeedback timer, episodes are reports in which the loss
    /// event rate had risen, and the window is [`window`](Self::window).
    pub fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        counters.cwnd_seconds += self.window_since_change(now);
        counters
    }

    /// Steps 1 and 2 of 4.3; the first sample also sets the initial rate (4.2).
    fn measure(&mut self, now: Time, sample: Duration) {
        self.counters.rtt_samples += 1;
        self.counters.rtt_total += sample;
        self.counters.rtt_max = self.counters.rtt_max.max(sample);
        self.latest_rtt = sample;
        self.min_rtt = self.min_rtt.map(|min| min.min(sample)).or(Some(sample));
        // A path without any delay would have an infinite rate.
        let seconds = sample.max(Duration::from_nanos(1)).as_secs_f64();
        self.tcp_timeout.sample(seconds);
        let weight = self.settings.rtt_weight;
        if let Some(rtt) = self.rtt {
            self.rtt = Some(weight * rtt + (1.0 - weight) * seconds);
        } else {
            self.rtt = Some(seconds);
            self.rate = self.settings.initial_window() / seconds;
            self.receive_rates = ReceiveRates::new(now);
            self.last_doubled = now;
            self.window_since = now;
            // A report that comes after the nofeedback timer has ended the transfer does not establish the
            // connection.
            self.established_at = Some(now).filter(|_| self.closed_at.is_none());
        }
    }

    /// The limit by the receive rates (`recv_limit`; step 4 of 4.3).
    fn receive_limit(&mut self, now: Time, feedback: &Feedback, data_limited: bool) -> f64 {
        let rates = &mut self.receive_rates;
        if data_limited && feedback.loss_event_rate > self.loss_event_rate {
            rates.halve();
            rates.maximise(now, DATA_LIMITED_KEEPS * feedback.receive_rate);
            return rates.max();
        }
        if data_limited {
            rates.maximise(now, feedback.receive_rate);
        } else {
            rates.update(now, feedback.receive_rate, self.rtt.map_or(Duration::MAX, Duration::from_secs_f64));
        }
        2.0 * rates.max()
    }

    /// The second part of step 4 of 4.3: the equation once there was loss, doubling before.
    fn update_rate(&mut self, now: Time, limit: f64) {
        let Some(rtt) = self.rtt else { return };
        let size = f64::from(self.settings.segment_size);
        if self.loss_event_rate > 0.0 {
            self.calculated_rate = throughput(size, rtt, self.rto(rtt), self.loss_event_rate);
            self.rate = self.calculated_rate.min(limit).max(self.settings.min_rate());
        } else if now.since(self.last_doubled) >= Duration::from_secs_f64(rtt) {
            let initial = self.settings.initial_window() / rtt;
            self.rate = (2.0 * self.rate).min(limit).max(initial);
            self.last_doubled = now;
        }
    }

    /// `t_RTO` of the throughput equation, in seconds.
    fn rto(&self, rtt: f64) -> f64 {
        if self.settings.estimated_rto {
            return self.tcp_timeout.seconds().max(self.settings.min_rto.as_secs_f64());
        }
        self.settings.rto(rtt)
    }

    /// Oscillation reduction (4.5): slower while the round-trip time is above its average.
    fn modulate(&mut self, sample: Duration) {
        self.instant_rate = self.rate;
        if !self.settings.oscillation_reduction {
            return;
        }
        let root = sample.max(Duration::from_nanos(1)).as_secs_f64().sqrt();
        self.root_mean = if self.root_mean > 0.0 {
            ROOT_WEIGHT * self.root_mean + (1.0 - ROOT_WEIGHT) * root
        } else {
            root
        };
        self.instant_rate = (self.rate * self.root_mean / root).max(self.settings.min_rate());
    }

    /// The nofeedback timer expires (4.4): the rate is halved. Returns true if the rate is not changed, since the
    /// sender was idle and its rate is at most the initial one.
    fn on_no_feedback(&mut self, now: Time) -> bool {
        let halved = (self.rate / 2.0).max(self.settings.min_rate());
        let Some(rtt) = self.rtt else {
            if !self.idle {
                self.rate = halved;
            }
            return self.idle;
        };
        let recover = self.settings.initial_window() / rtt;
        let received = self.receive_rates.max();
        let lossless = self.loss_event_rate == 0.0;
        let is_slow = if lossless { self.rate < 2.0 * recover } else { received < recover };
        if self.idle && is_slow {
            return true;
        }
        if lossless {
            self.rate = halved;
        } else if self.calculated_rate > 2.0 * received {
            // The receive rate was the limit already.
            self.limit_receive_rate(now, received);
        } else {
            self.limit_receive_rate(now, self.calculated_rate / 2.0);
        }
        false
    }

    /// Halves the rate through its limits (`Update_Limits` in 4.4).
    fn limit_receive_rate(&mut self, now: Time, limit: f64) {
        let limit = limit.max(self.settings.min_rate());
        self.receive_rates.replace(now, limit / 2.0);
        self.update_rate(now, limit);
    }

    /// Sets the nofeedback timer to max(4 R, 2 s / X) from now (steps 3 and 6 of 4.3); to two seconds before a
    /// round-trip time is known.
    fn set_nofeedback_timer(&mut self, now: Time) {
        let spacing = Duration::from_secs_f64(2.0 * f64::from(self.settings.segment_size) / self.rate);
        let timeout = match self.rtt {
            Some(rtt) => Duration::from_secs_f64(4.0 * rtt).max(spacing),
            None => spacing.max(FIRST_TIMEOUT),
        };
        self.nofeedback_at = now + timeout;
        self.idle = true;
    }

    /// The time at which the next packet is due: `t_ipi` after the last (4.6).
    fn due(&self) -> Time {
        let interval = f64::from(self.settings.segment_size) / self.instant_rate;
        self.sent_at.map_or(self.transfer.start, |sent| sent + Duration::from_secs_f64(interval))
    }

    /// The time by which a packet may leave early (`t_delta` in 4.6).
    fn slack(&self) -> Duration {
        if self.settings.granularity.is_zero() || self.sent_at.is_none() {
            return Duration::ZERO;
        }
        let interval = Duration::from_secs_f64(f64::from(self.settings.segment_size) / self.instant_rate);
        let rtt = self.rtt.map_or(Duration::MAX, Duration::from_secs_f64);
        interval.min(self.settings.granularity).min(rtt) / 2
    }

    /// The first tick of the clock at which a packet due at `due` may leave.
    fn tick(&self, due: Time) -> Time {
        let earliest = due.as_nanos().saturating_sub(self.slack().as_nanos());
        let tick = Duration::from_nanos(earliest).round_up_to(self.settings.granularity);
        Time::from_nanos(tick.as_nanos())
    }

    /// Stops the application when its time has come. Waiting packets are not sent.
    fn stop_if_due(&mut self, now: Time) {
        if self.application != Application::Writing || now < self.transfer.stop {
            return;
        }
        let cuts_off = self.backlog > 0 && (self.backlog < u64::MAX || !self.has_begun());
        self.application = if cuts_off { Application::CutOff } else { Application::Stopped };
        self.backlog = 0;
        if !self.awaits_report {
            self.finish(now);
        }
    }

    /// Ends the transfer if no packet waits: everything sent is reported on, or the nofeedback timer has expired.
    fn finish(&mut self, now: Time) {
        self.awaits_report = false;
        if self.backlog == 0 && self.has_begun() && self.closed_at.is_none() {
            self.closed_at = Some(now);
        }
    }

    /// The window integrated since its last change, until now or the end of the transfer.
    fn window_since_change(&self, now: Time) -> f64 {
        let until = self.closed_at.map_or(now, |closed| closed.min(now));
        self.rtt.map_or(0.0, |_| self.window() * until.since(self.window_since).as_secs_f64())
    }

    /// Integrates the window up to now, before it changes.
    fn account(&mut self, now: Time) {
        self.counters.cwnd_seconds += self.window_since_change(now);
        self.window_since = now;
    }
}
