//! Congestion-controlled UDP (RFC 3124, 5.1.2): datagrams wait in the socket until the Congestion Manager releases
//! them, and the receiver acknowledges each.

use std::collections::VecDeque;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal};
use ackclock_units::{Duration, Rate, Time};

use super::{Datagram, RateCallback};
use crate::Counters;
use crate::tcp::{RtoSettings, RttEstimator};

/// A datagram counts as lost when this many later ones have arrived, like duplicates in TCP (RFC 3124, 5.1.1).
const LATER: u64 = 3;

/// The sender of a client of the Congestion Manager. Nothing is sent again.
pub struct ManagedSender {
    controller: Box<dyn CongestionControl>,
    /// The datagrams in the socket's buffer, and the number for which it has room.
    waiting: u64,
    room: u64,
    /// Datagrams that found no room.
    refused: u64,
    sent: u64,
    lost: u64,
    /// Timeouts, round-trip times and the window integrated over time, but for the packets.
    counters: Counters,
    /// From this time on the window is not in its integral; none before the first datagram.
    window_since: Option<Time>,
    /// Datagrams in the network, by number, and when they were sent.
    outstanding: VecDeque<(u64, Time)>,
    /// True if the window last held the sender back.
    window_limited: bool,
    round: u64,
    /// The round trip ends with the acknowledgment of this datagram.
    round_ends: u64,
    /// The next datagram at the latest congestion signal: the fate of earlier ones is no news.
    signalled_at: u64,
    rtt: RttEstimator,
    rto: RtoSettings,
    deadline: Time,
    /// The calls to its application, if it adapts to the rate.
    callback: Option<RateCallback>,
}

impl ManagedSender {
    /// A sender with a socket's buffer for this many datagrams.
    pub fn new(controller: Box<dyn CongestionControl>, room: u64, rto: RtoSettings) -> ManagedSender {
        ManagedSender {
            controller,
            waiting: 0,
            room,
            refused: 0,
            sent: 0,
            lost: 0,
            counters: Counters::default(),
            window_since: None,
            outstanding: VecDeque::new(),
            window_limited: false,
            round: 0,
            round_ends: 0,
            signalled_at: 0,
            rtt: RttEstimator::new(&rto),
            rto,
            deadline: Time::MAX,
            callback: None,
        }
    }

    /// Has its application called when its rate changes.
    pub fn call_back(&mut self, callback: RateCallback) {
        self.callback = Some(callback);
    }

    /// The calls to its application, if there are any.
    pub fn callback(&self) -> Option<&RateCallback> {
        self.callback.as_ref()
    }

    /// The rate of which its application is to be told now, if it is (`cmapp_update`).
    pub fn poll_update(&mut self) -> Option<Rate> {
        let (part, srtt) = (self.controller.decision().cwnd, self.rtt.srtt());
        self.callback.as_mut()?.update(part, srtt)
    }

    /// The application writes this many more datagrams; the socket refuses those for which it has no room.
    pub fn write(&mut self, datagrams: u64) {
        let taken = datagrams.min(self.room - self.waiting);
        self.waiting += taken;
        self.refused += datagrams - taken;
    }

    /// The next datagram to send, if one waits and the Congestion Manager has room for it.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Datagram> {
        let window = self.controller.decision().cwnd.max(1.0);
        let has_room = self.outstanding.len() as f64 + 1.0 <= window;
        self.window_limited = self.waiting > 0 && !has_room;
        if self.waiting == 0 || !has_room {
            return None;
        }
        self.waiting -= 1;
        let number = self.sent;
        self.sent += 1;
        self.window_since.get_or_insert(now);
        if self.outstanding.is_empty() {
            self.restart_timer(now);
        }
        self.outstanding.push_back((number, now));
        Some(Datagram { number })
    }

    /// The acknowledgment of a datagram arrives (`cm_update` of RFC 3124, 3.3).
    pub fn on_segment(&mut self, now: Time, acknowledged: Datagram) {
        let number = acknowledged.number;
        let Some(place) = self.outstanding.iter().position(|(sent, _)| *sent == number) else {
            return; // It counts as lost.
        };
        let Some((_, sent_at)) = self.outstanding.remove(place) else { return };
        let rtt = now.since(sent_at);
        self.counters.rtt_samples += 1;
        self.counters.rtt_total += rtt;
        self.counters.rtt_max = self.counters.rtt_max.max(rtt);
        self.rtt.sample(rtt, 1, &self.rto);
        self.rtt.end_back_off();
        if number >= self.round_ends {
            self.round += 1;
            self.round_ends = self.sent;
        }
        let before = self.outstanding.len();
        let is_news = self.outstanding.iter().any(|(sent, _)| self.is_news(*sent) && sent + LATER <= number);
        self.outstanding.retain(|(sent, _)| sent + LATER > number);
        let lost = (before - self.outstanding.len()) as u64;
        self.lost += lost;
        let suspended = is_news || !self.is_news(number);
        if is_news {
            self.congest(now, Signal::Loss);
        }
        self.inform(now, (1.0, lost as f64), Some(rtt), suspended);
        self.restart_timer(now);
    }

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    pub fn next_wake(&self) -> Time {
        self.deadline
    }

    /// A timeout without feedback: all packets in the network count as lost (`CM_NO_FEEDBACK`).
    pub fn on_timer(&mut self, now: Time) {
        if now < self.deadline {
            return;
        }
        let lost = self.outstanding.len() as u64;
        self.outstanding.clear();
        self.lost += lost;
        self.counters.timeouts += 1;
        self.congest(now, Signal::Timeout);
        self.inform(now, (0.0, lost as f64), None, true);
        self.rtt.back_off(&self.rto);
        self.deadline = Time::MAX;
    }

    /// Datagrams sent, counted as lost, and refused by the socket.
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.sent, self.lost, self.refused)
    }

    /// The counters, with the window integrated from the first datagram up to `now`.
    pub fn counters(&self, now: Time) -> Counters {
        let cwnd_seconds = self.counters.cwnd_seconds + self.window_since_change(now);
        Counters { segments_sent: self.sent, cwnd_seconds, ..self.counters }
    }

    fn window_since_change(&self, now: Time) -> f64 {
        let since = self.window_since.unwrap_or(now);
        self.controller.decision().cwnd * now.since(since).as_secs_f64()
    }

    /// Adds the time of the window up to now, before it changes.
    fn account(&mut self, now: Time) {
        self.counters.cwnd_seconds += self.window_since_change(now);
        self.window_since = self.window_since.map(|_| now);
    }

    /// Datagrams in the network.
    pub fn in_flight(&self) -> usize {
        self.outstanding.len()
    }

    /// The round-trip time estimator.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// The congestion controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.controller
    }

    /// True if a datagram was sent after the latest signal.
    fn is_news(&self, number: u64) -> bool {
        number >= self.signalled_at
    }

    fn congest(&mut self, now: Time, signal: Signal) {
        self.account(now);
        self.signalled_at = self.sent;
        let (flight, restart) = (self.outstanding.len() as f64, signal == Signal::Timeout);
        self.controller.on_congestion(&Congestion { now, signal, flight, restart, repeated: false });
    }

    fn inform(&mut self, now: Time, (delivered, lost): (f64, f64), rtt: Option<Duration>, suspended: bool) {
        self.account(now);
        self.controller.on_ack(&Ack {
            now,
            acks: u32::from(delivered > 0.0),
            delivered,
            lost,
            in_flight: self.outstanding.len() as f64,
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            round: self.round,
            suspended,
            advanced: delivered > 0.0,
            window_limited: self.window_limited,
            ..Ack::default()
        });
    }

    fn restart_timer(&mut self, now: Time) {
        let is_idle = self.outstanding.is_empty() && self.waiting == 0;
        self.deadline = if is_idle { Time::MAX } else { now + self.rtt.rto(&self.rto) };
    }
}

#[cfg(test)]
mod tests {
    use ackclock_congestion::Start;
    use ackclock_congestion::registry::ControllerSpec;

    use super::*;

    fn sender(window: f64) -> ManagedSender {
        let start = Start { initial_window: window, ..Start::default() };
        ManagedSender::new(ControllerSpec::default().build(&start), 100, RtoSettings::default())
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// All that may be sent now.
    fn sent(sender: &mut ManagedSender, now: Time) -> Vec<u64> {
        std::iter::from_fn(|| sender.poll_transmit(now)).map(|datagram| datagram.number).collect()
    }

    fn acknowledge(sender: &mut ManagedSender, now: Time, number: u64) {
        sender.on_segment(now, Datagram { number });
    }

    /// RFC 3124, 5.1.2: the socket keeps what the Congestion Manager does not release; in slow start each
    /// acknowledgment releases two datagrams.
    #[test]
    fn datagrams_wait_for_the_window() {
        let mut sender = sender(2.0);
        sender.write(120);
        assert_eq!(sender.counts().2, 20, "the socket has room for 100");
        assert_eq!(sent(&mut sender, at(0)), [0, 1]);
        acknowledge(&mut sender, at(100), 0);
        assert_eq!(sent(&mut sender, at(100)), [2, 3]);
        acknowledge(&mut sender, at(100), 1);
        assert_eq!(sent(&mut sender, at(100)), [4, 5]);
    }

    /// The third datagram after one that is missing shows its loss, which halves the window once; nothing is sent again.
    #[test]
    fn a_loss_halves_the_window() {
        let mut sender = sender(8.0);
        sender.write(50);
        assert_eq!(sent(&mut sender, at(0)).len(), 8);
        for number in [1, 2] {
            acknowledge(&mut sender, at(100), number);
        }
        assert_eq!(sent(&mut sender, at(100)), [8, 9, 10, 11], "ten may be in the network");
        acknowledge(&mut sender, at(100), 3);
        assert_eq!((sender.counts().1, sender.controller().decision().cwnd), (1, 4.0));
        assert_eq!(sent(&mut sender, at(100)), []);
        for number in [4, 5, 6, 7] {
            acknowledge(&mut sender, at(100), number);
        }
        assert_eq!((sender.in_flight(), sent(&mut sender, at(100))), (4, vec![]), "growth is suspended");
    }

    /// RFC 3124, 3.3: without feedback nothing is known to be in the network; one datagram goes.
    #[test]
    fn without_feedback_one_datagram_goes() {
        let mut sender = sender(4.0);
        sender.write(50);
        sent(&mut sender, at(0));
        assert_eq!(sender.next_wake(), at(1000));
        sender.on_timer(at(1000));
        assert_eq!(sent(&mut sender, at(1000)), [4]);
        assert_eq!((sender.counts().1, sender.next_wake()), (4, at(3000)));
        acknowledge(&mut sender, at(1000), 2);
        assert_eq!(sender.in_flight(), 1, "it came too late");
    }
}
