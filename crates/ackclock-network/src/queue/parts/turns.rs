//! The order of service of queues that take turns.

use ackclock_memory::{memory_of, prefetch};

/// No queue.
const NONE: u32 = u32::MAX;

/// Numbered queues in order of service: a doubly linked list over their numbers, from which any queue can be removed.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    /// The neighbours of each queue that is in the list.
    links: Vec<Link>,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    after: u32,
}

impl Turns {
    /// An empty list, for this many queues.
    pub(crate) fn new(queues: usize) -> Turns {
        Turns { links: vec![Link { before: NONE, after: NONE }; queues], first: NONE, last: NONE }
    }

    /// Bytes for each queue.
    pub(crate) const MEMORY: usize = size_of::<Link>();

    /// The queue to serve next.
    pub(crate) fn first(&self) -> Option<usize> {
        (self.first != NONE).then_some(self.first as usize)
    }

    /// The first queues, for prefetching.
    pub(crate) fn upcoming<const QUEUES: usize>(&self) -> [Option<usize>; QUEUES] {
        let mut next = self.first;
        std::array::from_fn(|_| {
            let queue = (next != NONE).then_some(next as usize)?;
            next = self.links[queue].after;
            Some(queue)
        })
    }

    /// Prefetches the memory of a queue's turn.
    pub(crate) fn prefetch(&self, queue: usize) {
        prefetch(memory_of(&self.links[queue]));
    }

    /// Appends a queue that is not in the list.
    pub(crate) fn append(&mut self, queue: usize) {
        let queue = queue as u32;
        self.links[queue as usize] = Link { before: self.last, after: NONE };
        match self.last {
            NONE => self.first = queue,
            last => self.links[last as usize].after = queue,
        }
        self.last = queue;
    }

    /// Removes a queue that is in the list.
    pub(crate) fn remove(&mut self, queue: usize) {
        let Link { before, after } = self.links[queue];
        match before {
            NONE => self.first = after,
            before => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            after => self.links[after as usize].before = before,
        }
    }

    /// Removes the first queue.
    pub(crate) fn take_first(&mut self) -> Option<usize> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_keep_their_order_whichever_is_removed() {
        for removed in 0..4 {
            let mut turns = Turns::new(4);
            (0..4).for_each(|queue| turns.append(queue));
            turns.remove(removed);
            turns.append(removed);
            let order: Vec<usize> = std::iter::from_fn(|| turns.take_first()).collect();
            let others = (0..4).filter(|queue| *queue != removed);
            assert_eq!(order, others.chain([removed]).collect::<Vec<_>>());
            assert_eq!(turns.first(), None);
        }
    }
}
