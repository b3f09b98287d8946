//! Memory on huge pages: with thousands of flows, waiting for the translation of addresses takes a tenth of the time and more.

#![expect(unsafe_code, reason = "an allocator hands out memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// The size of a huge page in bytes on `x86_64`, and on `aarch64` with small pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;

/// The system's allocator, which has large allocations begin and end with a huge page and asks Linux to put them there. Small ones are
/// the system's alone. It affects timing, and takes at most a huge page more for each large allocation.
///
/// A program sets it as its `#[global_allocator]`.
#[derive(Clone, Copy, Debug)]
pub struct HugePages;

/// The layout of a large allocation: from half a huge page on.
fn large(layout: Layout) -> Option<Layout> {
    if layout.size() < HUGE_PAGE / 2 {
        return None;
    }
    layout.align_to(HUGE_PAGE).ok().map(|layout| layout.pad_to_align())
}

// SAFETY: every allocation is the system's, by a layout that `large` computes of the caller's: the same on allocation and
// deallocation, as large and as aligned as the caller's or more. The advice changes no contents.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(large) = large(layout) else {
            // SAFETY: the caller's promises are passed on.
            return unsafe { System.alloc(layout) };
        };
        // SAFETY: the size is not zero, as the caller's is not.
        let memory = unsafe { System.alloc(large) };
        if !memory.is_null() {
            advise(memory, large.size());
        }
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if large(layout).is_none() {
            // SAFETY: the caller's promises are passed on.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's promises are passed on.
        let memory = unsafe { self.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: the allocation has the size.
            unsafe { ptr::write_bytes(memory, 0, layout.size()) };
        }
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size, rounded up to the alignment, does not overflow.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (large(layout), large(new)) {
            // SAFETY: the caller's promises are passed on, and the system has allocated it by this layout.
            (None, None) => unsafe { System.realloc(memory, layout, size) },
            (old, new) if old == new => memory,
            _ => {
                // SAFETY: the size is not zero, the caller promises.
                let moved = unsafe { self.alloc(new) };
                if !moved.is_null() {
                    // SAFETY: both allocations have so many bytes, and are two.
                    unsafe { ptr::copy_nonoverlapping(memory, moved, layout.size().min(size)) };
                    // SAFETY: `memory` is of this allocator and layout.
                    unsafe { self.dealloc(memory, layout) };
                }
                moved
            }
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the system has allocated it by this layout.
        unsafe { System.dealloc(memory, large(layout).unwrap_or(layout)) };
    }
}

/// Asks for huge pages in a range that begins and ends with one. A kernel without them refuses, and nothing is lost.
fn advise(memory: *mut u8, bytes: usize) {
    // Miri has no such call.
    if cfg!(not(miri)) {
        // SAFETY: the range is allocated, and the advice leaves its contents.
        unsafe { libc::madvise(memory.cast(), bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    #[test]
    fn large_allocations_are_whole_huge_pages() {
        assert_eq!(large(layout(HUGE_PAGE / 2 - 1)), None);
        for (size, pages) in [(HUGE_PAGE / 2, 1), (HUGE_PAGE, 1), (HUGE_PAGE + 1, 2)] {
            let large = large(layout(size)).unwrap();
            assert_eq!((large.size(), large.align()), (pages * HUGE_PAGE, HUGE_PAGE));
        }
    }

    /// Growing and shrinking through every kind of allocation, contents stay.
    #[test]
    fn contents_move_with_the_allocation() {
        let sizes = [1 << 10, 2 << 10, 3 << 20, 4 << 20, 9 << 20, 3 << 20, 1 << 10];
        // SAFETY: each allocation is used within its size, and freed by its layout.
        unsafe {
            let mut memory = HugePages.alloc(layout(sizes[0]));
            ptr::write_bytes(memory, 7, sizes[0]);
            for pair in sizes.windows(2) {
                memory = HugePages.realloc(memory, layout(pair[0]), pair[1]);
                assert!(pair[1] < HUGE_PAGE || memory.addr().is_multiple_of(HUGE_PAGE));
                assert_eq!((*memory, *memory.add(sizes[0] - 1)), (7, 7), "{pair:?}");
                ptr::write_bytes(memory, 7, pair[1]);
            }
            HugePages.dealloc(memory, layout(*sizes.last().unwrap()));
        }
    }

    /// Memory that comes back from an earlier allocation is zeroed as well.
    #[test]
    fn zeroed_memory_is_zero() {
        for _ in 0..3 {
            // SAFETY: the allocation is used within its size, and freed by its layout.
            unsafe {
                let memory = HugePages.alloc_zeroed(layout(HUGE_PAGE));
                assert_eq!((*memory, *memory.add(HUGE_PAGE - 1)), (0, 0));
                ptr::write_bytes(memory, 7, HUGE_PAGE);
                HugePages.dealloc(memory, layout(HUGE_PAGE));
            }
        }
    }
}
