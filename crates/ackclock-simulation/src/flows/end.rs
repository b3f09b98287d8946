//! The ends of a flow.

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Sender = 0,
    Receiver = 1,
}
