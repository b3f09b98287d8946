//! Memory on huge pages: with thousands of flows, waiting for address translation takes a tenth of the time or more.

#![expect(unsafe_code, reason = "an allocator hands out memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// The size of a huge page in bytes on `x86_64`, and on `aarch64` with small pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;

/// A multiple of the size of a small page on every processor.
const SMALL_PAGES: usize = 64 << 10;

/// The system's allocator, except for large allocations. These are mappings that begin with a huge page; Linux is asked
/// to put them on huge pages, and their ends on small ones. It affects only timing.
///
/// A program sets it as its `#[global_allocator]`.
///
/// The crate `mimalloc` (0.1.52) could replace it, but takes more time and memory. CPU seconds and resident memory of
/// `thousand-flows-shared.toml` for 2 s with 10,000 flows at 10 Gbit/s, of the scenario as it is, and of
/// `ten-flows-shared.toml`; medians of three on a Xeon:
///
/// | allocator | FQ-CoDel, 65,536 queues | drop-tail | 1000 flows | 10 flows |
/// |---|---|---|---|---|
/// | `HugePages` | 1.25 s, 52 MiB | 0.53 s, 55 MiB | 0.03 s, 10 MiB | 0.02 s, 4 MiB |
/// | the system's | 1.34 s, 52 MiB | 0.56 s, 55 MiB | 0.03 s, 9 MiB | 0.02 s, 4 MiB |
/// | `mimalloc` | 1.39 s, 82 MiB | 0.60 s, 77 MiB | 0.03 s, 20 MiB | 0.02 s, 14 MiB |
/// | `mimalloc` with large pages | 1.35 s, 82 MiB | 0.64 s, 76 MiB | 0.03 s, 20 MiB | 0.02 s, 14 MiB |
#[derive(Clone, Copy, Debug)]
pub struct HugePages;

/// The bytes of the mapping for a large allocation: from a huge page on.
fn large(layout: Layout) -> Option<usize> {
    let is_large = layout.size() >= HUGE_PAGE && layout.align() <= HUGE_PAGE;
    is_large.then(|| layout.size().next_multiple_of(SMALL_PAGES))
}

// SAFETY: `large` decides the same on allocation and deallocation. A mapping is as large and as aligned as the layout
// or more, its pages are zero at first, and it is unmapped once.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match large(layout) {
            Some(bytes) => map(bytes),
            // SAFETY: the caller's promises are passed on.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match large(layout) {
            Some(bytes) => map(bytes),
            // SAFETY: the caller's promises are passed on.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size, rounded up to the alignment, does not overflow.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (large(layout), large(new)) {
            // SAFETY: the caller's promises are passed on.
            (None, None) => unsafe { System.realloc(memory, layout, size) },
            // SAFETY: `memory` is a mapping of this many bytes.
            (Some(old), Some(new)) => unsafe { resize(memory, old, new) },
            _ => {
                // SAFETY: the size is not zero, the caller promises.
                let moved = unsafe { self.alloc(new) };
                if !moved.is_null() {
                    // SAFETY: both allocations have this many bytes, and are two. `memory` is of this allocator and layout.
                    unsafe {
                        ptr::copy_nonoverlapping(memory, moved, layout.size().min(size));
                        self.dealloc(memory, layout);
                    }
                }
                moved
            }
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match large(layout) {
            // SAFETY: `memory` is a mapping of this many bytes.
            Some(bytes) => unsafe { unmap(memory, bytes) },
            // SAFETY: the caller's promises are passed on.
            None => unsafe { System.dealloc(memory, layout) },
        }
    }
}

/// Maps this many bytes, whole small pages, and requests huge ones; a kernel without them refuses, which does no harm.
/// Null if there is no memory.
fn map(bytes: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let Some(whole) = bytes.checked_add(HUGE_PAGE) else { return ptr::null_mut() };
    // SAFETY: a new mapping, which overlaps no other.
    let start = unsafe { libc::mmap(ptr::null_mut(), whole, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    let start = start.cast::<u8>();
    let before = start.align_offset(HUGE_PAGE);
    // SAFETY: what is before and behind these bytes is in the mapping, and of no use to anyone.
    unsafe {
        let memory = start.add(before);
        unmap(start, before);
        unmap(memory.add(bytes), HUGE_PAGE - before);
        libc::madvise(memory.cast(), bytes, libc::MADV_HUGEPAGE);
        memory
    }
}

/// Makes a mapping smaller in place, or moves its pages, uncopied, to the beginning of a larger one. Null if there is no memory; it is
/// as it was then.
///
/// # Safety
/// `memory` is a mapping of `old` bytes by [`map`].
unsafe fn resize(memory: *mut u8, old: usize, new: usize) -> *mut u8 {
    if new <= old {
        // SAFETY: the end of the mapping.
        unsafe { unmap(memory.add(new), old - new) };
        return memory;
    }
    let larger = map(new);
    if larger.is_null() {
        return larger;
    }
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the replaced memory is the beginning of the new mapping, which no other code has seen.
    let moved = unsafe { libc::mremap(memory.cast(), old, old, flags, larger) };
    if moved == libc::MAP_FAILED {
        // SAFETY: the new mapping is of no use to anyone.
        unsafe { unmap(larger, new) };
        return ptr::null_mut();
    }
    larger
}

/// Unmaps a part of a mapping.
///
/// # Safety
/// Nobody uses it any more.
unsafe fn unmap(memory: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller's promise.
        unsafe { libc::munmap(memory.cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    #[test]
    fn large_allocations_are_whole_pages() {
        assert_eq!(large(layout(HUGE_PAGE - 1)), None);
        assert_eq!(large(layout(HUGE_PAGE)), Some(HUGE_PAGE));
        assert_eq!(large(layout(HUGE_PAGE + 1)), Some(HUGE_PAGE + SMALL_PAGES));
    }

    /// Small allocations go through this allocator too, and Miri can follow them.
    #[test]
    fn small_allocations_keep_their_contents() {
        // SAFETY: each allocation is used within its size, and freed by its layout.
        unsafe {
            let mut memory = HugePages.alloc_zeroed(layout(1 << 10));
            assert_eq!((*memory, *memory.add(1023)), (0, 0));
            ptr::write_bytes(memory, 7, 1 << 10);
            for (old, new) in [(1 << 10, 4 << 10), (4 << 10, 512), (512, 64 << 10)] {
                memory = HugePages.realloc(memory, layout(old), new);
                assert_eq!((*memory, *memory.add(old.min(new) - 1)), (7, 7), "{old} to {new}");
                ptr::write_bytes(memory, 7, new);
            }
            HugePages.dealloc(memory, layout(64 << 10));
        }
    }

    /// Growing and shrinking through every kind of allocation, contents stay.
    #[test]
    #[cfg_attr(miri, ignore = "Miri knows neither huge pages nor parts of mappings")]
    fn contents_move_with_the_allocation() {
        let sizes = [1 << 10, 2 << 10, 3 << 20, 4 << 20, 9 << 20, 3 << 20, 1 << 10];
        // SAFETY: each allocation is used within its size, and freed by its layout.
        unsafe {
            let mut memory = HugePages.alloc(layout(sizes[0]));
            ptr::write_bytes(memory, 7, sizes[0]);
            for pair in sizes.windows(2) {
                memory = HugePages.realloc(memory, layout(pair[0]), pair[1]);
                assert!(pair[1] < HUGE_PAGE || memory.addr().is_multiple_of(HUGE_PAGE));
                let kept = pair[0].min(pair[1]);
                assert_eq!((*memory, *memory.add(kept - 1)), (7, 7), "{pair:?}");
                ptr::write_bytes(memory, 7, pair[1]);
            }
            HugePages.dealloc(memory, layout(*sizes.last().unwrap()));
        }
    }

    /// Memory that comes back from an earlier allocation is zeroed as well.
    #[test]
    #[cfg_attr(miri, ignore = "Miri knows neither huge pages nor parts of mappings")]
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
