//! Windows with which connections begin.

use std::str::FromStr;

use ackclock_units::{Bytes, ParseQuantityError};

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::quantity::{Quantity, number_first, packets, whole, wrong};

/// The congestion window with which a TCP connection begins.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InitialWindow {
    /// A number of packets: `"10 packets"`.
    Packets(f64),
    /// `"rfc3390"`: min(4 MSS, max(2 MSS, 4380 bytes)).
    Rfc3390,
    /// `"rfc6928"`: min(10 MSS, max(2 MSS, 14600 bytes)).
    Rfc6928,
}

impl InitialWindow {
    /// The window in packets of `mss` bytes of payload.
    pub fn packets(self, mss: Bytes) -> f64 {
        let mss = mss.get();
        let within = |most: u64, bytes: u64| (most * mss).min(bytes.max(2 * mss)) as f64 / mss as f64;
        match self {
            InitialWindow::Packets(packets) => packets,
            InitialWindow::Rfc3390 => within(4, 4380).floor(),
            InitialWindow::Rfc6928 => within(10, 14_600).floor(),
        }
    }
}

/// The slow-start threshold with which a TCP connection begins, in packets; infinite for
/// `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(pub f64);

/// The window a TCP receiver advertises.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReceiveWindow {
    /// No limit on the sender: `"unlimited"`.
    Unlimited,
    /// A number of segments of the sender's payload size: `"20 packets"`.
    Packets(u32),
    /// A number of bytes: `"64 KiB"`.
    Bytes(Bytes),
}

impl ReceiveWindow {
    /// The window in bytes, given the sender's payload size; none if it is unlimited.
    pub fn bytes(self, mss: Bytes) -> Option<Bytes> {
        match self {
            ReceiveWindow::Unlimited => None,
            ReceiveWindow::Packets(packets) => Some(mss * u64::from(packets)),
            ReceiveWindow::Bytes(bytes) => Some(bytes),
        }
    }
}

impl Quantity for InitialWindow {
    const WHAT: &'static str = "an initial window";
    const EXAMPLE: &'static str = "10 packets";
}

impl Quantity for Threshold {
    const WHAT: &'static str = "a threshold";
    const EXAMPLE: &'static str = "64 packets";
}

impl Quantity for ReceiveWindow {
    const WHAT: &'static str = "a receive window";
    const EXAMPLE: &'static str = "64 kB";
}

impl InitialWindow {
    /// Refuses a window of less than one packet, or of more than any network holds.
    pub(crate) fn check(self, at: &Key) -> Checked {
        match self {
            InitialWindow::Packets(packets) if !(1.0..=1e9).contains(&packets) => {
                let message =
                    format!("found {packets} packets; expected at least 1, at most a thousand million");
                Err(at.wrong(packets, message))
            }
            _ => Ok(()),
        }
    }
}

impl Threshold {
    /// Refuses less than one packet.
    pub(crate) fn check(self, at: &Key) -> Checked {
        if self.0 < 1.0 {
            return Err(at.wrong(self.0, format!("found {} packets; expected at least 1", self.0)));
        }
        Ok(())
    }
}

impl ReceiveWindow {
    /// Refuses less than one segment.
    pub(crate) fn check(self, at: &Key, mss: Bytes) -> Checked {
        match self.bytes(mss) {
            Some(bytes) if bytes < mss => {
                let message = format!("found {bytes}; a receiver has room for one segment at least ({mss})");
                Err(at.wrong(bytes, message))
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for InitialWindow {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<InitialWindow, ParseQuantityError> {
        const RIGHT: &str = "a window such as \"10 packets\", \"rfc3390\" or \"rfc6928\"";
        match text.trim() {
            "rfc3390" => return Ok(InitialWindow::Rfc3390),
            "rfc6928" => return Ok(InitialWindow::Rfc6928),
            _ => number_first(text, RIGHT)?,
        }
        packets(text)?.map(InitialWindow::Packets).ok_or_else(|| wrong(text, RIGHT))
    }
}

impl FromStr for Threshold {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Threshold, ParseQuantityError> {
        const RIGHT: &str = "a threshold such as \"64 packets\" or \"unlimited\"";
        if text.trim() == "unlimited" {
            return Ok(Threshold(f64::INFINITY));
        }
        number_first(text, RIGHT)?;
        packets(text)?.map(Threshold).ok_or_else(|| wrong(text, RIGHT))
    }
}

impl FromStr for ReceiveWindow {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<ReceiveWindow, ParseQuantityError> {
        const RIGHT: &str = "a window such as \"64 kB\", \"20 packets\" or \"unlimited\"";
        if text.trim() == "unlimited" {
            return Ok(ReceiveWindow::Unlimited);
        }
        number_first(text, RIGHT)?;
        if let Some(count) = packets(text)? {
            return whole(text, count).map(ReceiveWindow::Packets);
        }
        text.parse().map(ReceiveWindow::Bytes).map_err(|_| wrong(text, RIGHT))
    }
}
