//! A calendar queue of keys, with a heap for the day that is in progress.

use crate::heap::{Heap, NO_KEY};

/// The number of days for which keys are noted ahead, a power of two.
const DAYS: usize = 2048;
/// A heap of at most this many keys is as fast as a calendar.
const FEW: usize = 64;
/// The lengths of the shortest, the first and the longest day, as powers of two of nanoseconds: 256 ns, 16 us
/// and 17 ms.
const SHORTEST: u32 = 8;
const FIRST: u32 = 14;
const LONGEST: u32 = 24;
/// The length of a day is chosen again after this many days or keys.
const DAYS_PER_CHOICE: u32 = 4096;
const KEYS_PER_CHOICE: u64 = 65_536;
/// No day, and the end of a list of notes.
const NONE: u32 = u32::MAX;

/// A key that is due after today, in the list of its day or of unused notes.
#[derive(Clone, Copy)]
struct Note {
    key: u128,
    next: u32,
}

/// A queue of keys, least first, whose high 64 bits are a time in nanoseconds (R. Brown, CACM 31(10), 1988).
///
/// With few keys it is a heap. With many keys, only the keys of today are in that heap. Keys of the next 2048
/// days are noted by day in no order, so inserting and removing a key costs the same for any number of keys.
/// Later keys wait in another heap. The length of a day adapts to the keys, so that about one falls on each
/// day, and more if the days would not reach far enough.
#[derive(Clone)]
pub struct Calendar {
    /// The keys of today. It is vacant only if the calendar is empty.
    today: Heap,
    /// The last nanosecond of today; the end of time while all keys are in the heap.
    ends: u64,
    /// A day has 2 to this power nanoseconds.
    length: u32,
    ahead: Ahead,
    /// Keys that were due after the last day ahead when they were inserted.
    later: Heap,
    /// The time at which the length was chosen, and the number of days begun and keys removed since.
    chosen: u64,
    begun: u32,
    removed: u64,
}

/// The days ahead.
#[derive(Clone)]
struct Ahead {
    /// The first note of each day, at the day's number modulo [`DAYS`].
    days: Vec<u32>,
    /// A bit for each day that has notes.
    noted: Vec<u64>,
    notes: Vec<Note>,
    unused: u32,
    count: usize,
}

impl Calendar {
    /// A calendar without keys.
    pub const EMPTY: Calendar = Calendar {
        today: Heap::EMPTY,
        ends: u64::MAX,
        length: FIRST,
        ahead: Ahead::EMPTY,
        later: Heap::EMPTY,
        chosen: 0,
        begun: 0,
        removed: 0,
    };

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.today.len() + self.ahead.count + self.later.len()
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The last nanosecond of today, which tells one day from another; none while all keys lie in one heap.
    #[inline]
    pub fn today_ends(&self) -> Option<u64> {
        (self.ends < u64::MAX).then_some(self.ends)
    }

    /// The keys that are due today, in no order.
    pub fn due_today(&self) -> impl Iterator<Item = u128> {
        self.today.keys()
    }

    /// The keys of the next day that has some, in no order; without those that were due after the last day ahead when they were
    /// inserted.
    pub fn due_next(&self) -> impl Iterator<Item = u128> {
        self.ahead.of_day(self.ahead.first_day(self.tomorrow()))
    }

    /// The least key, [`NO_KEY`] if there is none.
    pub fn peek(&self) -> u128 {
        match self.today.peek() {
            NO_KEY => self.ahead.peek(self.tomorrow()).min(self.later.peek()),
            key => key,
        }
    }

    /// The least key, [`NO_KEY`] if there is none.
    #[inline]
    pub fn first(&mut self) -> u128 {
        if self.today.has_hole() {
            self.close_hole();
        }
        self.today.top()
    }

    /// Removes the key that [`Calendar::first`] has returned last.
    #[inline]
    pub fn take(&mut self) {
        self.today.take();
        self.removed += 1;
    }

    /// Adds a key.
    #[inline]
    pub fn insert(&mut self, key: u128) {
        if time_of(key) <= self.ends && self.today.has_hole() {
            self.today.insert(key);
        } else {
            self.add(key);
        }
    }

    /// [`insert`](Self::insert) when no hole takes the key.
    fn add(&mut self, key: u128) {
        if time_of(key) <= self.ends {
            self.today.insert(key);
            if self.ends == u64::MAX && self.today.len() > FEW {
                self.begin();
            }
        } else {
            self.note(key);
            if self.today.is_vacant() {
                self.begin_day();
            }
        }
    }

    /// Notes a key that is due after today.
    #[inline]
    fn note(&mut self, key: u128) {
        let day = time_of(key) >> self.length;
        if day - self.tomorrow() < DAYS as u64 {
            self.ahead.note(day, key);
        } else {
            self.later.insert(key);
        }
    }

    #[inline(never)]
    fn close_hole(&mut self) {
        self.today.close_hole();
        if self.today.is_vacant() {
            if self.ahead.count > 0 || !self.later.is_empty() {
                self.begin_day();
            } else {
                self.ends = u64::MAX;
            }
        }
    }

    /// The number of the day after today.
    #[inline]
    fn tomorrow(&self) -> u64 {
        (self.ends >> self.length) + 1
    }

    /// Begins the next day that has keys.
    fn begin_day(&mut self) {
        let noted = self.ahead.first_day(self.tomorrow());
        let day = noted.min(time_of(self.later.first()) >> self.length);
        self.make_today(day);
        if day == noted {
            self.ahead.move_to(day, &mut self.today);
        }
        while self.later.first() != NO_KEY && time_of(self.later.first()) <= self.ends {
            self.today.insert(self.later.first());
            self.later.take();
        }
        self.begun += 1;
        if self.begun >= DAYS_PER_CHOICE || self.removed >= KEYS_PER_CHOICE {
            self.choose_length();
        }
    }

    fn make_today(&mut self, day: u64) {
        self.ends = day << self.length | ((1 << self.length) - 1);
    }

    /// Changes from a heap to a calendar.
    #[cold]
    fn begin(&mut self) {
        self.ahead.make();
        self.spread();
        (self.chosen, self.begun, self.removed) = (self.ends, 0, 0);
    }

    /// Chooses the length of a day again: about the time from one key to the next, but long enough that most
    /// keys fall on the days ahead.
    #[cold]
    fn choose_length(&mut self) {
        let spacing = (self.ends.saturating_sub(self.chosen) / self.removed.max(1)).max(1);
        let keys = (2 * self.len() / DAYS) as u64;
        let length = (spacing * keys.max(1)).ilog2().saturating_sub(1).clamp(SHORTEST, LONGEST);
        if length.abs_diff(self.length) > 1 {
            self.length = length;
            self.spread();
        }
        (self.chosen, self.begun, self.removed) = (self.ends, 0, 0);
    }

    /// Inserts all keys again, by the new length of a day.
    fn spread(&mut self) {
        let mut keys = Vec::with_capacity(self.len());
        self.ahead.move_all_to(&mut keys);
        for heap in [&mut self.today, &mut self.later] {
            while heap.first() != NO_KEY {
                keys.push(heap.first());
                heap.take();
            }
        }
        let first = keys.iter().copied().min().map_or(0, time_of);
        self.make_today(first >> self.length);
        for key in keys {
            if time_of(key) <= self.ends { self.today.insert(key) } else { self.note(key) }
        }
    }
}

impl Ahead {
    const EMPTY: Ahead =
        Ahead { days: Vec::new(), noted: Vec::new(), notes: Vec::new(), unused: NONE, count: 0 };

    fn make(&mut self) {
        self.days = vec![NONE; DAYS];
        self.noted = vec![0; DAYS / 64];
    }

    #[inline]
    fn note(&mut self, day: u64, key: u128) {
        let place = day as usize % DAYS;
        let note = Note { key, next: self.days[place] };
        self.days[place] = if self.unused == NONE {
            self.notes.push(note);
            self.notes.len() as u32 - 1
        } else {
            let unused = self.unused;
            self.unused = std::mem::replace(&mut self.notes[unused as usize], note).next;
            unused
        };
        self.noted[place / 64] |= 1 << (place % 64);
        self.count += 1;
    }

    /// The first day from this one on that has notes; the largest number if none has.
    fn first_day(&self, from: u64) -> u64 {
        if self.count == 0 {
            return u64::MAX;
        }
        let start = from as usize % DAYS;
        let mut word = start / 64;
        let mut bits = self.noted[word] & (u64::MAX << (start % 64));
        while bits == 0 {
            word = (word + 1) % (DAYS / 64);
            bits = self.noted[word];
        }
        let place = word * 64 + bits.trailing_zeros() as usize;
        from + (place.wrapping_sub(start) % DAYS) as u64
    }

    /// The keys of a day, of which there are none if no day has keys.
    fn of_day(&self, day: u64) -> impl Iterator<Item = u128> {
        let first = if self.count > 0 { self.days[day as usize % DAYS] } else { NONE };
        let mut at = self.notes.get(first as usize);
        std::iter::from_fn(move || {
            let Note { key, next } = *at?;
            at = self.notes.get(next as usize);
            Some(key)
        })
    }

    /// Moves the keys of a day to a heap.
    fn move_to(&mut self, day: u64, heap: &mut Heap) {
        self.drain(day as usize % DAYS, |key| heap.insert(key));
    }

    fn move_all_to(&mut self, keys: &mut Vec<u128>) {
        for place in 0..self.days.len() {
            self.drain(place, |key| keys.push(key));
        }
    }

    #[inline]
    fn drain(&mut self, place: usize, mut take: impl FnMut(u128)) {
        let mut at = std::mem::replace(&mut self.days[place], NONE);
        self.noted[place / 64] &= !(1 << (place % 64));
        while at != NONE {
            let note = &mut self.notes[at as usize];
            take(note.key);
            let next = std::mem::replace(&mut note.next, self.unused);
            (self.unused, at) = (at, next);
            self.count -= 1;
        }
    }

    /// The least key, [`NO_KEY`] if there is none.
    fn peek(&self, from: u64) -> u128 {
        self.of_day(self.first_day(from)).min().unwrap_or(NO_KEY)
    }
}

#[inline]
fn time_of(key: u128) -> u64 {
    (key >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Calendar, NO_KEY};

    /// A step of a test: inserts a key this far ahead of the present, or removes the first.
    #[derive(Clone, Debug)]
    enum Step {
        Insert { ahead: u64, times: usize },
        Take { times: usize },
        Peek,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let ahead =
            prop_oneof![Just(0), 0..100_u64, 0..1_000_000_u64, 0..40_000_000_u64, 0..10_000_000_000_u64];
        let step = prop_oneof![
            (ahead, 1..90_usize).prop_map(|(ahead, times)| Step::Insert { ahead, times }),
            (1..120_usize).prop_map(|times| Step::Take { times }),
            Just(Step::Peek),
        ];
        prop::collection::vec(step, 1..400)
    }

    proptest! {
        /// The keys come as they do from an ordered set, whatever is inserted between.
        #[test]
        fn the_least_key_comes_first(steps in steps()) {
            let (mut calendar, mut keys) = (Calendar::EMPTY, BTreeSet::new());
            let (mut now, mut order) = (0, 0_u64);
            for step in steps {
                match step {
                    Step::Insert { ahead, times } => {
                        for n in 0..times {
                            order += 1;
                            let time = now + ahead * (n as u64 * 7 % 5);
                            let key = u128::from(time) << 64 | u128::from(order);
                            calendar.insert(key);
                            keys.insert(key);
                        }
                    }
                    Step::Take { times } => {
                        for _ in 0..times {
                            let least = keys.pop_first();
                            prop_assert_eq!(calendar.first(), least.unwrap_or(NO_KEY));
                            let Some(key) = least else { break };
                            calendar.take();
                            now = (key >> 64) as u64;
                        }
                    }
                    Step::Peek => prop_assert_eq!(calendar.peek(), keys.first().copied().unwrap_or(NO_KEY)),
                }
                prop_assert_eq!(calendar.len(), keys.len());
            }
        }
    }

    /// Of a thousand keys, one each microsecond, those of today and of the next day are the first of all.
    #[test]
    fn what_is_due_on_two_days_comes_next() {
        let keys: Vec<u128> = (0..1000_u64).map(|n| u128::from(n * 1000) << 64 | u128::from(n)).collect();
        let mut calendar = Calendar::EMPTY;
        for key in &keys {
            calendar.insert(*key);
        }
        let today = calendar.due_today().count();
        let mut due: Vec<u128> = calendar.due_today().chain(calendar.due_next()).collect();
        due.sort_unstable();
        assert!(today > 0 && due.len() > today);
        assert_eq!(due, keys[..due.len()]);
        assert!(Calendar::EMPTY.due_next().next().is_none());
    }

    /// The length of a day follows the keys: of a thousand timers one expires each microsecond, and later each 10 ms.
    #[test]
    fn about_one_key_falls_on_a_day() {
        let mut calendar = Calendar::EMPTY;
        let (mut order, mut latest) = (0_u64, 0);
        for spacing in [1000_u64, 10_000_000] {
            let start = (latest >> 64) as u64;
            for n in 0..200_000 {
                order += 1;
                calendar.insert(u128::from(start + n * spacing) << 64 | u128::from(order));
                if n >= 1000 {
                    assert!(calendar.first() > latest);
                    latest = calendar.first();
                    calendar.take();
                }
            }
            let day = 1 << calendar.length;
            assert!(
                (spacing / 8..=spacing * 4).contains(&day),
                "days of {day} ns for keys each {spacing} ns"
            );
        }
    }
}
