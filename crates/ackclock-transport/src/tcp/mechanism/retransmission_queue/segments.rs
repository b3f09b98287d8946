//! The ring of segments. If samples are kept, each is stored with the state of the sampler when it
//! was sent, so that all data an acknowledgment needs lies together.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut, Range};

use super::sent::Sent;
use crate::facts::RateState;

/// The segments, first to last.
#[derive(Clone, Debug)]
pub(super) enum Segments {
    Plain(VecDeque<Sent>),
    Sampled(VecDeque<(Sent, RateState)>),
}

impl Default for Segments {
    fn default() -> Segments {
        Segments::Plain(VecDeque::new())
    }
}

impl Segments {
    /// No segments yet, each to be kept with the state of the sampler.
    pub fn sampled() -> Segments {
        Segments::Sampled(VecDeque::new())
    }

    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Segments::Plain(ring) => ring.len(),
            Segments::Sampled(ring) => ring.len(),
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn capacity(&self) -> usize {
        match self {
            Segments::Plain(ring) => ring.capacity(),
            Segments::Sampled(ring) => ring.capacity(),
        }
    }

    /// Releases memory, except for this many segments.
    pub fn shrink_to(&mut self, room: usize) {
        match self {
            Segments::Plain(ring) => ring.shrink_to(room),
            Segments::Sampled(ring) => ring.shrink_to(room),
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> Option<&Sent> {
        match self {
            Segments::Plain(ring) => ring.get(index),
            Segments::Sampled(ring) => ring.get(index).map(|(sent, _)| sent),
        }
    }

    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Sent> {
        match self {
            Segments::Plain(ring) => ring.get_mut(index),
            Segments::Sampled(ring) => ring.get_mut(index).map(|(sent, _)| sent),
        }
    }

    #[inline]
    pub fn front(&self) -> Option<&Sent> {
        self.get(0)
    }

    #[inline]
    pub fn back(&self) -> Option<&Sent> {
        self.get(self.len().wrapping_sub(1))
    }

    /// Adds a segment with the state in which it was sent. The state is kept only with samples.
    #[inline]
    pub fn push_back(&mut self, sent: Sent, state: RateState) {
        match self {
            Segments::Plain(ring) => ring.push_back(sent),
            Segments::Sampled(ring) => ring.push_back((sent, state)),
        }
    }

    /// Removes the first segment. Returns it with the state in which it was sent, which is empty
    /// without samples.
    #[inline]
    pub fn pop_front(&mut self) -> Option<(Sent, RateState)> {
        match self {
            Segments::Plain(ring) => Some((ring.pop_front()?, RateState::default())),
            Segments::Sampled(ring) => ring.pop_front(),
        }
    }

    /// The state in which a segment was sent; empty without samples.
    #[inline]
    pub fn state(&self, index: usize) -> RateState {
        match self {
            Segments::Plain(_) => RateState::default(),
            Segments::Sampled(ring) => ring[index].1,
        }
    }

    /// Sets the state in which a segment is sent again.
    pub fn set_state(&mut self, index: usize, state: RateState) {
        if let Segments::Sampled(ring) = self {
            ring[index].1 = state;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Sent> {
        (0..self.len()).map(|index| &self[index])
    }

    /// The memory of a segment; empty if there is none.
    #[inline]
    pub fn memory(&self, index: usize) -> Range<*const u8> {
        let Some(sent) = self.get(index) else { return std::ptr::null()..std::ptr::null() };
        let start = std::ptr::from_ref(sent).cast::<u8>();
        let size = match self {
            Segments::Plain(_) => size_of::<Sent>(),
            Segments::Sampled(_) => size_of::<(Sent, RateState)>(),
        };
        start..start.wrapping_add(size)
    }
}

impl Index<usize> for Segments {
    type Output = Sent;

    #[inline]
    fn index(&self, index: usize) -> &Sent {
        match self {
            Segments::Plain(ring) => &ring[index],
            Segments::Sampled(ring) => &ring[index].0,
        }
    }
}

impl IndexMut<usize> for Segments {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut Sent {
        match self {
            Segments::Plain(ring) => &mut ring[index],
            Segments::Sampled(ring) => &mut ring[index].0,
        }
    }
}
