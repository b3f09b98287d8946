//! Growth by whole packets, as in Linux: acknowledged packets are counted until the window grows by one.

use ackclock_catalogue::{Parameter, Unit};

use crate::windowed::Window;

/// The largest count per acknowledgment of Linux's algorithms: a parameter of each.
pub(super) const LINUX_LIMIT: Parameter = Parameter::new(
    "limit",
    Unit::Packets,
    f64::INFINITY,
    (1.0, f64::INFINITY),
    "largest count per acknowledgment; inf: every packet, as in Linux from 5.7; 1: as before",
);

/// Linux's `snd_cwnd_cnt`: packets acknowledged since the window last grew.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WholePackets {
    counted: f64,
}

impl WholePackets {
    /// Counts acknowledged packets, of which `each` make the window grow by one.
    pub(crate) fn grow(&mut self, acknowledged: f64, each: f64, window: &mut Window) {
        if self.counted >= each {
            // The count may be several times `each` if `each` was larger before. The window still grows
            // by one packet only.
            self.counted = 0.0;
            window.cwnd += 1.0;
        }
        self.counted += acknowledged;
        let grown = (self.counted / each).floor();
        self.counted -= grown * each;
        window.cwnd += grown;
    }

    /// Counts acknowledged packets, and returns true if `each` were counted before. Then the count
    /// restarts at zero, without these packets.
    pub(super) fn completes(&mut self, acknowledged: f64, each: f64) -> bool {
        let complete = self.counted >= each;
        self.counted = if complete { 0.0 } else { self.counted + acknowledged };
        complete
    }

    /// Forgets what was counted, as a reduction of the window does.
    pub(crate) fn restart(&mut self) {
        self.counted = 0.0;
    }

    /// The count in packets of another size.
    pub(crate) fn scale(&mut self, ratio: f64) {
        self.counted *= ratio;
    }
}
