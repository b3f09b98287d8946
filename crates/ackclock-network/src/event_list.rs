//! The event list: pending events, the earliest first.

use std::fmt;

use ackclock_memory::{Calendar, Heap, NO_KEY};
use ackclock_units::Time;

/// The class of an event. Within one instant link events come first, then timers, then control.
///
/// Exhaustive: the driver of a network handles events of every class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A packet reaches the far end of a link direction, whose number is the target; or a queue acts, whose target is above the
    /// numbers of all link directions.
    Link = 0,
    /// A timer of an endpoint; the target is the caller's.
    Timer = 1,
    /// The run itself: samples, the end of the warm-up, the end. The target is the caller's.
    Control = 2,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The time at which it is due.
    pub time: Time,
    /// Its class.
    pub class: Class,
    /// Its target, below [`EventList::TARGETS`].
    pub target: u32,
}

const TARGET_BITS: u32 = 24;
const SEQUENCE_BITS: u32 = 38;
const CLASS_SHIFT: u32 = TARGET_BITS + SEQUENCE_BITS;

/// All pending events, the earliest first.
///
/// Events of equal times have one order: by class; link events then by their target, whenever they were created, others by creation.
/// A key takes 16 bytes (time; class, sequence number and target in one word), and a comparison reads only the key. Arrivals are many
/// and near and lie in a heap; timers are mostly far and lie in a calendar. So arrivals need not sink past timers.
#[derive(Clone)]
pub struct EventList {
    links: Heap,
    others: Calendar,
    sequence: u64,
    /// The time of the latest event removed. No event may be scheduled before it.
    now: Time,
}

impl Default for EventList {
    fn default() -> EventList {
        EventList { links: Heap::EMPTY, others: Calendar::EMPTY, sequence: 0, now: Time::ZERO }
    }
}

impl EventList {
    /// Targets are below this: 2^24.
    pub const TARGETS: u32 = 1 << TARGET_BITS;

    /// An empty list.
    pub fn new() -> EventList {
        EventList::default()
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        self.links.len() + self.others.len()
    }

    /// True if no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Schedules an event: a link event among those of the same time by its target, any other after all of the same time and class
    /// that were scheduled before it.
    ///
    /// # Panics
    /// If `time` is earlier than the time of the latest event removed, if `target` is not below
    /// [`EventList::TARGETS`], or after 2^38 (2.7e11) events that are not link events.
    #[inline]
    pub fn schedule(&mut self, time: Time, class: Class, target: u32) {
        assert!(target < EventList::TARGETS, "event target {target} does not fit in {TARGET_BITS} bits");
        self.check_time(time);
        if class == Class::Link {
            self.insert_link(time, target);
        } else {
            let order = self.next_order(class, target);
            self.others.insert(key(time, order));
        }
    }

    /// Reserves the orders of this many events and returns the first. [`schedule_in_order`](Self::schedule_in_order)
    /// schedules these events later, as if they were scheduled now, one after the other.
    pub fn reserve(&mut self, events: u64) -> u64 {
        let first = self.sequence;
        self.sequence += events;
        first
    }

    /// As [`schedule`](Self::schedule), with an order that was reserved.
    ///
    /// # Panics
    /// As [`schedule`](Self::schedule), or if the order was not reserved.
    pub fn schedule_in_order(&mut self, time: Time, class: Class, target: u32, order: u64) {
        assert!(order < self.sequence, "the order {order} was not reserved");
        let present = std::mem::replace(&mut self.sequence, order);
        self.schedule(time, class, target);
        self.sequence = present;
    }

    /// The earliest event, without removing it.
    pub fn peek(&self) -> Option<Event> {
        let key = self.links.peek().min(self.others.peek());
        (key != NO_KEY).then(|| event(key))
    }

    /// Removes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_until(Time::MAX)
    }

    /// Removes the earliest event unless it is later than `end`.
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<Event> {
        match self.pop_link_until(end) {
            Some((time, target)) => Some(Event { time, class: Class::Link, target }),
            None => self.pop_other_until(end),
        }
    }

    /// The time until which [`EventList::others_soon`] lists all that are scheduled now; none with few of them.
    #[inline]
    pub fn soon(&self) -> Option<Time> {
        self.others.today_ends().map(Time::from_nanos)
    }

    /// The events of other classes than [`Class::Link`] that are due soon, in no order: among many a few of the next.
    pub fn others_soon(&self) -> impl Iterator<Item = Event> {
        self.others.due_today().map(event)
    }

    /// Those that are due soon after, in no order.
    pub fn others_next(&self) -> impl Iterator<Item = Event> {
        self.others.due_next().map(event)
    }

    /// The targets of what are probably the next four link events, the next first, if the events of many links are pending. To be
    /// called when the present one has been removed.
    #[inline]
    pub(crate) fn next_links(&self) -> Option<[u32; 4]> {
        self.links.is_large().then(|| self.links.below_top().map(target_of))
    }

    /// Removes the earliest event if it is of [`Class::Link`], as most events are, and not later than `end`. Returns
    /// its time and target. If this returns none, [`pop_other_until`](Self::pop_other_until) returns the earliest
    /// event, if there is one.
    #[expect(clippy::inline_always, reason = "once per event")]
    #[inline(always)]
    pub fn pop_link_until(&mut self, end: Time) -> Option<(Time, u32)> {
        let (link, other) = (self.links.first(), self.others.first());
        if link >= other || time_of(link) > end {
            return None;
        }
        self.links.take();
        self.now = time_of(link);
        Some((self.now, target_of(link)))
    }

    /// Removes the earliest event unless it is later than `end`. To be called when
    /// [`pop_link_until`](Self::pop_link_until) has just returned none.
    #[inline]
    pub fn pop_other_until(&mut self, end: Time) -> Option<Event> {
        let other = self.others.first();
        debug_assert!(other <= self.links.peek() || time_of(self.links.peek()) > end);
        if other == NO_KEY || time_of(other) > end {
            return None;
        }
        self.others.take();
        self.now = time_of(other);
        Some(event(other))
    }

    /// The order of an event created now among those of the same instant: class, then creation, with the target in the low bits.
    #[inline]
    fn next_order(&mut self, class: Class, target: u32) -> u64 {
        let sequence = self.sequence;
        assert!(
            sequence >> SEQUENCE_BITS == 0,
            "the run has created 2^{SEQUENCE_BITS} events, the most it can order"
        );
        self.sequence += 1;
        (class as u64) << CLASS_SHIFT | sequence << TARGET_BITS | u64::from(target)
    }

    /// Inserts a link event that is not in the past, as the arrival that follows a departure.
    #[expect(clippy::inline_always, reason = "once per packet and direction")]
    #[inline(always)]
    pub(crate) fn insert_link(&mut self, time: Time, target: u32) {
        debug_assert!(time >= self.now && target < EventList::TARGETS);
        // The class of link events is zero.
        self.links.insert(key(time, target.into()));
    }

    /// [`insert_link`](Self::insert_link) for callers that rarely need it.
    #[inline(never)]
    pub(crate) fn insert_rare_link(&mut self, time: Time, target: u32) {
        self.insert_link(time, target);
    }

    /// Simulated time never runs backwards.
    #[inline]
    fn check_time(&self, time: Time) {
        if time < self.now {
            in_the_past(time, self.now);
        }
    }
}

impl fmt::Debug for EventList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventList")
            .field("len", &self.len())
            .field("next", &self.peek())
            .finish_non_exhaustive()
    }
}

#[cold]
#[inline(never)]
fn in_the_past(time: Time, now: Time) -> ! {
    panic!("an event is scheduled for {time}, but it is {now} already");
}

#[inline]
fn key(time: Time, order: u64) -> u128 {
    u128::from(time.as_nanos()) << 64 | u128::from(order)
}

#[inline]
fn time_of(key: u128) -> Time {
    Time::from_nanos((key >> 64) as u64)
}

#[inline]
fn target_of(key: u128) -> u32 {
    key as u32 & (EventList::TARGETS - 1)
}

#[inline]
fn event(key: u128) -> Event {
    let order = key as u64;
    let class = if order >> CLASS_SHIFT == Class::Link as u64 {
        Class::Link
    } else if order >> CLASS_SHIFT == Class::Timer as u64 {
        Class::Timer
    } else {
        Class::Control
    };
    Event { time: time_of(key), class, target: target_of(key) }
}
