//! What can be known to be wrong before a run, beyond the shape of the file.

use std::collections::BTreeMap;

use ackclock_units::{Bytes, Duration, LinkRate, Rate};
use serde_json::Value;

use super::acknak::AckNakConfig;
use super::algorithm;
use super::epoch::Epoch;
use super::places::Places;
use super::read::error::{ScenarioError, clip};
use super::read::quantity::{Buffer, InitialWindow, ReceiveWindow, Threshold};
use super::tcp::TcpConfig;
use super::three_tier::ThreeTier;
use super::topology::{Direction, LinkConfig, Loss, Topology};
use super::validate_flows::{check_flows, check_names};
use super::{Settings, link_name};

pub(super) type Checked = Result<(), ScenarioError>;

/// The most flows of a scenario, and pairs of a dumbbell.
pub(super) const MOST_FLOWS: u32 = 1_000_000;
/// The most nodes of a network of three tiers, and links of its backbone.
const MOST_NODES: u64 = 2_000_000;
/// The most links of a parking lot's chain.
const MOST_HOPS: u32 = 10_000;
/// The most samples of one time series.
const MOST_SAMPLES: f64 = 1e7;
/// What an IPv4 packet holds at most, its header included.
pub(super) const LARGEST_PACKET: u64 = 65_535;

/// Checks a scenario; `tree` is what was written, `custom` are the algorithms the caller brings.
pub(super) fn check(settings: &Settings, tree: &Value, custom: &[String]) -> Checked {
    check_name(&settings.name)?;
    above_zero("duration", settings.duration)?;
    if settings.warm_up >= settings.duration {
        let message = format!(
            "found {}; it must be shorter than the duration, {}",
            settings.warm_up, settings.duration
        );
        return Err(ScenarioError::at("warm_up", message).with_found(settings.warm_up.to_string()));
    }
    check_counts(settings)?;
    check_topology(settings)?;
    check_tcp("tcp", &settings.tcp, custom)?;
    check_acknak("acknak", &settings.acknak)?;
    check_flows(settings, tree, custom)?;
    check_names(settings)?;
    check_trace(settings)
}

/// The name becomes a folder's.
fn check_name(name: &str) -> Checked {
    let right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(right) {
        let message = format!(
            "found {:?}; a name has 1 to 100 of the characters a-z, A-Z, 0-9, -, _ and . and does not begin with .",
            clip(name)
        );
        return Err(ScenarioError::at("name", message).with_found(clip(name)));
    }
    Ok(())
}

/// Counts come first, so that nothing after them has to be afraid of a zero or of millions.
fn check_counts(settings: &Settings) -> Checked {
    match &settings.topology {
        Topology::Dumbbell(dumbbell) => within("topology.dumbbell.pairs", dumbbell.pairs, MOST_FLOWS)?,
        Topology::ParkingLot(lot) => within("topology.parking_lot.hops", lot.hops, MOST_HOPS)?,
        Topology::ThreeTier(tiers) => check_tiers(tiers)?,
        Topology::Graph(graph) if graph.link.is_empty() => {
            return Err(ScenarioError::at("topology.graph.link", "found an empty list; a graph has links"));
        }
        Topology::Graph(_) => {}
    }
    // Only chance may leave a group without a flow.
    let groups = settings.flow.iter().enumerate().filter(|(_, group)| !group.is_open());
    let groups = groups.map(|(i, group)| ("flow", i, group.count));
    let others = settings.udp.iter().map(|group| group.count).enumerate().map(|(i, n)| ("udp", i, n));
    for (table, index, count) in groups.chain(others) {
        within(&format!("{table}.{index}.count"), count, MOST_FLOWS)?;
    }
    let sum = settings.flow_count();
    if sum > MOST_FLOWS {
        let message = format!("found {sum} flows over all groups; at most {MOST_FLOWS} are possible");
        return Err(ScenarioError::at("flow", message).with_found(sum.to_string()));
    }
    if sum == 0 && !settings.flow.is_empty() {
        return Err(ScenarioError::at("flow", "no flow arrives before the end of the run"));
    }
    if sum == 0 {
        return Err(ScenarioError::at("flow", "missing; a scenario has at least one [[flow]] or [[udp]]"));
    }
    Ok(())
}

fn check_tiers(tiers: &ThreeTier) -> Checked {
    let keys = ["backbone", "pop", "access", "host"];
    for (key, count) in keys.iter().zip(tiers.counts()) {
        within(&format!("topology.three_tier.{key}.count"), count, MOST_FLOWS)?;
    }
    let nodes = tiers.nodes().max(tiers.backbone_links());
    if nodes > MOST_NODES {
        let message = format!(
            "found {nodes} routers, hosts or links of the backbone; at most {MOST_NODES} are possible"
        );
        return Err(ScenarioError::at("topology.three_tier", message).with_found(nodes.to_string()));
    }
    Ok(())
}

fn within(key: &str, count: u32, most: u32) -> Checked {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    let message = format!("found {count}; expected a whole number from 1 to {most}");
    Err(ScenarioError::at(key, message).with_found(count.to_string()))
}

fn above_zero(key: &str, span: Duration) -> Checked {
    if span.is_zero() {
        return Err(ScenarioError::at(key, "found zero; it is longer than that").with_found(span.to_string()));
    }
    Ok(())
}

pub(super) fn rate_above_zero(key: &str, rate: Rate) -> Checked {
    if rate.bits_per_second() == 0 {
        let message = "found a rate of zero; at least 1 bit/s is needed";
        return Err(ScenarioError::at(key, message).with_found(rate.to_string()));
    }
    Ok(())
}

fn link_rate(key: &str, rate: LinkRate) -> Checked {
    match rate {
        LinkRate::Bits(rate) => rate_above_zero(key, rate),
        LinkRate::Packets(_) if rate.is_possible() => Ok(()),
        LinkRate::Packets(_) => {
            let message = format!("found {rate}; expected more than zero, and at most 1000000 packets/ms");
            Err(ScenarioError::at(key, message).with_found(rate.to_string()))
        }
    }
}

fn check_topology(settings: &Settings) -> Checked {
    let flows = settings.flow_count();
    match &settings.topology {
        Topology::Dumbbell(dumbbell) => {
            check_link("topology.dumbbell.bottleneck", &dumbbell.bottleneck, flows)?;
            check_link("topology.dumbbell.access", &dumbbell.access, flows)?;
            dumbbell.exit.as_ref().map_or(Ok(()), |exit| check_link("topology.dumbbell.exit", exit, flows))
        }
        Topology::ParkingLot(lot) => {
            check_link("topology.parking_lot.link", &lot.link, flows)?;
            check_link("topology.parking_lot.access", &lot.access, flows)
        }
        Topology::ThreeTier(tiers) => {
            let host = tiers.host.as_ref().map(|tier| ("host", &tier.link));
            let links = [
                ("backbone", &tiers.backbone.link),
                ("pop", &tiers.pop.link),
                ("access", &tiers.access.link),
            ];
            links.into_iter().chain(host).try_for_each(|(tier, link)| {
                check_link(&format!("topology.three_tier.{tier}.link"), link, flows)
            })
        }
        Topology::Graph(graph) => {
            let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            for (index, edge) in graph.link.iter().enumerate() {
                let key = format!("topology.graph.link.{index}");
                check_node_name(&format!("{key}.from"), &edge.from)?;
                check_node_name(&format!("{key}.to"), &edge.to)?;
                let (low, high) = (edge.from.as_str().min(&edge.to), edge.from.as_str().max(&edge.to));
                if low == high {
                    let message = format!("a link from {low:?} to itself");
                    return Err(ScenarioError::at(key, message).with_found(low));
                }
                if let Some(first) = seen.insert((low, high), index) {
                    let message = format!(
                        "a second link between {low:?} and {high:?}; number {first} is there already"
                    );
                    return Err(ScenarioError::at(key, message).with_found(link_name(&edge.from, &edge.to)));
                }
                check_link(&key, &edge.link, flows)?;
            }
            Ok(())
        }
    }
}

fn check_node_name(key: &str, name: &str) -> Checked {
    if name.is_empty() || name.trim() != name || name.contains("->") || name.contains(char::is_control) {
        let message = format!("found {:?}; a node's name is a text without \"->\", not empty", clip(name));
        return Err(ScenarioError::at(key, message).with_found(clip(name)));
    }
    Ok(())
}

fn check_link(key: &str, link: &LinkConfig, flows: u32) -> Checked {
    link_rate(&format!("{key}.rate"), link.rate)?;
    if let Some(rate) = link.reverse.rate {
        link_rate(&format!("{key}.reverse.rate"), rate)?;
    }
    check_buffer(&format!("{key}.buffer"), link.buffer)?;
    check_buffer(&format!("{key}.reverse.buffer"), link.reverse.buffer.unwrap_or_default())?;
    check_loss(&format!("{key}.loss"), link.loss.as_ref(), flows)?;
    check_loss(&format!("{key}.reverse.loss"), link.reverse.loss.as_ref(), flows)?;
    check_queue(key, &link.forward())?;
    check_queue(&format!("{key}.reverse"), &link.backward())
}

/// Only drop-tail can do with no buffer at all, and has a threshold.
fn check_queue(key: &str, direction: &Direction<'_>) -> Checked {
    let (queue, name) = (direction.queue, direction.queue.entry().name());
    if queue.is_drop_tail() {
        return Ok(());
    }
    if matches!(direction.buffer, Buffer::Packets(0)) {
        let message = format!("found 0 packets; the queue {name} needs room for one at least");
        return Err(ScenarioError::at(format!("{key}.buffer"), message).with_found("0 packets"));
    }
    if direction.mark_above.is_some() {
        let message = format!("goes with the queue \"droptail\"; {name} has rules of its own for marks");
        return Err(ScenarioError::at(format!("{key}.mark_above"), message));
    }
    Ok(())
}

fn check_buffer(key: &str, buffer: Buffer) -> Checked {
    match buffer {
        Buffer::BdpFraction(fraction) if fraction > 1e6 => {
            let found = format!("{fraction} bdp");
            let message = format!("found {found}; write \"unlimited\" for a buffer without a limit");
            Err(ScenarioError::at(key, message).with_found(found))
        }
        _ => Ok(()),
    }
}

fn check_loss(key: &str, loss: Option<&Loss>, flows: u32) -> Checked {
    match loss {
        None => Ok(()),
        Some(Loss::Bernoulli(probability)) => check_probability(&format!("{key}.bernoulli"), *probability),
        Some(Loss::GilbertElliott(chain)) => {
            let values = [
                ("good_to_bad", chain.good_to_bad),
                ("bad_to_good", chain.bad_to_good),
                ("loss_good", chain.loss_good),
                ("loss_bad", chain.loss_bad),
            ];
            values.iter().try_for_each(|(name, value)| {
                check_probability(&format!("{key}.gilbert_elliott.{name}"), *value)
            })
        }
        Some(Loss::Scripted(script)) => {
            if script.flow >= flows {
                let right = if flows == 1 { "only flow 0".to_owned() } else { format!("0 to {}", flows - 1) };
                let message = format!("found flow {}; the flows of this scenario are {right}", script.flow);
                let key = format!("{key}.scripted.flow");
                return Err(ScenarioError::at(key, message).with_found(script.flow.to_string()));
            }
            match script.packets.iter().position(|ordinal| *ordinal == 0) {
                Some(at) => {
                    let key = format!("{key}.scripted.packets.{at}");
                    Err(ScenarioError::at(key, "found 0; packets are counted from 1").with_found("0"))
                }
                None => Ok(()),
            }
        }
    }
}

fn check_probability(key: &str, value: f64) -> Checked {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    let message = format!("found {value}; a probability lies between 0 and 1");
    Err(ScenarioError::at(key, message).with_found(value.to_string()))
}

pub(super) fn check_tcp(key: &str, tcp: &TcpConfig, custom: &[String]) -> Checked {
    let wrong = |name: &str, message: String, found: String| {
        Err(ScenarioError::at(format!("{key}.{name}"), message).with_found(found))
    };
    algorithm::check(&format!("{key}.algorithm"), &tcp.algorithm, custom)?;
    let (mss, header) = (tcp.mss.get(), tcp.header.get());
    if mss == 0 {
        return wrong(
            "mss",
            "found 0 bytes; a segment carries at least 1 byte".to_owned(),
            tcp.mss.to_string(),
        );
    }
    if mss.saturating_add(header) > LARGEST_PACKET {
        let message = format!(
            "found {mss} bytes, with a header of {header} bytes; a packet has at most {LARGEST_PACKET}"
        );
        return wrong("mss", message, tcp.mss.to_string());
    }
    check_windows(key, tcp.initial_window, tcp.initial_ssthresh)?;
    check_receive_window(key, tcp.receive_window, tcp.mss)?;
    within(&format!("{key}.ack_every"), tcp.ack_every, MOST_FLOWS)?;
    within(&format!("{key}.syn_attempts"), tcp.syn_attempts, 100)?;
    for (name, span) in
        [("rto_initial", tcp.rto_initial), ("rto_min", tcp.rto_min), ("syn_timeout", tcp.syn_timeout)]
    {
        above_zero(&format!("{key}.{name}"), span)?;
    }
    for (name, span) in [("rto_initial", tcp.rto_initial), ("rto_min", tcp.rto_min)] {
        if span > tcp.rto_max {
            let message = format!("found {span}; it is at most rto_max, {}", tcp.rto_max);
            return wrong(name, message, span.to_string());
        }
    }
    Ok(())
}

fn check_windows(key: &str, window: InitialWindow, threshold: Threshold) -> Checked {
    let wrong = |name: &str, message: String, found: f64| {
        Err(ScenarioError::at(format!("{key}.{name}"), message).with_found(found.to_string()))
    };
    if let InitialWindow::Packets(packets) = window
        && !(1.0..=1e9).contains(&packets)
    {
        let message = format!("found {packets} packets; expected at least 1, at most a thousand million");
        return wrong("initial_window", message, packets);
    }
    if threshold.0 < 1.0 {
        let message = format!("found {} packets; expected at least 1", threshold.0);
        return wrong("initial_ssthresh", message, threshold.0);
    }
    Ok(())
}

pub(super) fn check_acknak(key: &str, acknak: &AckNakConfig) -> Checked {
    check_windows(key, acknak.initial_window, acknak.initial_ssthresh)?;
    above_zero(&format!("{key}.syn_interval"), acknak.syn_interval)?;
    within(&format!("{key}.syn_attempts"), acknak.syn_attempts, 100)?;
    for (name, size) in [("packet", acknak.packet), ("ack", acknak.ack)] {
        if !(1..=LARGEST_PACKET).contains(&size.get()) {
            let message = format!("found {size}; a packet has 1 to {LARGEST_PACKET} bytes on the wire");
            return Err(ScenarioError::at(format!("{key}.{name}"), message).with_found(size.to_string()));
        }
    }
    Ok(())
}

fn check_receive_window(key: &str, window: ReceiveWindow, mss: Bytes) -> Checked {
    match window.bytes(mss) {
        Some(bytes) if bytes < mss => {
            let message = format!("found {bytes}; a receiver has room for one segment at least ({mss})");
            Err(ScenarioError::at(format!("{key}.receive_window"), message).with_found(bytes.to_string()))
        }
        _ => Ok(()),
    }
}

fn check_trace(settings: &Settings) -> Checked {
    if let Some(Epoch::Fixed(length)) = settings.trace.epoch {
        above_zero("trace.epoch", length)?;
    }
    if let Some(interval) = settings.trace.interval {
        above_zero("trace.interval", interval)?;
        let samples = settings.duration / interval;
        if samples > MOST_SAMPLES {
            let message =
                format!("found {interval}; that makes {samples:.0} samples of each series, too many");
            return Err(ScenarioError::at("trace.interval", message).with_found(interval.to_string()));
        }
    }
    let places = Places::new(&settings.topology);
    for (index, name) in settings.trace.packets.iter().enumerate() {
        let key = format!("trace.packets.{index}");
        if !places.has_link(name) {
            let known = places.links();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let problem = format!("there is no link direction {:?}", clip(name));
            return Err(ScenarioError::unknown_name(key, &clip(name), &problem, &known));
        }
        if settings.trace.packets[..index].contains(name) {
            let message = format!("{name:?} is there already");
            return Err(ScenarioError::at(key, message).with_found(name));
        }
    }
    Ok(())
}
