#![doc = include_str!("../README.md")]

mod by_key;
mod calendar;
mod heap;
#[cfg(target_os = "linux")]
mod huge_pages;
mod prefetch;

pub use by_key::{ByKey, Numbers};
pub use calendar::Calendar;
pub use heap::{Heap, NO_KEY};
#[cfg(target_os = "linux")]
pub use huge_pages::HugePages;
pub use prefetch::{memory_of, prefetch, prefetch_part};
