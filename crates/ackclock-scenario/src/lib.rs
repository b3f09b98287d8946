#![doc = include_str!("../README.md")]

mod checks;
mod endpoints;
mod links;
mod read;
mod scenario;
mod settings;
mod topology;
mod traffic;
mod values;

pub use endpoints::acknak::AckNakConfig;
pub use endpoints::algorithm::Share;
pub use endpoints::protocols::ENTRIES as PROTOCOLS;
pub use endpoints::systems::ENTRIES as SYSTEMS;
pub use endpoints::tcp::TcpConfig;
pub use links::buffer::Buffer;
pub use links::impairments::Impairment;
pub use links::link::{LinkConfig, Reverse};
pub use links::lone_link::lone_link;
pub use links::loss::{GilbertElliott, Loss, Script};
pub use links::paths::ENTRIES as PATHS;
pub use links::queue::Queue;
pub use links::rate::{RateTable, VaryingRate};
pub use read::error::ScenarioError;
pub use read::files::{ReadFile, Unreadable};
pub use read::quantity::Quantity;
pub use scenario::Scenario;
pub use settings::{Epoch, Names, Settings, Trace};
pub use topology::{
    Backbone, Dumbbell, Graph, GraphLink, LinkSpec, ParkingLot, Role, Shape, Sketch, SketchLink, SketchNode,
    Star, ThreeTier, Tier, Topology, link_name, ordered,
};
pub use traffic::applications::{
    Application, Browser, Bulk, File, FilmKeys, FlowIdentity, Http, Install, OnOff, Pages, Request,
    RequestResponse, Response, ThinkAndSend, Version, WriteRate,
};
pub use traffic::arrivals::{Arrivals, FlowRate, PoissonArrivals, RateStep};
pub use traffic::call::{CallGroup, CallSpec};
pub use traffic::ends::Nodes;
pub use traffic::page::{Page, WrittenObject, WrittenPage};
pub use traffic::pool::{Objects, Pool};
pub use traffic::{Codepoint, FlowGroup, FlowSpec, Pattern, UdpGroup, UdpSpec};
pub use values::distribution::{Distribution, Drawn, Exponential, Lognormal, Pareto, Uniform, Weibull};
pub use values::packets::{PacketCount, Packets};
pub use values::schedule::{Chain, Probability, Schedule, Text, Varying};
pub use values::size_table::{SizeTable, Weights};
pub use values::spans::Spans;
pub use values::window::{InitialWindow, ReceiveWindow, Threshold};
