//! The samples of a run's time series, taken from flows, sockets and links.

use crate::engine::Engine;
use crate::engine::event::Event;
use crate::facts::End;
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
        recorder.sample_links(*now, network);
        *steps += flows.len() as u64 * STEPS_PER_EVENT;
        Event::Sample.schedule(*now + interval, events);
        if self.engine.recorder.samples_flows() {
            self.sample_flows();
        }
    }

    /// Samples each flow from its start to its end: the last sample tells of the interval in which it ended. Data that arrive
    /// later have a sample too.
    fn sample_flows(&mut self) {
        let Simulation { flows, sockets, engine, infos, applications, .. } = self;
        let Engine { recorder, now, .. } = engine;
        for (index, flow) in flows.iter() {
            if infos.get(index).start > *now {
                continue;
            }
            let counts = sockets.total(index, &flow.snapshot(*now));
            if recorder.is_told(index, counts.arrived) {
                continue;
            }
            recorder.sample_flow(*now, index, flow.gauges().as_ref(), &counts);
            flow.observe(&mut |name, value| recorder.sample_quantity(*now, index, name, value));
            let is_called = applications.of(index as u32, End::Sender).is_some();
            let is_cut = infos.common(index).stop <= *now && !flow.is_open();
            if is_cut || !is_called && flow.life().is_over() {
                recorder.end_flow(index);
            }
        }
    }
}
