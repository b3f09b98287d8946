//! The table `flows`.

use std::collections::BTreeMap;

use ackclock_simulation::Output;
use ackclock_simulation::scenario::{Application, LinkSpec, Scenario};

use super::{Law, ROUNDING, count, law, ordered, real, table, text};

pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    let flows = table(run, "flows");
    let end = run.finished_at.as_secs_f64();
    let (sent, delivered) = (count(flows, "packets_sent"), count(flows, "packets_delivered"));
    let (lost, again) = (count(flows, "packets_lost"), count(flows, "retransmissions"));
    for row in 0..sent.len() {
        let at = |what: &str| format!("flow {row}: {what}");
        let value = |name| real(flows, name)[row];
        law(value("measured_s") <= end + ROUNDING, || at("measured longer than the run"))?;
        let life = [value("start_s"), value("established_s"), value("finish_s")];
        ordered(&life, || at("started, established and finished out of order"))?;
        law(!(value("finish_s") > end), || at("finished after the end"))?;
        law(delivered[row] + lost[row] <= sent[row] + run.conservation.duplicated, || {
            at(&format!("sent {}, delivered {} and lost {}", sent[row], delivered[row], lost[row]))
        })?;
        law(delivered[row] <= sent[row], || {
            at(&format!("sent {}, delivered {}", sent[row], delivered[row]))
        })?;
        law(again[row] <= sent[row], || at(&format!("sent {}, of them {} again", sent[row], again[row])))?;
        let round_trips = [value("min_rtt_s"), value("mean_rtt_s"), value("max_rtt_s")];
        ordered(&round_trips, || at("least, mean and greatest round-trip time out of order"))?;
        let rates = [value("goodput_bit_per_s"), value("throughput_bit_per_s")];
        ordered(&rates, || at("more goodput than throughput"))?;
    }
    within_the_rate(scenario, run)?;
    finished_means_delivered(scenario, run)
}

/// A flow carries no more than the narrowest link of its way, from the warm-up on and in each interval. Where the time begins
/// while a packet is on its way, that whole packet counts, and so do those that have passed the narrowest link and wait at a wider one.
fn within_the_rate(scenario: &Scenario, run: &Output) -> Law {
    // A flow's own time may be the best of a capacity that varies.
    let varies = |link: LinkSpec<'_>| !link.direction.is_plain();
    if scenario.topology.links().into_iter().any(varies) {
        return Ok(());
    }
    let flows = table(run, "flows");
    let (throughput, measured) = (real(flows, "throughput_bit_per_s"), real(flows, "measured_s"));
    let (from, to) = (text(flows, "source"), text(flows, "destination"));
    let two_way: Vec<bool> =
        scenario.flows().iter().map(|flow| flow.group.application.is_two_way()).collect();
    for (row, throughput) in throughput.iter().enumerate() {
        let mut most = width(run, from.get(row), to.get(row));
        if two_way.get(row).copied().unwrap_or_default() {
            most += width(run, to.get(row), from.get(row));
        }
        let waiting = waiting_behind(run, most, from.get(row));
        let before = if scenario.warm_up.is_zero() { 0.0 } else { LARGEST_PACKET + waiting };
        // Transmission times are whole nanoseconds.
        law(!(throughput * measured[row] > most * 1.001 * measured[row] + before), || {
            format!("flow {row} carries {throughput} bit/s over a link of {most} bit/s")
        })?;
        // A receiver of ACK/NAK cannot tell what repeats another packet: the sender's later replies do.
        if text(flows, "kind").get(row) != "acknak" {
            within_intervals(scenario, run, row as u32, most, waiting)?;
        }
    }
    Ok(())
}

/// The bits of the largest packet that the generator draws, and of an acknowledgment.
const LARGEST_PACKET: f64 = 8.0 * 9100.0;

/// The most bits that may wait at links of more than this rate, having come to them through a narrower one: not at those by which
/// the flow's packets begin their way.
fn waiting_behind(run: &Output, rate: f64, source: &str) -> f64 {
    let links = table(run, "links");
    let (rates, longest) = (real(links, "rate_bit_per_s"), count(links, "max_queue_packets"));
    let is_behind = |row: &usize| {
        !(rates[*row] <= rate) && !text(links, "name").get(*row).starts_with(&format!("{source}->"))
    };
    let waiting: u64 = (0..rates.len()).filter(is_behind).map(|row| longest[row]).sum();
    LARGEST_PACKET * waiting as f64
}

/// In no interval does more arrive of a flow than a link of this rate carries in it.
fn within_intervals(scenario: &Scenario, run: &Output, flow: u32, most: f64, waiting: f64) -> Law {
    let Some(interval) = scenario.trace.interval else { return Ok(()) };
    let Some(series) = run.table("flow_series") else { return Ok(()) };
    let rows = super::index(series, "flow").iter().zip(real(series, "goodput_bit_per_s"));
    let bits = most * 1.001 * interval.as_secs_f64() + 2.0 * LARGEST_PACKET + waiting;
    let found = rows.filter(|(of, _)| **of == flow).find(|(_, rate)| **rate * interval.as_secs_f64() > bits);
    law(found.is_none(), || {
        format!("flow {flow} carries {found:?} bit/s in an interval over a link of {most} bit/s")
    })
}

/// The rate of the widest way between two nodes; infinite where links count packets.
fn width(run: &Output, from: &str, to: &str) -> f64 {
    let links = table(run, "links");
    let rates =
        real(links, "rate_bit_per_s").iter().map(|rate| if rate.is_nan() { f64::INFINITY } else { *rate });
    let names =
        text(links, "name").iter().map(|name| name.split_once("->").expect("a link is called from->to"));
    let links: Vec<_> = names.zip(rates).collect();
    let mut widths = BTreeMap::from([(from, f64::INFINITY)]);
    loop {
        let mut changed = false;
        for ((start, end), rate) in &links {
            let through = widths.get(start).copied().unwrap_or_default().min(*rate);
            let known = widths.entry(end).or_default();
            if through > *known {
                (*known, changed) = (through, true);
            }
        }
        if !changed {
            return widths.get(to).copied().unwrap_or_default();
        }
    }
}

/// A flow of one file that has finished has delivered the file. TFRC repairs no losses, an optimistic receiver acknowledges what it
/// never gets, and with smart framing segments are not packets.
fn finished_means_delivered(scenario: &Scenario, run: &Output) -> Law {
    let flows = table(run, "flows");
    let (finish, delivered) = (real(flows, "finish_s"), count(flows, "packets_delivered"));
    let (kinds, specs) = (text(flows, "kind"), scenario.flows());
    let Some(transfers) = run.table("transfers") else { return Ok(()) };
    let sizes = count(transfers, "packets");
    for (row, flow) in super::index(transfers, "flow").iter().enumerate() {
        let flow = *flow as usize;
        let group = specs[flow].group;
        let tcp = &group.tcp.settings;
        let is_exempt = !matches!(group.application, Application::File(_))
            || kinds.get(flow) == "tfrc"
            || tcp.optimistic_acks > 0
            || tcp.smart_framing;
        law(is_exempt || finish[flow].is_nan() || delivered[flow] == sizes[row], || {
            format!("flow {flow} has finished with {} of {} packets delivered", delivered[flow], sizes[row])
        })?;
    }
    Ok(())
}
