//! Recovery from many losses in a large window takes steps in proportion to packets, not to packets times holes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs};
use ackclock_units::{Duration, Time};

use super::super::{Receiver, Recovery, Sender, Settings, Transfer};
use super::steps;
use crate::wire::Segment;

const MSS: u16 = 1000;
const ONE_WAY: Duration = Duration::from_millis(50);
const TRANSMISSION: Duration = Duration::from_micros(1);

/// As many packets as it is told, and half of them after each loss.
#[derive(Clone)]
struct Halving(f64);

impl CongestionControl for Halving {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, _ack: &Ack) -> Decision {
        self.decision()
    }

    fn on_congestion(&mut self, _event: &Congestion) -> Decision {
        self.0 /= 2.0;
        self.decision()
    }

    fn on_event(&mut self, _event: &Event) -> Decision {
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision::window(self.0)
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

/// A sender, a receiver, and a link with a delay each way.
struct Path {
    sender: Sender,
    receiver: Receiver,
    forward: VecDeque<(Time, Segment)>,
    backward: VecDeque<(Time, Segment)>,
    free_at: Time,
    copies: BTreeMap<u64, u32>,
}

impl Path {
    fn new(recovery: Recovery, window: u64) -> Path {
        let settings =
            Arc::new(Settings { mss: MSS, segments_per_ack: 1, handshake: false, ..Settings::default() });
        let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets: Some(4 * window) };
        let controller = Box::new(Halving(window as f64));
        Path {
            sender: Sender::new(Arc::clone(&settings), recovery, controller, transfer),
            receiver: Receiver::new(settings, recovery.uses_sack()),
            forward: VecDeque::new(),
            backward: VecDeque::new(),
            free_at: Time::ZERO,
            copies: BTreeMap::new(),
        }
    }

    /// Lets the earliest thing happen; false when the transfer is over. `lost` says of the n-th copy of a segment
    /// whether it is.
    fn step(&mut self, lost: &impl Fn(u64, u32) -> bool) -> bool {
        let arrival = |queue: &VecDeque<(Time, Segment)>| queue.front().map_or(Time::MAX, |(time, _)| *time);
        let (data, reply, wake) = (arrival(&self.forward), arrival(&self.backward), self.sender.next_wake());
        let now = data.min(reply).min(wake);
        if data == now {
            let (_, segment) = self.forward.pop_front().unwrap();
            self.receiver.on_segment(now, &segment);
            let backward = &mut self.backward;
            while let Some(reply) = self.receiver.poll_transmit(now) {
                backward.push_back((now + ONE_WAY, reply.into()));
            }
            return true;
        }
        if reply == now {
            let (_, segment) = self.backward.pop_front().unwrap();
            self.sender.on_segment(now, &segment.header, &segment.sack);
        } else {
            self.sender.on_timer(now);
        }
        let Path { sender, forward, free_at, copies, .. } = self;
        while let Some(segment) = sender.poll_transmit(now) {
            let number = segment.sequence / u64::from(MSS);
            let copy = copies.entry(number).or_default();
            *copy += 1;
            *free_at = now.max(*free_at) + TRANSMISSION;
            if !lost(number, *copy) {
                forward.push_back((*free_at + ONE_WAY, segment.into()));
            }
        }
        sender.finished_at().is_none()
    }
}

/// Steps per packet of a transfer of four windows; of the second, those are lost that `lost` names.
fn cost(recovery: Recovery, window: u64, lost: impl Fn(u64, u32) -> bool) -> f64 {
    let mut path = Path::new(recovery, window);
    let before = steps();
    while path.step(&lost) {}
    (steps() - before) as f64 / (4 * window) as f64
}

/// A sixth of a window: at once, one here and one there, and some of those again when they are sent again.
#[test]
fn recovery_takes_steps_in_proportion_to_packets() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::Rack] {
        let costs = |window: u64| {
            let of_second = move |number: u64| (window..2 * window).contains(&number);
            let burst = cost(recovery, window, |number, copy| {
                copy == 1 && of_second(number) && number < window + window / 6
            });
            let holes =
                cost(recovery, window, |number, copy| copy == 1 && of_second(number) && number % 6 == 0);
            let again = cost(recovery, window, |number, copy| {
                of_second(number) && number % 6 == 0 && (copy == 1 || copy == 2 && number % 60 == 0)
            });
            [cost(recovery, window, |_, _| false), burst, holes, again]
        };
        let (small, large) = (costs(3000), costs(30_000));
        // Only the segment itself, if nothing is lost.
        assert!(large[0] < 2.0, "{recovery}: {large:?}");
        // What 5000 losses in a window of 30,000 may cost at the most, at once or one here and one there.
        assert!(large[1].max(large[2]) < 10.0 * large[0], "{recovery}: {large:?}");
        // Ten times the window and the holes. Searches take the logarithm; and where holes stay open in front, what is
        // sent again behind them moves some. Looking at all of them would be ten times the work for each packet.
        for (small, large) in small.into_iter().zip(large) {
            assert!(large < 4.0 * small, "{recovery}: {small} steps per packet become {large}");
        }
    }
}
