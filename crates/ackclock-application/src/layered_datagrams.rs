//! Datagrams of a source that adapts to the rate told by a Congestion Manager (RFC 3124, 5.1.3).

use ackclock_catalogue::{Entry, Key};
use ackclock_units::{Bytes, Rate, Time};

use crate::{Action, Application, Datagrams, Needs, Spacing};

/// The entry of [`LayeredDatagrams`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "layered-datagrams",
    title: "sends messages at the highest of several rates that its part of a Congestion Manager's window allows",
    source: "RFC 3124, 5.1.3",
    table: "udp",
    keys: &[
        Key::required("rate", "\"1 Mbit/s\"", "the rate on the wire until the first callback"),
        Key::required("sharing", "\"congestion-manager\"", "the manager whose callbacks it follows"),
        Key::required(
            "layers",
            "[\"1 Mbit/s\", \"2 Mbit/s\"]",
            "the rates on the wire that it can send at, ascending",
        ),
        Key::optional(
            "rate_thresholds",
            "[0.8, 1.25]",
            "it is called when its rate is below the first or above the second part of the rate it was told last",
        ),
    ],
    ..Entry::PLAIN
};

/// A source of evenly spaced datagrams with several encodings, such as one of video in layers. It sends the
/// highest layer whose rate does not exceed the last reported rate, or the lowest layer.
#[derive(Clone, Debug)]
pub struct LayeredDatagrams {
    datagrams: Datagrams,
    message: Bytes,
    layers: Vec<Rate>,
    rate: Rate,
}

impl LayeredDatagrams {
    /// A source whose first datagram leaves at `start`. None leaves at `stop` or later. It sends at `rate` until it is
    /// told a rate, then at one of the ascending `layers`.
    pub fn new(
        (start, stop): (Time, Time),
        message: Bytes,
        rate: Rate,
        layers: Vec<Rate>,
    ) -> LayeredDatagrams {
        let datagrams = Datagrams::new(start, stop, Spacing::constant(rate, message));
        LayeredDatagrams { datagrams, message, layers, rate }
    }

    fn layer(&self, allowed: Rate) -> Option<Rate> {
        let fitting = self.layers.iter().rev().find(|rate| **rate <= allowed);
        fitting.or(self.layers.first()).copied()
    }
}

impl Application for LayeredDatagrams {
    fn needs(&self) -> Needs {
        Needs::Events
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        self.datagrams.start(actions);
    }

    fn on_timer(&mut self, now: Time, actions: &mut Vec<Action>) {
        self.datagrams.on_timer(now, actions);
    }

    /// The new layer's spacing applies after the next message, whose timer is set already.
    fn on_rate(&mut self, _: Time, _: u32, allowed: Rate, _: &mut Vec<Action>) {
        let Some(rate) = self.layer(allowed) else { return };
        if rate != self.rate {
            self.rate = rate;
            self.datagrams.space(Spacing::constant(rate, self.message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3124, 5.1.3: "an encoding that does not exceed these estimates". Messages of 1000 bits: 10, 5 and 2 ms apart.
    #[test]
    fn a_layer_never_exceeds_the_rate_told() {
        let kbps = |kbps: u64| Rate::from_bits_per_second(1000 * kbps);
        let layers = vec![kbps(100), kbps(200), kbps(500)];
        let mut source = LayeredDatagrams::new((Time::ZERO, Time::MAX), Bytes::new(125), kbps(250), layers);
        let (mut actions, mut now) = (Vec::new(), Time::ZERO);
        let mut gap_ms = |told: Option<u64>| {
            if let Some(told) = told {
                source.on_rate(now, 0, kbps(told), &mut actions);
            }
            source.on_timer(now, &mut actions);
            let Some(Action::Timer(next)) = actions.pop() else { panic!("no timer is set") };
            next.since(std::mem::replace(&mut now, next)).as_nanos() / 1_000_000
        };
        assert_eq!(gap_ms(None), 4, "its own rate before it is told one");
        let told = [199, 200, 499, 500, 9999, 99];
        assert_eq!(told.map(|told| gap_ms(Some(told))), [10, 5, 5, 2, 2, 10]);
    }
}
