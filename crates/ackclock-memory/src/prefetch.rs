//! Prefetching: with thousands of flows, waiting for memory dominates.

use std::ops::Range;

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// Prefetches memory. It affects timing only, and does nothing on processors other than `x86_64`.
#[inline]
pub fn prefetch(memory: Range<*const u8>) {
    let mut line = memory.start.map_addr(|address| address & !(LINE - 1));
    while line < memory.end {
        prefetch_line(line);
        line = line.wrapping_add(LINE);
    }
}

/// Prefetches some bytes of a value that is aligned to a cache line. If `bytes` is a constant, no address is computed at
/// run time.
#[inline]
pub fn prefetch_part<T>(value: &T, bytes: Range<usize>) {
    const { assert!(align_of::<T>() >= LINE) };
    let start = std::ptr::from_ref(value).cast::<u8>();
    for line in bytes.start / LINE..bytes.end.div_ceil(LINE) {
        prefetch_line(start.wrapping_add(line * LINE));
    }
}

#[inline]
fn prefetch_line(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        #[expect(unsafe_code, reason = "the processor ignores what it cannot fetch: no address is wrong")]
        // SAFETY: nothing is read or written.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// The address range of a value.
#[inline]
pub fn memory_of<T: ?Sized>(value: &T) -> Range<*const u8> {
    let start = std::ptr::from_ref(value).cast::<u8>();
    start..start.wrapping_add(size_of_val(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Lines([u8; 3 * LINE]);

    /// Also where nothing is, at both ends of the address space: Miri, which knows of each access whether it is allowed,
    /// finds none (`make miri`).
    #[test]
    fn asking_for_memory_reads_and_writes_nothing() {
        let lines = Lines([7; 3 * LINE]);
        prefetch_part(&lines, 1..LINE + 1);
        prefetch_part(&lines, LINE..LINE);
        prefetch(memory_of(&lines));
        prefetch(memory_of(&()));
        let gone = memory_of(&*Box::new(lines.0));
        prefetch(gone);
        let null = std::ptr::null::<u8>();
        prefetch(null..null.wrapping_add(1));
        prefetch_line(null.wrapping_sub(1));
        assert_eq!(lines.0, [7; 3 * LINE]);
    }

    #[test]
    fn the_memory_of_a_value_is_all_of_it() {
        let lines = Lines([0; 3 * LINE]);
        let memory = memory_of(&lines);
        assert_eq!(memory.start, lines.0.as_ptr());
        assert_eq!(memory.end.addr() - memory.start.addr(), 3 * LINE);
    }
}
