//! Packets per epoch and silences of a flow: the quantities in models of windows below a few packets.

use ackclock_scenario::Epoch;
use ackclock_units::{Duration, Time};

use crate::tables::table::{Column, Table};

/// The times at which one flow sent its data packets, and the span over which they count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending<'a> {
    pub flow: u32,
    /// In the order of time.
    pub times: &'a [Time],
    pub from: Time,
    pub until: Time,
    /// The mean round-trip time in seconds; NaN if none was measured.
    pub mean_rtt: f64,
}

/// The length of each flow's epochs; none if it should be a round-trip time and none was measured.
fn lengths(flows: &[Sending<'_>], epoch: Epoch) -> Vec<Option<Duration>> {
    let known = |rtt: f64| (rtt > 0.0).then(|| Duration::from_secs_f64(rtt)).filter(|rtt| !rtt.is_zero());
    let measured: Vec<f64> = flows.iter().map(|flow| flow.mean_rtt).filter(|rtt| *rtt > 0.0).collect();
    let common = known(measured.iter().sum::<f64>() / measured.len() as f64);
    flows.iter().map(|flow| epoch.length(known(flow.mean_rtt), common)).collect()
}

/// The tables `epochs` and `silences` of these flows.
pub(crate) fn tables(flows: &[Sending<'_>], epoch: Epoch) -> (Table, Table) {
    let mut epochs = Epochs::default();
    let mut silences = Silences::default();
    for (sending, length) in flows.iter().zip(lengths(flows, epoch)) {
        if let Some(length) = length {
            epochs.add(sending, length);
            silences.add(sending, length);
        }
    }
    (epochs.into_table(), silences.into_table())
}

/// A row for every flow and number of packets, up to the most that the flow sent in one epoch.
#[derive(Default)]
struct Epochs {
    flow: Vec<u32>,
    length: Vec<f64>,
    packets: Vec<u64>,
    times: Vec<u64>,
}

impl Epochs {
    /// Epochs follow one another from the time at which the flow begins to count. The last is left out if the
    /// end cuts it off.
    fn add(&mut self, sending: &Sending<'_>, length: Duration) {
        let whole = sending.until.since(sending.from).as_nanos() / length.as_nanos();
        let mut histogram: Vec<u64> = Vec::new();
        let mut note = |packets: usize, epochs: u64| {
            if histogram.len() <= packets {
                histogram.resize(packets + 1, 0);
            }
            histogram[packets] += epochs;
        };
        let mut ordinals = sending
            .times
            .iter()
            .filter(|time| **time >= sending.from)
            .map(|time| time.since(sending.from).as_nanos() / length.as_nanos())
            .take_while(|ordinal| *ordinal < whole)
            .peekable();
        let mut passed = 0;
        while let Some(ordinal) = ordinals.next() {
            let mut packets = 1;
            while ordinals.next_if_eq(&ordinal).is_some() {
                packets += 1;
            }
            note(0, ordinal - passed);
            note(packets, 1);
            passed = ordinal + 1;
        }
        note(0, whole - passed);
        for (packets, epochs) in histogram.into_iter().enumerate() {
            self.flow.push(sending.flow);
            self.length.push(length.as_secs_f64());
            self.packets.push(packets as u64);
            self.times.push(epochs);
        }
    }

    fn into_table(self) -> Table {
        Table::default()
            .with("flow", Column::Index(self.flow))
            .with("epoch_s", Column::Real(self.length))
            .with("packets_sent", Column::Count(self.packets))
            .with("epochs", Column::Count(self.times))
    }
}

/// A row for every time that a flow sent nothing for an epoch or longer.
#[derive(Default)]
struct Silences {
    flow: Vec<u32>,
    start: Vec<f64>,
    length: Vec<f64>,
    ended: Vec<u32>,
}

impl Silences {
    fn add(&mut self, sending: &Sending<'_>, least: Duration) {
        let counted = sending.times.iter().filter(|time| **time >= sending.from && **time <= sending.until);
        let mut before: Option<Time> = None;
        for time in counted {
            self.note(sending.flow, before, *time, least, true);
            before = Some(*time);
        }
        self.note(sending.flow, before.or(Some(sending.from)), sending.until, least, false);
    }

    fn note(&mut self, flow: u32, from: Option<Time>, until: Time, least: Duration, ended: bool) {
        let Some(from) = from.filter(|from| until.since(*from) >= least) else { return };
        self.flow.push(flow);
        self.start.push(from.as_secs_f64());
        self.length.push(until.since(from).as_secs_f64());
        self.ended.push(u32::from(ended));
    }

    fn into_table(self) -> Table {
        Table::default()
            .with("flow", Column::Index(self.flow))
            .with("start_s", Column::Real(self.start))
            .with("length_s", Column::Real(self.length))
            .with("ended", Column::Index(self.ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: &[u64]) -> Vec<Time> {
        millis.iter().map(|millis| Time::ZERO + Duration::from_millis(*millis)).collect()
    }

    fn sending(times: &[Time], mean_rtt: f64) -> Sending<'_> {
        let moment = |millis| Time::ZERO + Duration::from_millis(millis);
        Sending { flow: 3, times, from: moment(1000), until: moment(2050), mean_rtt }
    }

    /// Epochs of 100 ms from 1 s on, ten of which are whole: two packets in the first, one in the second (which begins with
    /// its own first instant), none in five, three in the eighth, none in two. What went before does not count.
    #[test]
    fn packets_are_counted_by_epochs() {
        let times = at(&[0, 999, 1000, 1099, 1100, 1700, 1710, 1799, 2049]);
        let (epochs, _) = tables(&[sending(&times, 0.1)], Epoch::OwnRtt);
        assert_eq!(epochs.count("packets_sent").unwrap(), [0, 1, 2, 3]);
        assert_eq!(epochs.count("epochs").unwrap(), [7, 1, 1, 1]);
        assert_eq!(epochs.real("epoch_s").unwrap(), [0.1; 4]);
    }

    #[test]
    fn silences_are_gaps_of_an_epoch_and_more() {
        let times = at(&[500, 1000, 1099, 1199, 1700, 1740]);
        let (_, silences) = tables(&[sending(&times, 0.1)], Epoch::OwnRtt);
        assert_eq!(silences.real("start_s").unwrap(), [1.099, 1.199, 1.74]);
        let lengths = silences.real("length_s").unwrap();
        let expected = [0.1, 0.501, 0.31];
        assert!(lengths.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9), "{lengths:?}");
        assert_eq!(silences.column("ended"), Some(&Column::Index(vec![1, 1, 0])), "the run ends in the last");
    }

    #[test]
    fn a_flow_that_never_sends_is_silent_all_the_time() {
        let (epochs, silences) = tables(&[sending(&[], f64::NAN)], Epoch::Fixed(Duration::from_millis(500)));
        assert_eq!(epochs.count("epochs").unwrap(), [2]);
        assert_eq!(silences.real("length_s").unwrap(), [1.05]);
    }

    #[test]
    fn an_epoch_may_be_the_mean_of_all_round_trips() {
        let flows = [sending(&[], 0.2), sending(&[], 0.4), sending(&[], f64::NAN)];
        let (epochs, _) = tables(&flows, Epoch::CommonRtt);
        let lengths = epochs.real("epoch_s").unwrap();
        assert!(
            lengths.len() == 3 && lengths.iter().all(|length| (length - 0.3).abs() < 1e-9),
            "{lengths:?}"
        );
        let (epochs, _) = tables(&flows, Epoch::OwnRtt);
        assert_eq!(epochs.real("epoch_s").unwrap().len(), 2, "none if no round trip was measured");
    }
}
