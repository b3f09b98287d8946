#![doc = include_str!("../README.md")]

mod acknak;
mod algorithm;
mod application;
mod arrivals;
mod buffer;
mod distribution;
mod draw;
mod duplication;
mod ends;
mod epoch;
mod flows;
mod framing;
mod impairments;
mod limits;
mod link;
mod lone_link;
mod loss;
mod memory;
mod mixture;
mod names;
mod ordered;
mod outage;
mod packets;
mod paths;
mod pool;
mod protocols;
mod qlog;
mod queue;
mod rate;
mod read;
mod schedule;
mod sharing;
mod size_table;
mod stack;
mod systems;
mod tcp;
mod topology;
mod trace;
mod traffic;
mod transmission;
mod window;

use std::ops::Deref;

use ackclock_units::{Bytes, Duration};
use serde::Deserialize;
use serde_json::{Map, Value};

use read::{files, quantity, reader, tree};

pub use acknak::AckNakConfig;
pub use application::{Application, Install, Request, Response, Seat};
pub use arrivals::{Arrivals, FlowRate, PoissonArrivals, RateStep};
pub use buffer::Buffer;
pub use distribution::{Distribution, Drawn, Exponential, Lognormal, Pareto, Uniform, Weibull};
pub use ends::Nodes;
pub use epoch::Epoch;
pub use impairments::Impairment;
pub use link::{LinkConfig, Reverse};
pub use lone_link::lone_link;
pub use loss::{GilbertElliott, Loss, Script};
pub use mixture::Share;
pub use names::Names;
pub use ordered::ordered;
pub use outage::Outage;
pub use packets::{PacketCount, Packets};
pub use paths::ENTRIES as PATHS;
pub use pool::{Objects, Pool};
pub use protocols::ENTRIES as PROTOCOLS;
pub use queue::Queue;
pub use rate::{RateTable, VaryingRate};
pub use read::error::ScenarioError;
pub use read::files::{ReadFile, Unreadable};
pub use read::quantity::Quantity;
pub use schedule::{Chain, Probability, Schedule, Text, Varying};
pub use size_table::{SizeTable, Weights};
pub use systems::ENTRIES as SYSTEMS;
pub use tcp::TcpConfig;
pub use topology::*;
pub use trace::Trace;
pub use traffic::{FlowGroup, FlowSpec, Pattern, UdpGroup, UdpSpec};
pub use window::{InitialWindow, ReceiveWindow, Threshold};

use limits::{LONGEST_RUN, MEMORY_LIMIT, MOST_SEGMENTS, MOST_UPDATES};
use read::error::{Checked, clip};
use read::key::Key;
use traffic::GroupContext;

/// The values of a scenario, with defaults for keys that are left out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "Scenario", deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// A short name, for files and tables.
    pub name: String,
    /// A heading of one line.
    #[serde(default)]
    pub title: String,
    /// The purpose of the scenario, and its source.
    #[serde(default)]
    pub description: String,
    /// The seed of all random streams of a run.
    #[serde(default = "one")]
    pub seed: u64,
    /// The simulated time.
    #[serde(deserialize_with = "quantity::read")]
    pub duration: Duration,
    /// The time at the beginning that averages leave out.
    #[serde(default, deserialize_with = "quantity::read")]
    pub warm_up: Duration,
    /// The most memory that flows, queues and time series may take, by an estimate.
    #[serde(default = "memory_limit", deserialize_with = "quantity::read")]
    pub memory_limit: Bytes,
    /// Nodes and links.
    pub topology: Topology,
    /// The behaviour of TCP endpoints, where a flow has no table of its own.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// The behaviour of endpoints of the ACK/NAK transport, where a flow has no table of its own.
    #[serde(default)]
    pub acknak: AckNakConfig,
    /// Flows whose packets are acknowledged, in groups.
    #[serde(default)]
    pub flow: Vec<FlowGroup>,
    /// UDP flows, in groups.
    #[serde(default)]
    pub udp: Vec<UdpGroup>,
    /// Records beside the summaries.
    #[serde(default)]
    pub trace: Trace,
    /// The values that the seed has drawn, by their paths.
    #[serde(default)]
    pub draw: Map<String, Value>,
}

impl Settings {
    /// Reads and checks the values of a tree; `custom` are the algorithms that the caller brings.
    fn of(tree: &Value, custom: &[String]) -> Result<Settings, ScenarioError> {
        let whole = systems::spelled_out(&paths::spelled_out(tree)?)?;
        let mut settings: Settings = reader::read(&tree::with_tables_in_flows(&whole))?;
        for (index, group) in settings.flow.iter().enumerate() {
            group.check_arrivals(&Key::top("flow").then(index), settings.duration)?;
        }
        settings.settle()?;
        settings.check(tree, custom)?;
        Ok(settings)
    }

    /// Refuses whatever can be seen to be wrong before a run; `tree` is the text's own tree, `custom` are the algorithms
    /// that the caller brings.
    fn check(&self, tree: &Value, custom: &[String]) -> Checked {
        check_name(&self.name)?;
        Key::top("duration").above_zero(self.duration)?;
        Key::top("duration").at_most(self.duration, LONGEST_RUN)?;
        if self.warm_up >= self.duration {
            let message =
                format!("found {}; it must be shorter than the duration, {}", self.warm_up, self.duration);
            return Err(Key::top("warm_up").wrong(self.warm_up, message));
        }
        self.check_flow_count()?;
        self.topology.check(&Key::top("topology"), self.flow_count())?;
        self.check_updates()?;
        self.check_segments()?;
        self.tcp.check(&Key::top("tcp"), custom)?;
        self.acknak.check(&Key::top("acknak"))?;
        let nodes = NodeIndex::new(&self.topology);
        let Settings { duration, ref tcp, ref acknak, .. } = *self;
        let context = GroupContext { duration, tcp, acknak, nodes: &nodes, custom };
        for (index, group) in self.flow.iter().enumerate() {
            let at = Key::top("flow").then(index);
            group.check(&at, &context, &tree["flow"][index])?;
        }
        for (index, group) in self.udp.iter().enumerate() {
            group.check(&Key::top("udp").then(index), self.duration, &nodes)?;
        }
        self.check_transmission_times(custom)?;
        self.check_duplication(custom)?;
        self.check_sharing(custom)?;
        self.check_framing(custom)?;
        self.check_flow_names()?;
        self.trace.check(&Key::top("trace"), self.duration, &nodes)?;
        self.check_qlog(custom)?;
        self.check_memory()
    }

    /// Refuses queues that would update their drop probabilities too often in a run of this length, all together.
    fn check_updates(&self) -> Checked {
        let (mut queues, mut updates) = (0_u32, 0.0);
        let mut shortest = None;
        self.topology.directions(&mut |from, to, link| {
            let Some(period) = link.queue.discipline().update_period() else { return };
            queues += 1;
            updates += self.duration / period;
            if shortest.as_ref().is_none_or(|(least, _)| period < *least) {
                shortest = Some((period, link_name(from, to)));
            }
        });
        let Some((period, link)) = shortest.filter(|_| updates > MOST_UPDATES) else { return Ok(()) };
        let least = Duration::from_secs_f64(self.duration.as_secs_f64() * f64::from(queues) / MOST_UPDATES);
        let message = format!(
            "queues make {updates:.0} updates in {}, those of {link} with the period {period}; at most {MOST_UPDATES:.0} together, \
             so periods of at least {least}",
            self.duration
        );
        Err(Key::top("topology").wrong(period, message))
    }

    /// Refuses schedules that would change too often in a run of this length, all together.
    fn check_segments(&self) -> Checked {
        let (mut segments, mut most, mut link) = (0.0, 0.0, String::new());
        self.topology.directions(&mut |from, to, config| {
            let own = config.segments(self.duration);
            segments += own;
            if own > most {
                (most, link) = (own, link_name(from, to));
            }
        });
        if segments <= MOST_SEGMENTS {
            return Ok(());
        }
        let message = format!(
            "schedules change {segments:.0} times in {}, those of {link} {most:.0} times; at most {MOST_SEGMENTS:.0} together, so \
             longer periods or dwell times",
            self.duration
        );
        Err(Key::top("topology").wrong(segments, message))
    }
}

/// A name becomes that of a folder.
fn check_name(name: &str) -> Checked {
    let right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(right) {
        let name = clip(name);
        let message = format!(
            "found {name:?}; a name has 1 to 100 of the characters a-z, A-Z, 0-9, -, _ and . and does not begin with ."
        );
        return Err(Key::top("name").wrong(name, message));
    }
    Ok(())
}

/// A scenario that was read and checked: its [`Settings`], to read only, and the text's own tree of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    settings: Settings,
    /// The values as written, without defaults: the scenario is written back from them.
    tree: Value,
    /// Names of algorithms that the caller brings to the run.
    custom: Vec<String>,
}

impl Deref for Scenario {
    type Target = Settings;
    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Scenario {
    /// Reads a scenario from TOML. `custom` are names of algorithms, beside the registered ones, that the caller
    /// will bring to the run. It may name no files.
    ///
    /// # Errors
    /// When the text is no TOML, or anything in it cannot be right.
    pub fn from_toml(text: &str, custom: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::from_toml_and_files(text, custom, &files::none)
    }

    /// As [`Scenario::from_toml`], with `read` to read the files that it names. Their contents become part of the
    /// scenario.
    ///
    /// # Errors
    /// As [`Scenario::from_toml`], or when something is wrong with a file.
    pub fn from_toml_and_files(
        text: &str,
        custom: &[String],
        read: ReadFile,
    ) -> Result<Scenario, ScenarioError> {
        Scenario::from_tree(tree::from_toml(text)?, custom.to_vec(), read)
    }

    /// Reads a scenario from JSON, where a key whose value is null counts as left out. It may name no files.
    ///
    /// # Errors
    /// When the text is no JSON, or anything in it cannot be right.
    pub fn from_json(text: &str, custom: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_and_files(text, custom, &files::none)
    }

    /// As [`Scenario::from_json`], with `read` to read the files that it names.
    ///
    /// # Errors
    /// As [`Scenario::from_json`], or when something is wrong with a file.
    pub fn from_json_and_files(
        text: &str,
        custom: &[String],
        read: ReadFile,
    ) -> Result<Scenario, ScenarioError> {
        Scenario::from_tree(tree::from_json(text)?, custom.to_vec(), read)
    }

    fn from_tree(mut tree: Value, custom: Vec<String>, read: ReadFile) -> Result<Scenario, ScenarioError> {
        files::take_over(&mut tree, read)?;
        draw::take_over(&mut tree, read)?;
        for extreme in draw::extremes(&tree)? {
            Settings::of(&extreme, &custom)?;
        }
        Scenario::of_whole(tree, custom)
    }

    /// The scenario of a tree that names no files.
    fn of_whole(tree: Value, custom: Vec<String>) -> Result<Scenario, ScenarioError> {
        let settings = Settings::of(&*draw::spelled_out(&tree)?, &custom)?;
        Ok(Scenario { settings, tree, custom })
    }

    /// The scenario as TOML: what was read, in its order, with nothing added.
    pub fn to_toml(&self) -> String {
        tree::to_toml(&self.tree)
    }

    /// The scenario as JSON: what was read, in its order, with nothing added.
    pub fn to_json(&self) -> String {
        self.tree.to_string()
    }

    /// The values that the seed has drawn, with their paths: what [`Scenario::with`] takes to draw the same again.
    pub fn drawn(&self) -> impl Iterator<Item = (&str, String)> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.settings.draw.iter().map(move |(path, value)| (path.as_str(), text(value)))
    }

    /// The names of algorithms that the caller brings to the run.
    pub fn custom(&self) -> &[String] {
        &self.custom
    }

    /// A copy in which these names of algorithms are valid too.
    pub fn with_custom(&self, names: &[String]) -> Scenario {
        Scenario { custom: [self.custom.as_slice(), names].concat(), ..self.clone() }
    }

    /// A copy with one value replaced or added: `with("tcp.mss", "1000 bytes")`, with list elements by
    /// number as in `flow.0.packets`. The value is what TOML reads from the text (`100`, `true`, `["a", "b"]`), or
    /// else the text itself.
    ///
    /// # Errors
    /// When there is no such key, or the scenario cannot be right with this value.
    pub fn with(&self, path: &str, value: &str) -> Result<Scenario, ScenarioError> {
        self.with_all([(path, value)])
    }

    /// A copy with several values replaced or added, checked when all are in place: a shorter duration and a
    /// shorter warm-up go together, in either order.
    ///
    /// # Errors
    /// As [`Scenario::with`].
    pub fn with_all<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Scenario, ScenarioError> {
        self.with_all_and_files(values, &files::none)
    }

    /// As [`Scenario::with_all`], with `read` to read the files that the values name.
    ///
    /// # Errors
    /// As [`Scenario::with`], or when something is wrong with a file.
    pub fn with_all_and_files<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
        read: ReadFile,
    ) -> Result<Scenario, ScenarioError> {
        let (mut tree, mut seed_alone) = (self.tree.clone(), true);
        for (path, value) in values {
            draw::settle(&mut tree, path)?;
            tree::set(&mut tree, path, tree::value_of(value, path)?)?;
            seed_alone &= path == "seed";
        }
        if seed_alone { self.seeded(tree) } else { Scenario::from_tree(tree, self.custom.clone(), read) }
    }

    /// The scenario of a tree that differs in its seed alone. Where the seed draws no values and no arrivals, the other
    /// settings stay, and are not read again: a sweep takes thousands of seeds.
    fn seeded(&self, tree: Value) -> Result<Scenario, ScenarioError> {
        let custom = self.custom.clone();
        let draws = draw::has_laws(&tree) || self.flow.iter().any(|group| group.arrivals.is_some());
        match tree.get("seed").and_then(Value::as_u64) {
            Some(seed) if !draws => {
                Ok(Scenario { settings: Settings { seed, ..self.settings.clone() }, tree, custom })
            }
            _ => Scenario::of_whole(tree, custom),
        }
    }
}

fn memory_limit() -> Bytes {
    MEMORY_LIMIT
}

fn one() -> u64 {
    1
}
