//! The backlogs of many queues, and the longest of them.

/// No place: the queue is empty.
const ABSENT: u32 = u32::MAX;

/// The backlogs of numbered queues, in a binary heap that knows the place of each queue and leaves out empty ones.
///
/// A change takes logarithmic time in the number of queues that hold packets, and constant time where the order does not
/// change.
#[derive(Clone, Debug)]
pub(crate) struct Backlogs {
    /// The greatest at the root: by backlog, the lowest number first among equals.
    heap: Vec<Backlog>,
    /// The place of each queue in the heap.
    places: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Backlog {
    held: u64,
    queue: u32,
}

impl Backlog {
    fn precedes(self, other: Backlog) -> bool {
        (self.held, other.queue) > (other.held, self.queue)
    }
}

impl Backlogs {
    /// So many empty queues.
    pub(crate) fn new(queues: usize) -> Backlogs {
        Backlogs { heap: Vec::new(), places: vec![ABSENT; queues] }
    }

    /// Bytes for each queue.
    pub(crate) const MEMORY: usize = size_of::<Backlog>() + size_of::<u32>();

    /// The queue with the greatest backlog, the lowest number among equals; none if all are empty.
    pub(crate) fn longest(&self) -> Option<usize> {
        self.heap.first().map(|longest| longest.queue as usize)
    }

    /// Sets the backlog of a queue.
    #[inline]
    pub(crate) fn set(&mut self, queue: usize, held: u64) {
        let changed = Backlog { held, queue: queue as u32 };
        match (self.places[queue], held) {
            (ABSENT, 0) => {}
            (ABSENT, _) => {
                self.heap.push(changed);
                self.settle(self.heap.len() - 1, changed);
            }
            (place, 0) => self.remove(place as usize),
            (place, _) => self.settle(place as usize, changed),
        }
    }

    /// Takes a queue out: the last one takes its place.
    fn remove(&mut self, place: usize) {
        self.places[self.heap[place].queue as usize] = ABSENT;
        if let Some(last) = self.heap.pop().filter(|_| place < self.heap.len()) {
            self.settle(place, last);
        }
    }

    /// Puts a backlog where it belongs, beginning at a place whose entry is void.
    fn settle(&mut self, mut place: usize, changed: Backlog) {
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
            Some(backlog) if backlog.precedes(self.heap[left]) => Some(right),
            _ => (left < self.heap.len()).then_some(left),
        }
    }

    fn put(&mut self, place: usize, backlog: Backlog) {
        self.heap[place] = backlog;
        self.places[backlog.queue as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    /// Against a scan of all queues, over random changes with many equal backlogs.
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
                let scanned = (0..queues).rev().max_by_key(|queue| held[*queue]);
                assert_eq!(backlogs.longest(), scanned.filter(|queue| held[*queue] > 0), "{held:?}");
            }
        }
    }
}
