#![doc = include_str!("../README.md")]

mod assertion;
mod compare;
mod host;
mod read;
mod run;
mod script;
mod verdict;

pub use run::{Options, ReadIncluded, run, run_with_files};
pub use verdict::{Failure, Verdict};
