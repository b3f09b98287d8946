//! The verdict on a run of a script.

use std::fmt;

/// The outcome of a script.
///
/// Exhaustive: a script ends in one of these ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that the script expects has come.
    Passed,
    /// Something else has come.
    Failed(Failure),
    /// The script asks for what has no meaning here, or cannot be read.
    NotRunnable {
        /// The line of the script, from one.
        line: usize,
        /// The reason, in words.
        reason: String,
    },
}

/// The first thing in a script that came otherwise than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The line of the script, from one.
    pub line: usize,
    /// The segment, call or value that the script expects there.
    pub expected: String,
    /// The segment, call or value that was seen instead.
    pub seen: String,
    /// The events before it with the times at which they happened, and those that were sent after it.
    pub context: Vec<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed => f.write_str("passed"),
            Verdict::Failed(Failure { line, expected, seen, .. }) => {
                write!(f, "failed at line {line}: expected {expected}, seen {seen}")
            }
            Verdict::NotRunnable { line, reason } => write!(f, "not runnable, line {line}: {reason}"),
        }
    }
}
