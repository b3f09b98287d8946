//! The ends of a flow.

/// An end of a flow.
///
/// Exhaustive: a flow has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that sends data.
    Sender = 0,
    /// The end that receives it.
    Receiver = 1,
}
