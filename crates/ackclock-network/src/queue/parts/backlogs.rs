//! The backlogs of many queues, and the longest of them.

use ackclock_memory::{memory_of, prefetch};

/// No place: the queue is not in the heap.
const ABSENT: u32 = u32::MAX;

/// The backlogs of numbered queues. A binary heap of their upper bounds finds the longest.
///
/// A bound rises with its queue's backlog, and falls only when the queue is at the root of the heap and the longest
/// queue is requested: a queue that alternately gains and loses packets does not change the heap. Each correction of a
/// bound follows at least one smaller backlog set since, so that changes take logarithmic time on average in the number
/// of queues that have held packets.
#[derive(Clone, Debug)]
pub(crate) struct Backlogs {
    /// The greatest bound is at the root; among equal bounds the lowest number comes first.
    heap: Vec<Bound>,
    queues: Vec<Backlog>,
}

#[derive(Clone, Copy, Debug)]
struct Backlog {
    held: u64,
    /// Its bound in the heap, 0 if it is not there. Most changes stay below the bound and touch no other memory.
    most: u64,
    /// The place in the heap.
    place: u32,
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    most: u64,
    queue: u32,
}

impl Bound {
    fn precedes(self, other: Bound) -> bool {
        (self.most, other.queue) > (other.most, self.queue)
    }
}

impl Backlogs {
    /// This many empty queues.
    pub(crate) fn new(queues: usize) -> Backlogs {
        Backlogs { heap: Vec::new(), queues: vec![Backlog { held: 0, most: 0, place: ABSENT }; queues] }
    }

    /// Bytes per queue, allocated at the beginning.
    pub(crate) const MEMORY: usize = size_of::<Backlog>();

    /// The queue with the greatest backlog, the lowest number among equals; none if all are empty.
    pub(crate) fn longest(&mut self) -> Option<usize> {
        loop {
            let top = *self.heap.first()?;
            match self.queues[top.queue as usize].held {
                held if held == top.most => return Some(top.queue as usize),
                0 => self.remove_first(),
                held => self.settle(0, Bound { most: held, ..top }),
            }
        }
    }

    /// Prefetches the memory of a queue's backlog.
    #[inline]
    pub(crate) fn prefetch(&self, queue: usize) {
        prefetch(memory_of(&self.queues[queue]));
    }

    /// Sets the backlog of a queue.
    #[inline]
    pub(crate) fn set(&mut self, queue: usize, held: u64) {
        let backlog = &mut self.queues[queue];
        backlog.held = held;
        if held > backlog.most {
            self.raise(queue, held);
        }
    }

    /// Raises the bound of a queue to its backlog.
    #[inline(never)]
    fn raise(&mut self, queue: usize, held: u64) {
        let bound = Bound { most: held, queue: queue as u32 };
        if self.queues[queue].place == ABSENT {
            self.heap.push(bound);
            self.queues[queue].place = self.heap.len() as u32 - 1;
        }
        self.settle(self.queues[queue].place as usize, bound);
    }

    /// Removes the queue at the root; the last one takes its place.
    fn remove_first(&mut self) {
        let first = &mut self.queues[self.heap[0].queue as usize];
        (first.most, first.place) = (0, ABSENT);
        if let Some(last) = self.heap.pop().filter(|_| !self.heap.is_empty()) {
            self.settle(0, last);
        }
    }

    /// Inserts a bound, searching from `place`, whose entry is void.
    fn settle(&mut self, mut place: usize, changed: Bound) {
        while place > 0 && changed.precedes(self.heap[(place - 1) / 2]) {
            self.put(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        while let Some(child) = self.first_child(place).filter(|child| self.heap[*child].precedes(changed)) {
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, changed);
    }

    /// The place of the child that precedes the other.
    fn first_child(&self, place: usize) -> Option<usize> {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        match self.heap.get(right) {
            Some(bound) if bound.precedes(self.heap[left]) => Some(right),
            _ => (left < self.heap.len()).then_some(left),
        }
    }

    fn put(&mut self, place: usize, bound: Bound) {
        self.heap[place] = bound;
        let backlog = &mut self.queues[bound.queue as usize];
        (backlog.most, backlog.place) = (bound.most, place as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    /// Against a scan of all queues, over random changes with many equal backlogs, asked after each or after some.
    #[test]
    fn the_longest_is_that_of_a_scan() {
        let mut random = RandomStream::new(1, "backlogs");
        for queues in [1, 2, 7, 64] {
            let mut backlogs = Backlogs::new(queues);
            let mut held = vec![0; queues];
            for _ in 0..2000 {
                let queue = random.bits() as usize % queues;
                held[queue] = random.bits() % 5;
                backlogs.set(queue, held[queue]);
                if random.bits().is_multiple_of(3) {
                    continue;
                }
                let scanned = (0..queues).rev().max_by_key(|queue| held[*queue]);
                assert_eq!(backlogs.longest(), scanned.filter(|queue| held[*queue] > 0), "{held:?}");
            }
        }
    }
}
