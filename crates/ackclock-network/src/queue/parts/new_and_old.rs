//! The order of service of flow queues: those that were empty first, then the others in turn (RFC 8290, section 4).

use std::collections::VecDeque;

/// The lists of new and old queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewAndOld {
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

impl NewAndOld {
    /// Appends a queue that is in neither list to the new ones.
    pub(crate) fn add(&mut self, queue: usize) {
        self.new.push_back(queue as u32);
    }

    /// The queue to serve, and true if it is a new one.
    pub(crate) fn first(&self) -> Option<(usize, bool)> {
        let new = self.new.front().map(|queue| (*queue as usize, true));
        new.or_else(|| self.old.front().map(|queue| (*queue as usize, false)))
    }

    /// The three queues after the first, for prefetching.
    pub(crate) fn upcoming(&self) -> [Option<usize>; 3] {
        let mut order = self.new.iter().chain(&self.old).skip(1).map(|queue| *queue as usize);
        [order.next(), order.next(), order.next()]
    }

    /// True if there are old queues.
    pub(crate) fn has_old(&self) -> bool {
        !self.old.is_empty()
    }

    /// Removes the first queue.
    pub(crate) fn take_first(&mut self) -> Option<usize> {
        self.new.pop_front().or_else(|| self.old.pop_front()).map(|queue| queue as usize)
    }

    /// Moves the first queue to the end of the old ones.
    pub(crate) fn defer_first(&mut self) {
        if let Some(queue) = self.new.pop_front().or_else(|| self.old.pop_front()) {
            self.old.push_back(queue);
        }
    }
}
