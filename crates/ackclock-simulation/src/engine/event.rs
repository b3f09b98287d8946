//! The events of a run, and how the event list holds them.

use ackclock_network::{Class, EventList, LinkId};
use ackclock_units::Time;

use crate::facts::End;

/// An event that the loop pops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A packet reaches the far end of a link direction.
    Link(LinkId),
    /// A timer of an endpoint expires.
    Timer { flow: u32, end: End },
    /// The timer of an application expires.
    Application(u32),
    /// The processor of a flow's sender is done with a packet.
    Host(u32),
    /// All time series take a sample.
    Sample,
    /// The warm-up ends.
    EndOfWarmUp,
}

/// The kinds of [`Class::Control`], in the low bits of the target.
const KIND_BITS: u32 = 2;
const APPLICATION: u32 = 0;
const HOST: u32 = 1;
const SAMPLE: u32 = 2;
const END_OF_WARM_UP: u32 = 3;

impl Event {
    /// Adds the event to the list. At equal times link events come first, then timers, then all others in the order in
    /// which they were added.
    #[inline]
    pub fn schedule(self, time: Time, events: &mut EventList) {
        let (class, target) = self.key();
        events.schedule(time, class, target);
    }

    /// As [`schedule`](Self::schedule), with an order among events of the same time and class that was reserved before.
    pub fn schedule_in_order(self, time: Time, order: u64, events: &mut EventList) {
        let (class, target) = self.key();
        events.schedule_in_order(time, class, target, order);
    }

    /// The class and the target under which the list holds the event.
    #[inline]
    fn key(self) -> (Class, u32) {
        let control = |kind, number: u32| (Class::Control, number << KIND_BITS | kind);
        match self {
            Event::Link(link) => (Class::Link, link.index() as u32),
            Event::Timer { flow, end } => (Class::Timer, 2 * flow + end as u32),
            Event::Application(number) => control(APPLICATION, number),
            Event::Host(flow) => control(HOST, flow),
            Event::Sample => control(SAMPLE, 0),
            Event::EndOfWarmUp => control(END_OF_WARM_UP, 0),
        }
    }

    /// The event that the list holds under a class and a target.
    #[inline]
    pub fn of(class: Class, target: u32) -> Event {
        match class {
            Class::Link => Event::Link(LinkId::new(target)),
            Class::Timer => {
                let end = if target % 2 == 1 { End::Receiver } else { End::Sender };
                Event::Timer { flow: target / 2, end }
            }
            Class::Control => {
                let number = target >> KIND_BITS;
                match target & ((1 << KIND_BITS) - 1) {
                    APPLICATION => Event::Application(number),
                    HOST => Event::Host(number),
                    SAMPLE => Event::Sample,
                    _ => Event::EndOfWarmUp,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_back_as_it_went_in() {
        let last = 999_999;
        let all = [
            Event::Link(LinkId::new(last)),
            Event::Timer { flow: last, end: End::Sender },
            Event::Timer { flow: last, end: End::Receiver },
            Event::Application(last),
            Event::Host(last),
            Event::Sample,
            Event::EndOfWarmUp,
        ];
        for event in all {
            let mut events = EventList::new();
            event.schedule(Time::from_nanos(7), &mut events);
            let held = events.pop().expect("one event");
            assert_eq!(Event::of(held.class, held.target), event);
        }
    }
}
