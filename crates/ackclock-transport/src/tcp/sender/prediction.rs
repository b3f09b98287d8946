//! The state of header prediction in a sender.

/// Header prediction, as far as it applies until anything but a predicted acknowledgment arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prediction {
    /// The next acknowledgment and the next segment are examined in full.
    None,
    /// The window alone holds the sender back: nothing is sampled, paced, marked or judged by the time of its sending.
    Window,
    /// It applies to a sender that does some of that.
    Full,
}

impl Prediction {
    /// True if it applies.
    #[inline]
    pub fn applies(self) -> bool {
        self != Prediction::None
    }
}
