//! A 4-ary heap of keys.

use std::hint::select_unpredictable;

/// Greater than every key: the top of an empty heap, and the unused entries of its last group.
pub const NO_KEY: u128 = u128::MAX;

/// The four children of one node, on one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Siblings([u128; 4]);

/// A 4-ary heap of 16-byte keys, least first.
///
/// Removing the least key leaves a hole at the top, which the next key inserted fills: the usual pair of a removal and an
/// insertion is a single walk down the heap.
#[derive(Clone)]
pub struct Heap {
    /// The root; [`NO_KEY`] if the heap is empty, meaningless while `hole`.
    top: u128,
    /// Group `n` holds the children of node `n`: nodes `4n + 1` to `4n + 4`, the root being node 0.
    groups: Vec<Siblings>,
    /// The number of nodes, including the root, even if it is a hole.
    nodes: usize,
    hole: bool,
}

/// True above this many keys: then the next are worth looking at.
const MANY: usize = 64;

impl Heap {
    /// A heap without keys.
    pub const EMPTY: Heap = Heap { top: NO_KEY, groups: Vec::new(), nodes: 0, hole: false };

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.nodes - usize::from(self.hole)
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True with many keys.
    #[inline]
    pub fn is_large(&self) -> bool {
        self.nodes > MANY
    }

    /// The least key, [`NO_KEY`] if there is none, without filling the hole.
    pub fn peek(&self) -> u128 {
        match self.groups.first() {
            _ if !self.hole => self.top,
            // Under a hole the least key is among the root's children.
            Some(children) => least(children).1,
            None => NO_KEY,
        }
    }

    /// The keys below the top, least first: probably the next four. [`NO_KEY`] in place of those that there are not.
    #[inline]
    pub fn below_top(&self) -> [u128; 4] {
        let Some(Siblings(mut keys)) = self.groups.first().copied() else { return [NO_KEY; 4] };
        keys.sort_unstable();
        keys
    }

    /// The keys, in no order.
    pub fn keys(&self) -> impl Iterator<Item = u128> {
        let top = Some(self.top).filter(|_| !self.hole);
        let others = self.groups.iter().flat_map(|siblings| siblings.0);
        top.into_iter().chain(others).filter(|key| *key != NO_KEY)
    }

    /// The least key, [`NO_KEY`] if there is none.
    #[inline]
    pub fn first(&mut self) -> u128 {
        if self.hole {
            self.close_hole();
        }
        self.top
    }

    /// Removes the key that [`Heap::first`] has returned last.
    #[inline]
    pub fn take(&mut self) {
        debug_assert!(self.nodes > 0 && !self.hole);
        self.hole = true;
    }

    /// Adds a key.
    #[inline]
    pub fn insert(&mut self, key: u128) {
        if self.hole {
            self.hole = false;
            self.sift_down(key);
        } else if self.nodes == 0 {
            (self.nodes, self.top) = (1, key);
        } else {
            self.push(key);
        }
    }

    #[inline(never)]
    fn push(&mut self, key: u128) {
        let mut node = self.nodes;
        self.nodes += 1;
        if node > 0 && (node - 1) / 4 == self.groups.len() {
            self.groups.push(Siblings([NO_KEY; 4]));
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

    /// True if there is neither a key nor a hole.
    pub fn is_vacant(&self) -> bool {
        self.nodes == 0
    }

    /// True if the least key has been removed and the hole is not filled yet.
    #[inline]
    pub fn has_hole(&self) -> bool {
        self.hole
    }

    /// The least key, [`NO_KEY`] if there is none, of a heap without a hole.
    #[inline]
    pub fn top(&self) -> u128 {
        debug_assert!(!self.hole);
        self.top
    }

    /// Moves the last node into the hole at the top.
    #[inline]
    pub fn close_hole(&mut self) {
        self.hole = false;
        self.nodes -= 1;
        if self.nodes == 0 {
            self.top = NO_KEY;
        } else {
            self.move_last();
        }
    }

    /// Moves the node that was the last one to the top.
    #[inline(never)]
    fn move_last(&mut self) {
        let last = self.nodes;
        let key = self.get(last);
        if (last - 1).is_multiple_of(4) {
            self.groups.pop();
        } else {
            self.set(last, NO_KEY);
        }
        self.sift_down(key);
    }

    /// Puts `key` at the top and sifts it down.
    #[expect(clippy::inline_always, reason = "once per packet and direction")]
    #[inline(always)]
    fn sift_down(&mut self, key: u128) {
        // The usual case of one link: one arrival in each direction.
        if self.nodes == 2 {
            let other = &mut self.groups[0].0[0];
            if key < *other {
                self.top = key;
                return;
            }
            (self.top, *other) = (*other, key);
            return;
        }
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

/// The least of four keys and its place. Which it is cannot be predicted, so it is selected without a branch.
#[inline]
fn least(children: &Siblings) -> (usize, u128) {
    let [a, b, c, d] = children.0;
    let (i, left) = select_unpredictable(b < a, (1, b), (0, a));
    let (j, right) = select_unpredictable(d < c, (3, d), (2, c));
    select_unpredictable(right < left, (j, right), (i, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37 generates all residues modulo 101, so the keys come in no order.
    #[test]
    fn keys_leave_in_order_and_the_next_is_below_the_hole() {
        let mut heap = Heap::EMPTY;
        (0..101_u128).for_each(|number| heap.insert(number * 37 % 101));
        assert!(heap.is_large());
        for expected in 0..101 {
            assert_eq!(heap.first(), expected);
            heap.take();
            let below = heap.below_top();
            assert!(below.is_sorted(), "{below:?}");
            assert_eq!(below[0], heap.peek());
        }
        assert!(heap.is_empty() && !heap.is_large());
    }
}
