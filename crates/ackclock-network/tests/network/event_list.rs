//! The event list gives events in one order, whatever the order they came in.

use ackclock_network::{Class, Event, EventList};
use ackclock_units::Time;
use proptest::prelude::*;

fn drain(events: &mut EventList) -> Vec<Event> {
    std::iter::from_fn(|| events.pop()).collect()
}

#[test]
fn at_one_instant_links_come_by_number_then_timers_then_control_first_come_first_served() {
    let mut events = EventList::new();
    let now = Time::from_nanos(5);
    for (class, target) in
        [(Class::Control, 1), (Class::Timer, 9), (Class::Link, 7), (Class::Timer, 2), (Class::Link, 3)]
    {
        events.schedule(now, class, target);
    }
    events.schedule(Time::from_nanos(4), Class::Control, 0);
    let order: Vec<_> = drain(&mut events).iter().map(|event| (event.class, event.target)).collect();
    let expected = [
        (Class::Control, 0),
        (Class::Link, 3),
        (Class::Link, 7),
        (Class::Timer, 9),
        (Class::Timer, 2),
        (Class::Control, 1),
    ];
    assert_eq!(order, expected);
}

#[test]
fn an_event_of_a_reserved_order_comes_as_if_it_had_been_scheduled_then() {
    let time = Time::from_nanos(5);
    let mut events = EventList::new();
    events.schedule(time, Class::Timer, 1);
    let first = events.reserve(2);
    events.schedule(time, Class::Timer, 4);
    events.schedule_in_order(time, Class::Timer, 3, first + 1);
    events.schedule(time, Class::Timer, 5);
    events.schedule_in_order(time, Class::Timer, 2, first);
    let targets: Vec<u32> = drain(&mut events).iter().map(|event| event.target).collect();
    assert_eq!(targets, [1, 2, 3, 4, 5]);
}

#[test]
fn nothing_later_than_the_end_is_taken() {
    let mut events = EventList::new();
    events.schedule(Time::from_nanos(10), Class::Timer, 1);
    events.schedule(Time::from_nanos(11), Class::Timer, 2);
    assert_eq!(events.pop_until(Time::from_nanos(10)).map(|event| event.target), Some(1));
    assert_eq!(events.pop_until(Time::from_nanos(10)), None);
    assert_eq!(events.len(), 1);
    assert_eq!(events.pop().map(|event| event.target), Some(2));
    assert!(events.is_empty());
    assert_eq!(events.pop(), None);
}

#[test]
fn never_is_a_time_like_any_other() {
    let mut events = EventList::new();
    let last = EventList::TARGETS - 1;
    for _ in 0..6 {
        events.schedule(Time::MAX, Class::Control, last);
    }
    assert_eq!(drain(&mut events), vec![Event { time: Time::MAX, class: Class::Control, target: last }; 6]);
}

#[test]
#[should_panic(expected = "event target 16777216 does not fit in 24 bits")]
fn a_target_that_does_not_fit_is_refused() {
    EventList::new().schedule(Time::ZERO, Class::Timer, EventList::TARGETS);
}

#[test]
#[should_panic(expected = "an event is scheduled for 0.000000006 s, but it is 0.000000007 s already")]
fn nothing_is_scheduled_before_the_present() {
    let mut events = EventList::new();
    events.schedule(Time::from_nanos(7), Class::Timer, 0);
    events.schedule(Time::from_nanos(8), Class::Timer, 0);
    events.pop();
    events.schedule(Time::from_nanos(7), Class::Link, 0);
    events.schedule(Time::from_nanos(6), Class::Link, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against a sorted list: pops, peeks and schedules interleaved at will, few distinct times from the present on, so that ties abound.
    #[test]
    fn it_agrees_with_a_sorted_list(steps in prop::collection::vec((0_u64..8, 0_u8..3, 0_u8..5), 0..400)) {
        let mut events = EventList::new();
        let mut sorted: Vec<(u64, Class, u32)> = Vec::new();
        let mut now = 0;
        for (number, (time, class, action)) in (0..).zip(steps) {
            if action < 2 {
                let expected = (!sorted.is_empty()).then(|| sorted.remove(0));
                let peeked = events.peek();
                let popped = events.pop();
                prop_assert_eq!(peeked, popped);
                now = popped.map_or(now, |event| event.time.as_nanos());
                prop_assert_eq!(popped.map(|event| (event.time.as_nanos(), event.class, event.target)), expected);
            } else {
                let class = [Class::Link, Class::Timer, Class::Control][usize::from(class)];
                events.schedule(Time::from_nanos(now + time), class, number);
                // The target is the order of creation, so sorting by it is first come, first queue.
                sorted.push((now + time, class, number));
                sorted.sort_unstable();
            }
            prop_assert_eq!(events.len(), sorted.len());
        }
        let rest: Vec<_> =
            drain(&mut events).iter().map(|event| (event.time.as_nanos(), event.class, event.target)).collect();
        prop_assert_eq!(rest, sorted);
    }
}
