//! The mapped array of answers, `struct answer` of `bpf/datapath.bpf.c`: user space writes, the kernel reads.

use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

use crate::answer::{Answer, Windows};
use crate::event::Event;

/// 32-bit words of an answer.
const WORDS: usize = 16;
/// The places of the words that are not written in order.
const GENERATION: usize = 1;
const GIVEN_UP: usize = 14;
/// No answer: the kernel then uses its own windows.
const UNKNOWN: Windows = Windows { cwnd: 0, ssthresh: 0 };

/// The answers of all slots.
#[derive(Debug)]
pub(super) struct Answers {
    start: NonNull<AtomicU32>,
    slots: usize,
}

impl Answers {
    /// Maps an array of answers.
    #[expect(unsafe_code, reason = "memory is shared with the kernel")]
    pub fn map(array: &impl AsFd, slots: u32, bytes: u32) -> Result<Answers, String> {
        let slots = slots as usize;
        if bytes as usize != WORDS * size_of::<AtomicU32>() {
            return Err(format!(
                "an answer of {bytes} bytes: datapath and controller are of different versions"
            ));
        }
        let length = NonZeroUsize::new(slots * bytes as usize).ok_or("an array of no answers")?;
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping, of an array as long as this; the kernel rounds up to whole pages.
        let start = unsafe { mmap(None, length, protection, MapFlags::MAP_SHARED, array, 0) }
            .map_err(|error| format!("the array of answers: {error}"))?;
        Ok(Answers { start: start.cast(), slots })
    }

    #[expect(unsafe_code, reason = "memory is shared with the kernel")]
    fn words(&self, slot: u32) -> Option<&[AtomicU32; WORDS]> {
        let at = slot as usize;
        // SAFETY: the slot is one of the mapping, which lives as long as `self`; atomics may be shared with anyone.
        (at < self.slots)
            .then(|| unsafe { &*self.start.as_ptr().add(at * WORDS).cast::<[AtomicU32; WORDS]>() })
    }

    /// Publishes an answer to a record. The kernel reads it whole or not at all: the sequence is odd meanwhile.
    pub fn publish(&self, event: &Event, answer: &Answer) {
        let mark = answer.after_mark.unwrap_or(UNKNOWN);
        let halves = |value: u64| {
            let [a, b, c, d, e, f, g, h] = value.to_ne_bytes();
            [u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])]
        };
        let ([pacing, pacing_high], [written, written_high]) =
            (halves(answer.pacing.unwrap_or(0)), halves(event.written_ns));
        let values = [
            event.generation,
            event.number,
            answer.now.cwnd,
            answer.now.ssthresh,
            answer.after_loss.cwnd,
            answer.after_loss.ssthresh,
            mark.cwnd,
            mark.ssthresh,
            answer.idle_cwnd.unwrap_or(0),
            pacing,
            pacing_high,
            written,
            written_high,
            0,
        ];
        let Some(words) = self.words(event.slot) else { return };
        let sequence = words[0].load(Ordering::Relaxed) | 1;
        words[0].store(sequence, Ordering::Relaxed);
        fence(Ordering::Release);
        for (word, value) in words[GENERATION..].iter().zip(values) {
            word.store(value, Ordering::Relaxed);
        }
        words[0].store(sequence.wrapping_add(1), Ordering::Release);
    }

    /// Notes that the flow has no controller any more.
    pub fn give_up(&self, event: &Event) {
        if let Some(words) = self.words(event.slot) {
            words[GENERATION].store(event.generation, Ordering::Relaxed);
            words[GIVEN_UP].store(1, Ordering::Release);
        }
    }
}

// SAFETY: all access to the mapping is by atomics, from any thread.
#[expect(unsafe_code, reason = "a pointer to shared memory")]
unsafe impl Send for Answers {}

impl Drop for Answers {
    #[expect(unsafe_code, reason = "memory is shared with the kernel")]
    fn drop(&mut self) {
        let length = self.slots * WORDS * size_of::<AtomicU32>();
        // SAFETY: the mapping is this value's own, and nothing borrows it any more.
        let _ = unsafe { munmap(self.start.cast(), length) };
    }
}
