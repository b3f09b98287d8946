//! What can be known to be wrong about traffic before a run.

use ackclock_units::Duration;
use serde_json::Value;

use super::Settings;
use super::algorithm;
use super::arrivals::Arrivals;
use super::distribution::Distribution;
use super::nodes::Nodes;
use super::places::Places;
use super::read::error::{ScenarioError, clip};
use super::topology::Topology;
use super::traffic::FlowGroup;
use super::validate::{Checked, LARGEST_PACKET, MOST_FLOWS, check_acknak, check_tcp, rate_above_zero};

/// The headers of IPv4 and UDP.
const UDP_HEADERS: u64 = 28;
/// The most algorithms of one group.
const MOST_SHARES: usize = 100;

pub(super) fn check_flows(settings: &Settings, tree: &Value, custom: &[String]) -> Checked {
    let places = Places::new(&settings.topology);
    for (index, group) in settings.flow.iter().enumerate() {
        let key = format!("flow.{index}");
        check_ends(&key, group.from.as_ref(), group.to.as_ref(), settings, &places)?;
        check_times(&key, group.start, group.start_jitter, group.stop, settings.duration)?;
        check_files(&key, group)?;
        if group.packets == Some(0) {
            let message = "found 0; a file has at least 1 packet (leave the key out to send for ever)";
            return Err(ScenarioError::at(format!("{key}.packets"), message).with_found("0"));
        }
        check_algorithms(&key, group, &tree["flow"][index], custom)?;
        check_persistence(&key, group, custom)?;
        if group.tcp != settings.tcp {
            check_tcp(&format!("{key}.tcp"), &group.tcp, custom)?;
        }
        if group.acknak != settings.acknak {
            check_acknak(&format!("{key}.acknak"), &group.acknak)?;
        }
    }
    for (index, group) in settings.udp.iter().enumerate() {
        let key = format!("udp.{index}");
        check_ends(&key, group.from.as_ref(), group.to.as_ref(), settings, &places)?;
        check_times(&key, group.start, group.start_jitter, group.stop, settings.duration)?;
        rate_above_zero(&format!("{key}.rate"), group.rate)?;
        if !(UDP_HEADERS..=LARGEST_PACKET).contains(&group.packet.get()) {
            let message = format!(
                "found {}; a packet has {UDP_HEADERS} (its headers) to {LARGEST_PACKET} bytes on the wire",
                group.packet
            );
            return Err(
                ScenarioError::at(format!("{key}.packet"), message).with_found(group.packet.to_string())
            );
        }
    }
    Ok(())
}

/// What a flow sends, and how long it thinks in between.
fn check_files(key: &str, group: &FlowGroup) -> Checked {
    let wrong = |name: &str, message: &str| Err(ScenarioError::at(format!("{key}.{name}"), message));
    if group.packets.is_some() && group.size.is_some() {
        return wrong("size", "the size is given twice; \"packets\" is there too");
    }
    if let Some(pool) = &group.pool {
        if !group.sends_files() {
            return wrong("size", "missing; pages have objects, which have a size");
        }
        pool.check(&format!("{key}.pool"))?;
    }
    if group.think.is_some() && !group.sends_files() {
        return wrong("size", "missing; a source that thinks sends files, which have a size");
    }
    if !group.think_first && group.think.is_none() {
        return wrong("think_first", "found false without \"think\"; this flow does not think");
    }
    group.size.as_ref().map_or(Ok(()), |size| size.check(&format!("{key}.size")))?;
    let think = group.think.as_ref().map_or(Ok(()), |think| think.check(&format!("{key}.think")));
    let processing = |time: &Distribution<Duration>| time.check(&format!("{key}.processing"));
    think.and_then(|()| group.processing.as_ref().map_or(Ok(()), processing))
}

/// Which algorithms the flows of a group run; `written` is the group's table.
fn check_algorithms(key: &str, group: &FlowGroup, written: &Value, custom: &[String]) -> Checked {
    let own = match (&group.algorithm, group.algorithms.as_slice()) {
        (None, []) => return Ok(()),
        (Some(algorithm), []) => {
            algorithm::check(&format!("{key}.algorithm"), algorithm, custom)?;
            "algorithm"
        }
        (Some(_), _) => {
            let message = format!("the algorithm is given twice; {key}.algorithm is there too");
            return Err(ScenarioError::at(format!("{key}.algorithms"), message));
        }
        (None, shares) => {
            for (index, share) in shares.iter().enumerate() {
                algorithm::check(&format!("{key}.algorithms.{index}.name"), &share.name, custom)?;
            }
            "algorithms"
        }
    };
    if written["tcp"].get("algorithm").is_some() {
        let message = format!("the algorithm is given twice; {key}.{own} is there too");
        return Err(ScenarioError::at(format!("{key}.tcp.algorithm"), message));
    }
    Ok(())
}

/// Only a TCP connection can take up another object.
fn check_persistence(key: &str, group: &FlowGroup, custom: &[String]) -> Checked {
    if !group.pool.as_ref().is_some_and(|pool| pool.persistent) {
        return Ok(());
    }
    let is_tcp = |name: &str| algorithm::is_tcp(name, custom);
    match group.algorithm_names().find(|name| !is_tcp(name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("{name} does not fetch one object after another; only TCP does");
            Err(ScenarioError::at(format!("{key}.pool.persistent"), message).with_found(clip(name)))
        }
    }
}

/// When flows arrive, as far as the number of flows hangs on it.
pub(super) fn check_arrivals(settings: &Settings) -> Checked {
    for (index, group) in settings.flow.iter().enumerate() {
        let key = format!("flow.{index}");
        if group.algorithms.len() > MOST_SHARES {
            let message = format!("found {} algorithms; at most {MOST_SHARES}", group.algorithms.len());
            return Err(ScenarioError::at(format!("{key}.algorithms"), message));
        }
        let shares = group.algorithms.iter().map(|share| u64::from(share.count)).sum::<u64>();
        let mixed = !group.algorithms.is_empty();
        if mixed && shares == 0 {
            let message = "found no flow of any algorithm; at least one has a count above zero";
            return Err(ScenarioError::at(format!("{key}.algorithms"), message));
        }
        let times = match &group.arrivals {
            None => None,
            Some(arrivals) => {
                let span = group.arrival_span(settings.duration);
                // Flows that are counted may arrive after the end, however many would be there by then.
                let most = if group.is_open() { f64::from(MOST_FLOWS) } else { f64::INFINITY };
                arrivals.check(&format!("{key}.arrivals"), span, most)?;
                if let Arrivals::At(times) = arrivals { Some(times.len() as u64) } else { None }
            }
        };
        let says = |count: Option<u64>, what: &'static str| count.map(|count| (count, what));
        let sources = [
            says(group.written_count.map(u64::from), "count"),
            says(mixed.then_some(shares), "algorithms"),
            says(times, "arrivals.at"),
        ];
        let mut said = sources.into_iter().flatten();
        let Some((count, first)) = said.next() else { continue };
        if let Some((other, what)) = said.find(|(other, _)| *other != count) {
            let message = format!("found {other} flows; by {key}.{first} there are {count}");
            return Err(ScenarioError::at(format!("{key}.{what}"), message).with_found(other.to_string()));
        }
    }
    Ok(())
}

fn check_ends(
    key: &str,
    from: Option<&Nodes>,
    to: Option<&Nodes>,
    settings: &Settings,
    places: &Places<'_>,
) -> Checked {
    let missing = |end, message: &str| Err(ScenarioError::at(format!("{key}.{end}"), message));
    let (from, to) = match (from, to) {
        (Some(from), Some(to)) => (from, to),
        (Some(_), None) => return missing("to", "missing; a flow that names \"from\" names \"to\" too"),
        (None, Some(_)) => return missing("from", "missing; a flow that names \"to\" names \"from\" too"),
        (None, None) if matches!(settings.topology, Topology::Graph(_)) => {
            return missing("from", "missing; in a graph every flow names the nodes it goes from and to");
        }
        (None, None) => match &settings.topology {
            Topology::ThreeTier(tiers) if !tiers.has_two_pops() => {
                return missing(
                    "from",
                    "missing; with only one POP every flow names the nodes it goes from and to",
                );
            }
            _ => return Ok(()),
        },
    };
    for (end, nodes) in [("from", from), ("to", to)] {
        check_nodes(&format!("{key}.{end}"), nodes, places)?;
    }
    let (sources, destinations) = (from.names().len(), to.names().len());
    if sources != destinations && sources > 1 && destinations > 1 {
        let message = format!(
            "found {destinations} nodes and {sources} in \"from\"; expected as many, or a single one"
        );
        return Err(ScenarioError::at(format!("{key}.to"), message).with_found(destinations.to_string()));
    }
    (0..sources.max(destinations) as u32).try_for_each(|pair| {
        let key = to.key(&format!("{key}.to"), pair as usize % destinations);
        check_pair(&key, from.of(pair), to.of(pair), places)
    })
}

/// Names of nodes there are.
fn check_nodes(key: &str, nodes: &Nodes, places: &Places<'_>) -> Checked {
    if nodes.names().is_empty() {
        return Err(ScenarioError::at(key, "found an empty list; at least one node is needed"));
    }
    match nodes.names().iter().position(|name| !places.has_node(name)) {
        None => Ok(()),
        Some(index) => {
            let name = clip(&nodes.names()[index]);
            let known = places.nodes();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let problem = format!("there is no node {name:?}");
            Err(ScenarioError::unknown_name(nodes.key(key, index), &name, &problem, &known))
        }
    }
}

/// A source and a destination; `key` is the destination's.
fn check_pair(key: &str, from: &str, to: &str, places: &Places<'_>) -> Checked {
    if from == to {
        return Err(ScenarioError::at(key, format!("a flow from {from:?} to itself")).with_found(to));
    }
    if !places.connected(from, to) {
        let message = format!("node {to:?} cannot be reached from {from:?}: no links lead there");
        return Err(ScenarioError::at(key, message).with_found(to));
    }
    Ok(())
}

fn check_times(
    key: &str,
    start: Duration,
    jitter: Duration,
    stop: Option<Duration>,
    end: Duration,
) -> Checked {
    if start >= end {
        let message = format!("found {start}; the run is over after {end}, so this would never start");
        return Err(ScenarioError::at(format!("{key}.start"), message).with_found(start.to_string()));
    }
    match stop {
        Some(stop) if stop <= start + jitter => {
            let latest = if jitter.is_zero() { "the start" } else { "the latest start" };
            let message = format!("found {stop}; it comes after {latest}, {}", start + jitter);
            Err(ScenarioError::at(format!("{key}.stop"), message).with_found(stop.to_string()))
        }
        _ => Ok(()),
    }
}

/// No two flows have the same name: results are told apart by it, and random streams begin from it.
pub(super) fn check_names(settings: &Settings) -> Checked {
    let given = settings.flow.iter().map(|group| &group.name).enumerate().map(|(i, name)| ("flow", i, name));
    let others = settings.udp.iter().map(|group| &group.name).enumerate().map(|(i, name)| ("udp", i, name));
    for (table, index, name) in given.chain(others) {
        if let Some(name) = name
            && (name.is_empty() || name.chars().count() > 100 || name.contains(char::is_control))
        {
            let message = format!("found {:?}; a flow's name is a text of 1 to 100 characters", clip(name));
            return Err(ScenarioError::at(format!("{table}.{index}.name"), message).with_found(clip(name)));
        }
    }
    let mut names: Vec<String> = settings.flows().into_iter().map(|flow| flow.name).collect();
    names.extend(settings.udp_flows().into_iter().map(|flow| flow.name));
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let message = format!("two flows are named {:?}; every flow has a name of its own", pair[0]);
            Err(ScenarioError::at("flow", message).with_found(&*pair[0]))
        }
        None => Ok(()),
    }
}
