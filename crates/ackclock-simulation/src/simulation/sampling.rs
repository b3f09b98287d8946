//! The samples of a run's time series, taken from flows, sockets and links.

use crate::engine::Engine;
use crate::engine::event::Event;
use crate::recording::network_series::FlowSample;
use crate::simulation::{STEPS_PER_EVENT, Simulation};

impl Simulation {
    /// Takes a sample of all time series.
    pub(super) fn sample(&mut self) {
        let Simulation { flows, sockets, engine, .. } = self;
        let Engine { network, recorder, now, events, steps, .. } = engine;
        let Some(interval) = recorder.interval() else { return };
        let acknowledged = flows.iter().filter_map(|(index, flow)| {
            let gauges = flow.gauges()?;
            let counts = sockets.total(index, &flow.snapshot(*now));
            Some(FlowSample { counts, gauges, is_open: flow.is_open() })
        });
        recorder.sample_network(*now, acknowledged);
        if recorder.samples_flows() {
            for (index, flow) in flows.iter() {
                let counts = sockets.total(index, &flow.snapshot(*now));
                recorder.sample_flow(*now, index, flow.gauges().as_ref(), &counts);
                flow.observe(&mut |name, value| recorder.sample_quantity(*now, index, name, value));
            }
        }
        recorder.sample_links(*now, network);
        *steps += flows.len() as u64 * STEPS_PER_EVENT;
        Event::Sample.schedule(*now + interval, events);
    }
}
