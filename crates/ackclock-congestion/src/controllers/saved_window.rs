//! The window to return to after a recovery or `ProbeRTT` (`BBRSaveCwnd`, `BBRRestoreCwnd`; draft-ietf-ccwg-bbr-06, 5.6.4.4).

/// In packets; zero before it was saved for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SavedWindow(f64);

impl SavedWindow {
    /// Saves `cwnd`. While a recovery or `ProbeRTT` modulates the window, the saved one does not decrease.
    pub fn save(&mut self, cwnd: f64, is_modulated: bool) {
        self.0 = if is_modulated { self.0.max(cwnd) } else { cwnd };
    }

    /// The larger of `cwnd` and the saved window.
    pub fn restore(self, cwnd: f64) -> f64 {
        cwnd.max(self.0)
    }

    /// The window for segments of another size.
    pub fn scale(&mut self, ratio: f64) {
        self.0 *= ratio;
    }
}
