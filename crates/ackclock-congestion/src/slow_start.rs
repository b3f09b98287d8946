//! Slow start: how the window grows below the threshold.
//!
//! To add one: a file here with the type and its registry entry, a line in each of the two lists below.

mod adaptive;
mod base;
mod btcp;
mod btcp_annex;
mod careful_resume;
mod decreasing;
mod gallop_vegas;
mod hoe;
mod hybla;
mod hystart;
mod hystart_linux;
mod limited;
mod limited_mesonet;
mod rapid_start;
mod search;
mod smooth;
mod standard;
mod vegas;
mod vegas_linux;

pub use btcp::Settings as BtcpSettings;

use ackclock_units::PacketRate;

use crate::algorithms::algorithms;
use crate::facts::{Ack, Congestion};
use crate::windowed::{Reduction, SlowStart, Window};

macro_rules! any_slow_start {
    ($($algorithm:ident($type:ty)),+) => {
        /// Any of the slow starts: told apart by a tag, so that a call needs no second pointer.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "each variant is the type of that name")]
        #[non_exhaustive]
        pub enum AnySlowStart {
            $($algorithm($type)),+
        }

        #[deny(clippy::missing_trait_methods, reason = "it forwards every method")]
        impl SlowStart for AnySlowStart {
            fn begin(&mut self, window: &mut Window) {
                match self { $(Self::$algorithm(inner) => inner.begin(window)),+ }
            }
            // Most measure nothing: a call costs more than they do.
            #[inline(always)]
            fn measure(&mut self, ack: &Ack, window: &mut Window) {
                match self { $(Self::$algorithm(inner) => inner.measure(ack, window)),+ }
            }
            fn grow(&mut self, ack: &Ack, window: &mut Window) {
                match self { $(Self::$algorithm(inner) => inner.grow(ack, window)),+ }
            }
            fn on_congestion(&mut self, event: &Congestion) {
                match self { $(Self::$algorithm(inner) => inner.on_congestion(event)),+ }
            }
            fn on_reduction(&mut self, reduction: &Reduction, window: &mut Window) {
                match self { $(Self::$algorithm(inner) => inner.on_reduction(reduction, window)),+ }
            }
            fn on_idle_restart(&mut self) {
                match self { $(Self::$algorithm(inner) => inner.on_idle_restart()),+ }
            }
            fn paces(&self) -> bool {
                match self { $(Self::$algorithm(inner) => inner.paces()),+ }
            }
            #[inline(always)]
            fn pacing_rate(&self, cwnd: f64) -> Option<PacketRate> {
                match self { $(Self::$algorithm(inner) => inner.pacing_rate(cwnd)),+ }
            }
            fn scale(&mut self, ratio: f64) {
                match self { $(Self::$algorithm(inner) => inner.scale(ratio)),+ }
            }
            fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$algorithm(inner) => inner.observe(gauge)),+ }
            }
        }
    };
}

// Every controller has room for the largest: an algorithm that needs much has a box of its own.
algorithms! {
    slow start:
    adaptive::Adaptive in Box<Adaptive>,
    base::Base,
    btcp::Btcp in Box<Btcp>,
    btcp_annex::BtcpAnnex in Box<BtcpAnnex>,
    careful_resume::CarefulResume in Box<CarefulResume>,
    decreasing::Decreasing,
    gallop_vegas::GallopVegas in Box<GallopVegas>,
    hoe::Hoe in Box<Hoe>,
    hybla::Hybla in Box<Hybla>,
    hystart::HyStart in Box<HyStart>,
    hystart_linux::HyStartLinux in Box<HyStartLinux>,
    limited::Limited,
    limited_mesonet::LimitedMesoNet,
    rapid_start::RapidStart in Box<RapidStart>,
    search::Search in Box<Search>,
    smooth::Smooth,
    standard::Standard,
    vegas::Vegas in Box<Vegas>,
    vegas_linux::VegasLinux in Box<VegasLinux>,
}
