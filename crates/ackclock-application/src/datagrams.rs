//! Datagrams at times that nothing in the network changes.

use ackclock_catalogue::{Entry, Key};
use ackclock_random::RandomStream;
use ackclock_units::{Duration, Time};

use crate::{Action, Application, Needs};

/// The entry of [`Datagrams`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "datagrams",
    title: "sends datagrams of one size at a constant rate, or as a Poisson process",
    source: "common practice",
    table: "udp",
    keys: &[
        Key::required("rate", "\"1 Mbit/s\"", "the rate on the wire while sending"),
        Key::optional("packet", "\"1000 bytes\"", "the size of a datagram on the wire"),
        Key::optional(
            "pattern",
            "\"poisson\"",
            "constant: evenly spaced; poisson: exponential gaps of the same mean",
        ),
    ],
    ..Entry::PLAIN
};

/// The gaps between datagrams.
#[derive(Clone, Debug)]
pub enum Spacing {
    /// All equal.
    Constant,
    /// Exponentially distributed, drawn from this stream.
    Poisson(RandomStream),
}

/// A source of datagrams.
#[derive(Clone, Debug)]
pub struct Datagrams {
    next: Time,
    stop: Time,
    mean_gap: Duration,
    spacing: Spacing,
}

impl Datagrams {
    /// A source whose first datagram leaves at `start`, and none at `stop` or later.
    pub fn new(start: Time, stop: Time, mean_gap: Duration, spacing: Spacing) -> Datagrams {
        Datagrams { next: start, stop, mean_gap, spacing }
    }

    fn wait(&self, actions: &mut Vec<Action>) {
        if self.next < self.stop {
            actions.push(Action::Timer(self.next));
        }
    }
}

impl Application for Datagrams {
    fn needs(&self) -> Needs {
        Needs::Events
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        self.wait(actions);
    }

    fn on_timer(&mut self, _: Time, actions: &mut Vec<Action>) {
        self.next += match &mut self.spacing {
            Spacing::Constant => self.mean_gap,
            Spacing::Poisson(random) => {
                Duration::from_secs_f64(random.exponential(self.mean_gap.as_secs_f64()))
            }
        };
        actions.push(Action::Send { socket: 0 });
        self.wait(actions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_source_sends_from_start_to_before_stop() {
        let gap = Duration::from_millis(8);
        let (start, stop) = (Time::from_nanos(5), Time::from_nanos(16_000_005));
        let mut source = Datagrams::new(start, stop, gap, Spacing::Constant);
        let (mut actions, mut times) = (Vec::new(), Vec::new());
        source.start(&mut actions);
        while let Some(Action::Timer(now)) = actions.pop() {
            actions.clear();
            source.on_timer(now, &mut actions);
            assert_eq!(actions[0], Action::Send { socket: 0 });
            times.push(now.as_nanos());
        }
        assert_eq!(times, [5, 8_000_005], "8 ms apart, and none at the stop itself");
    }
}
