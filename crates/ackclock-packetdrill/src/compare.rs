//! The segment that a script expects, and those that were sent.
//!
//! A host may hand several full segments to its interface at once, so that a script expects one of several times the size. A
//! simulated connection sends each by itself: they are joined as far as the one expected goes.

use std::collections::VecDeque;

use crate::host::{Live, Wire};
use crate::script::{Packet, TcpOption};

/// The reason why segments are not the one expected.
pub(crate) enum Mismatch {
    /// They are its beginning, and no more has been sent.
    TooFew,
    /// A value differs, in words.
    Differs(String),
}

/// The number of segments that together are the one expected.
pub(crate) fn joined(expected: &Packet, sent: &VecDeque<Live>) -> Result<usize, Mismatch> {
    let differs = |text: String| Err(Mismatch::Differs(text));
    let mut next = expected.start;
    for (index, live) in sent.iter().enumerate() {
        let header = &live.header;
        let length = u64::from(header.length);
        if header.sequence != next {
            return differs(format!("sequence number {} instead of {next}", header.sequence));
        }
        next += length;
        let covered = next - expected.start;
        if covered > expected.length {
            return differs(format!("{covered} bytes instead of {}", expected.length));
        }
        if expected.ack.is_some_and(|ack| ack != header.acknowledgment) {
            return differs(format!("an acknowledgment of {}", header.acknowledgment));
        }
        if covered == expected.length {
            check(expected, &live.wire).map_err(Mismatch::Differs)?;
            return Ok(index + 1);
        }
    }
    Err(Mismatch::TooFew)
}

fn check(expected: &Packet, wire: &Wire) -> Result<(), String> {
    let sorted = |flags: &str| {
        let mut letters: Vec<char> = flags.chars().collect();
        letters.sort_unstable();
        letters
    };
    if sorted(&expected.flags) != sorted(&wire.flags) {
        return Err(format!("the flags {}", wire.flags));
    }
    if let Some(ecn) = expected.ecn
        && ecn != wire.ecn
    {
        return Err(format!("the ECN field {:?}", wire.ecn));
    }
    expected.options.as_deref().map_or(Ok(()), |options| check_options(options, &wire.options))
}

/// The scale of a window follows the memory of a host, and the clock of timestamps is its own: neither is compared.
fn check_options(expected: &[TcpOption], sent: &[TcpOption]) -> Result<(), String> {
    let is_same = |one: &TcpOption, other: &TcpOption| match (one, other) {
        (TcpOption::WindowScale(_), TcpOption::WindowScale(_)) => true,
        (TcpOption::Timestamps(_, one), TcpOption::Timestamps(_, other)) => one == other,
        _ => one == other,
    };
    if let Some(missing) = expected.iter().find(|one| !sent.iter().any(|other| is_same(one, other))) {
        return Err(format!("options without {missing:?}: {sent:?}"));
    }
    if let Some(more) = sent.iter().find(|one| !expected.iter().any(|other| is_same(other, one))) {
        return Err(format!("options with {more:?}"));
    }
    Ok(())
}
