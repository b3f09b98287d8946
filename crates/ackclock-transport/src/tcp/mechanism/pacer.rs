//! Pacing: segments depart at the rate that the controller has chosen, not in bursts.

use ackclock_units::{PacketRate, Time};

/// The schedule of departures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    /// The rate; none where segments are not paced.
    rate: Option<PacketRate>,
    /// The departure from which the next is scheduled.
    latest: Option<Time>,
    /// The departure of the segment held back; [`Time::MAX`] while none is.
    departure: Time,
}

impl Pacer {
    /// No pacing yet.
    pub fn new() -> Pacer {
        Pacer { rate: None, latest: None, departure: Time::MAX }
    }

    #[inline]
    pub fn set_rate(&mut self, rate: Option<PacketRate>) {
        self.rate = rate;
    }

    /// Whether the next segment is held back; the pacer's deadline is its departure then. The interval counts from the
    /// last departure scheduled, or `from` where that is given. The rate may have changed since then, so that the
    /// departure is computed when it is asked for.
    pub fn holds_back(&mut self, now: Time, from: Option<Time>) -> bool {
        let Some(rate) = self.rate else { return false };
        let Some(from) = from.or(self.latest) else { return false };
        let departure = from + rate.interval();
        let waits = now < departure;
        if waits {
            self.departure = departure;
        }
        waits
    }

    /// A segment departs. A retransmission that did not wait leaves the schedule of those after it.
    pub fn on_sent(&mut self, now: Time) {
        if let Some(rate) = self.rate {
            let departure = self.latest.map_or(now, |latest| latest + rate.interval());
            self.latest = Some(now.max(departure));
        }
    }

    /// No segment is held back any more.
    pub fn clear(&mut self) {
        self.departure = Time::MAX;
    }

    /// The departure of the segment held back; [`Time::MAX`] while none is.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.departure
    }
}
