//! The samples of a run's time series, taken from flows, sockets and links.

use ackclock_units::{Duration, Time};

use super::{FlowSeries, Recorder};
use crate::flows::Flows;
use crate::flows::counts::{Gauges, Snapshot};
use crate::flows::endpoints::Endpoints;
use crate::host::Sockets;
use crate::network_series::FlowSample;
use crate::packet::Network;

impl Recorder {
    pub fn sample(&mut self, now: Time, flows: &Flows, sockets: &Sockets, network: &mut Network) {
        let span = self.interval.unwrap_or_default().as_secs_f64();
        let acknowledged = flows.iter().filter_map(|(index, flow)| {
            let gauges = flow.gauges()?;
            let counts = sockets.total(index, &flow.snapshot(now));
            Some(FlowSample { counts, gauges, is_open: flow.is_open() })
        });
        self.network.sample(now, acknowledged, span);
        if self.each_flow {
            self.sample_flows(now, flows, sockets, span);
        }
        if self.each_link {
            self.sample_links(now, network);
        }
    }

    fn sample_flows(&mut self, now: Time, flows: &Flows, sockets: &Sockets, span: f64) {
        for (index, flow) in flows.iter() {
            self.flows.sample(now, index, flow, &sockets.total(index, &flow.snapshot(now)), span);
            flow.observe(&mut |name, value| {
                self.gauges.time.push(now.as_secs_f64());
                self.gauges.flow.push(index as u32);
                self.gauges.name.push(name);
                self.gauges.value.push(value);
            });
        }
    }

    fn sample_links(&mut self, now: Time, network: &mut Network) {
        let links = network.graph().links();
        for link in links {
            let queue = network.queue(link, now);
            self.links.time.push(now.as_secs_f64());
            self.links.link.push(link.index() as u32);
            self.links.packets.push(u64::from(queue.packets));
            self.links.bytes.push(queue.bytes.get());
            let capacity = network.sample_capacity(link, now, self.interval.unwrap_or_default());
            // A sample describes the interval before it, and there is none before the first.
            self.links.capacity.push(if now == Time::ZERO { f64::NAN } else { capacity });
            self.links.drops.push(std::mem::take(&mut self.links.dropped[link.index()]));
        }
    }
}

impl FlowSeries {
    fn sample(&mut self, now: Time, index: usize, flow: &dyn Endpoints, counted: &Snapshot, span: f64) {
        let or_nan = |value: Duration| if value.is_zero() { f64::NAN } else { value.as_secs_f64() };
        let gauges = flow.gauges();
        let real = |get: &dyn Fn(&Gauges) -> f64| gauges.as_ref().map_or(f64::NAN, get);
        self.rtt.push(real(&|gauges| or_nan(gauges.latest_rtt)));
        self.srtt.push(real(&|gauges| or_nan(gauges.srtt)));
        self.cwnd.push(real(&|gauges| gauges.cwnd));
        self.ssthresh.push(real(&|gauges| gauges.ssthresh));
        self.in_flight.push(real(&|gauges| gauges.in_flight));
        self.retransmissions.push(counted.counters.retransmissions);
        self.row(now, index, counted.bytes, span);
    }

    fn row(&mut self, now: Time, flow: usize, delivered: u64, span: f64) {
        self.time.push(now.as_secs_f64());
        self.flow.push(flow as u32);
        let before = std::mem::replace(&mut self.delivered[flow], delivered);
        self.goodput.push((delivered - before) as f64 * 8.0 / span);
    }
}
