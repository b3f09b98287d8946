//! Memory that will be needed soon, asked for early: with thousands of flows it is what takes time.

use std::ops::Range;

/// Bytes that a processor fetches at once.
const LINE: usize = 64;

/// Asks for memory. It changes nothing but when something is there, and is nothing where it is not known how to.
#[inline]
pub fn prefetch(memory: Range<*const u8>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        let mut line = memory.start.map_addr(|address| address & !(LINE - 1));
        while line < memory.end {
            #[expect(unsafe_code, reason = "the processor ignores what it cannot fetch: no address is wrong")]
            // SAFETY: nothing is read or written.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(line.cast());
            }
            line = line.wrapping_add(LINE);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = memory;
}

/// Where a value lies.
#[inline]
pub fn memory_of<T>(value: &T) -> Range<*const u8> {
    let start = std::ptr::from_ref(value).cast::<u8>();
    start..start.wrapping_add(size_of::<T>())
}
