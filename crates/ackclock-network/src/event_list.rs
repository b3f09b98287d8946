use std::fmt;

use ackclock_units::Time;

/// What an event is for; at one and the same instant links come first, then timers, then control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A packet reaches the far end of a link direction; the target is the link.
    Link = 0,
    /// A timer of an endpoint; the target is the caller's.
    Timer = 1,
    /// The run itself: samples, the end of the warm-up, the end. The target is the caller's.
    Control = 2,
}

/// One thing due at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: Time,
    /// What for.
    pub class: Class,
    /// Whom it concerns, below [`EventList::TARGETS`].
    pub target: u32,
}

const TARGET_BITS: u32 = 24;
const SEQUENCE_BITS: u32 = 38;
const CLASS_SHIFT: u32 = TARGET_BITS + SEQUENCE_BITS;

/// An event's place among those of the same instant: class, then order of creation, with the target in the low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order(pub(crate) u64);

/// Fills the unused places of the last group: later than every event.
const NOTHING: u128 = u128::MAX;

/// The four children of one node, on one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Siblings([u128; 4]);

/// Everything that is due, earliest first.
///
/// A 4-ary heap of 16-byte keys (time; class, sequence number and target in one word), so a comparison touches nothing
/// but the key and equal times have one order: by class, then by creation. A popped event leaves a hole at the top
/// that the next scheduled event fills, which makes the usual "pop one, schedule its successor" a single walk
/// down the heap.
#[derive(Clone, Default)]
pub struct EventList {
    /// The root; meaningless while `hole` or when nothing is stored.
    top: u128,
    /// Group `n` holds the children of node `n`: nodes `4n + 1` to `4n + 4`, the root being node 0.
    groups: Vec<Siblings>,
    /// Stored nodes, the root (even as a hole) included.
    nodes: usize,
    hole: bool,
    sequence: u64,
}

impl EventList {
    /// Targets are below this: 2^24.
    pub const TARGETS: u32 = 1 << TARGET_BITS;

    /// An empty list.
    pub fn new() -> EventList {
        EventList::default()
    }

    /// The number of events due.
    pub fn len(&self) -> usize {
        self.nodes - usize::from(self.hole)
    }

    /// Whether nothing is due any more.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an event. Among those of the same time and class it comes after all added before it.
    ///
    /// # Panics
    /// When `target` is not below [`EventList::TARGETS`], or after 2^38 (2.7e11) events.
    #[inline]
    pub fn schedule(&mut self, time: Time, class: Class, target: u32) {
        let order = self.next_order(class, target);
        self.insert(time, order);
    }

    /// The earliest event, left where it is.
    #[inline]
    pub fn peek(&self) -> Option<Event> {
        if self.is_empty() {
            return None;
        }
        // Under a hole the earliest is the least of the root's children, which exist as the list is not empty.
        let key = if self.hole { least(&self.groups[0]).1 } else { self.top };
        Some(event(key))
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        if self.hole {
            self.close_hole();
        }
        if self.nodes == 0 {
            return None;
        }
        self.hole = true;
        Some(event(self.top))
    }

    /// Takes the earliest event unless it is later than `end`.
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<Event> {
        if self.hole {
            self.close_hole();
        }
        if self.nodes == 0 || (self.top >> 64) as u64 > end.as_nanos() {
            return None;
        }
        self.hole = true;
        Some(event(self.top))
    }

    /// The place of an event created now, to be inserted now or later (a packet gets its place when it is sent).
    #[inline]
    pub(crate) fn next_order(&mut self, class: Class, target: u32) -> Order {
        assert!(target < EventList::TARGETS, "event target {target} does not fit in {TARGET_BITS} bits");
        let sequence = self.sequence;
        assert!(
            sequence >> SEQUENCE_BITS == 0,
            "the run has created 2^{SEQUENCE_BITS} events, the most it can order"
        );
        self.sequence += 1;
        Order((class as u64) << CLASS_SHIFT | sequence << TARGET_BITS | u64::from(target))
    }

    /// Adds an event whose place among its equals was fixed before.
    #[inline]
    pub(crate) fn insert(&mut self, time: Time, order: Order) {
        let key = u128::from(time.as_nanos()) << 64 | u128::from(order.0);
        if self.hole {
            self.hole = false;
            self.sift_down(key);
        } else {
            self.push(key);
        }
    }

    fn push(&mut self, key: u128) {
        let mut node = self.nodes;
        self.nodes += 1;
        if node > 0 && (node - 1) / 4 == self.groups.len() {
            self.groups.push(Siblings([NOTHING; 4]));
        }
        while node > 0 {
            let parent = (node - 1) / 4;
            let above = self.get(parent);
            if above < key {
                break;
            }
            self.set(node, above);
            node = parent;
        }
        self.set(node, key);
    }

    /// Moves the last node into the hole at the top.
    fn close_hole(&mut self) {
        self.hole = false;
        self.nodes -= 1;
        let last = self.nodes;
        if last > 0 {
            let key = self.get(last);
            if (last - 1).is_multiple_of(4) {
                self.groups.pop();
            } else {
                self.set(last, NOTHING);
            }
            self.sift_down(key);
        }
    }

    /// Puts `key` at the top and lets it sink to its place.
    #[inline]
    fn sift_down(&mut self, key: u128) {
        let mut node = 0;
        while let Some(children) = self.groups.get(node) {
            let (index, child) = least(children);
            if key <= child {
                break;
            }
            self.set(node, child);
            node = 4 * node + 1 + index;
        }
        self.set(node, key);
    }

    #[inline]
    fn get(&self, node: usize) -> u128 {
        if node == 0 { self.top } else { self.groups[(node - 1) / 4].0[(node - 1) % 4] }
    }

    #[inline]
    fn set(&mut self, node: usize, key: u128) {
        if node == 0 {
            self.top = key;
        } else {
            self.groups[(node - 1) / 4].0[(node - 1) % 4] = key;
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

#[inline]
fn least(children: &Siblings) -> (usize, u128) {
    let [a, b, c, d] = children.0;
    let (i, left) = if b < a { (1, b) } else { (0, a) };
    let (j, right) = if d < c { (3, d) } else { (2, c) };
    if right < left { (j, right) } else { (i, left) }
}

#[inline]
fn event(key: u128) -> Event {
    let order = key as u64;
    let class = match order >> CLASS_SHIFT {
        0 => Class::Link,
        1 => Class::Timer,
        _ => Class::Control,
    };
    Event {
        time: Time::from_nanos((key >> 64) as u64),
        class,
        target: order as u32 & (EventList::TARGETS - 1),
    }
}
