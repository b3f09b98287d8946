//! The samples of a run's time series.

use ackclock_units::{Duration, Time};

use super::{FlowSeries, Recorder};
use crate::facts::Network;
use crate::facts::counts::{Gauges, Snapshot};
use crate::recording::network_series::FlowSample;

impl Recorder {
    /// The time between two samples, in seconds.
    fn span(&self) -> f64 {
        self.interval.unwrap_or_default().as_secs_f64()
    }

    /// Samples the network as a whole, from all flows whose packets are acknowledged.
    pub fn sample_network(&mut self, now: Time, acknowledged: impl Iterator<Item = FlowSample>) {
        let span = self.span();
        self.network.sample(now, acknowledged, span);
    }

    /// Samples a flow with its counts, and with its gauges if its packets are acknowledged.
    pub fn sample_flow(&mut self, now: Time, index: usize, gauges: Option<&Gauges>, counts: &Snapshot) {
        let span = self.span();
        self.flows.sample(now, index, gauges, counts, span);
        if let Some(gauges) = gauges {
            self.events.sample(now, index, gauges, &counts.counters);
        }
    }

    /// Notes that a flow has ended: it has no further sample unless data arrive.
    pub fn end_flow(&mut self, index: usize) {
        self.flows.ended[index] = true;
    }

    /// True if samples have told of a flow's end and of all bytes that have arrived, or if flows are not sampled.
    pub fn is_told(&self, index: usize, arrived: u64) -> bool {
        !self.samples_flows() || self.flows.ended[index] && self.flows.arrived[index] == arrived
    }

    /// Samples a quantity that a flow's controller shows by name.
    pub fn sample_quantity(&mut self, now: Time, index: usize, name: &'static str, value: f64) {
        self.gauges.time.push(now.as_secs_f64());
        self.gauges.flow.push(index as u32);
        self.gauges.name.push(name);
        self.gauges.value.push(value);
    }

    /// Samples every link direction, if each is recorded.
    pub fn sample_links(&mut self, now: Time, network: &mut Network) {
        if !self.each_link {
            return;
        }
        let links = network.graph().links();
        for link in links {
            let queue = network.queue(link, now);
            self.links.time.push(now.as_secs_f64());
            self.links.link.push(link.index() as u32);
            self.links.packets.push(u64::from(queue.packets));
            self.links.bytes.push(queue.bytes.get());
            let capacity = network.sample_capacity(link, now, self.interval.unwrap_or_default());
            // A sample describes the interval before it. Before the first sample there is none.
            self.links.capacity.push(if now == Time::ZERO { f64::NAN } else { capacity });
            self.links.drops.push(std::mem::take(&mut self.links.dropped[link.index()]));
        }
    }
}

impl FlowSeries {
    fn sample(&mut self, now: Time, index: usize, gauges: Option<&Gauges>, counted: &Snapshot, span: f64) {
        let or_nan = |value: Duration| if value.is_zero() { f64::NAN } else { value.as_secs_f64() };
        let real = |get: &dyn Fn(&Gauges) -> f64| gauges.map_or(f64::NAN, get);
        self.rtt.push(real(&|gauges| or_nan(gauges.latest_rtt)));
        self.srtt.push(real(&|gauges| or_nan(gauges.srtt)));
        self.cwnd.push(real(&|gauges| gauges.cwnd));
        self.ssthresh.push(real(&|gauges| gauges.ssthresh));
        self.in_flight.push(real(&|gauges| gauges.in_flight));
        self.retransmissions.push(counted.counters.retransmissions);
        self.row(now, index, counted.arrived, span);
    }

    fn row(&mut self, now: Time, flow: usize, arrived: u64, span: f64) {
        self.time.push(now.as_secs_f64());
        self.flow.push(flow as u32);
        let before = std::mem::replace(&mut self.arrived[flow], arrived);
        self.goodput.push((arrived - before) as f64 * 8.0 / span);
    }
}
