//! One measured run in a process of its own: what it did, and what it held, as one line of JSON.
//!
//! `python -m benches` starts it, and takes the CPU time from the operating system when it ends.

use std::error::Error;
use std::fs;

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};
use serde_json::{Value, json};

/// As in the Python package.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: ackclock_memory::HugePages = ackclock_memory::HugePages;

const USAGE: &str = "usage: measure run SCENARIO.toml [KEY=VALUE]... | idle CONNECTIONS [ALGORITHM]";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run", path, ref changes @ ..] => run(path, changes)?,
        ["idle", connections] => idle(connections.parse()?, "sack")?,
        ["idle", connections, algorithm] => idle(connections.parse()?, algorithm)?,
        _ => return Err(USAGE.into()),
    };
    println!("{result}");
    Ok(())
}

/// Runs a scenario file, with values replaced.
fn run(path: &str, changes: &[&str]) -> Result<Value, Box<dyn Error>> {
    let mut scenario = Scenario::from_toml(&fs::read_to_string(path)?, &[])?;
    for change in changes {
        let (key, value) = change.split_once('=').ok_or(USAGE)?;
        scenario = scenario.with(key, value)?;
    }
    let before = status("RssAnon");
    let simulation = Simulation::new(&scenario)?;
    let set_up = cpu_seconds();
    let output = simulation.run();
    // The pages of the program's file that were read until now: a larger program has more of them, whatever it simulates.
    let (peak, program) = (status("VmHWM"), status("RssFile"));
    let data = peak.zip(program).map(|(peak, program)| peak - program);
    Ok(json!({
        "flows": scenario.flow_count(),
        "simulated_s": output.finished_at.as_secs_f64(),
        "packets": output.packets_delivered(),
        "payload_bytes": sum(&output, "bytes_delivered"),
        "events": output.events,
        "set_up_cpu_s": set_up,
        "peak_memory_bytes": peak,
        "data_bytes": data,
        "bytes_per_flow": data.zip(before).map(|(data, before)| (data - before) / u64::from(scenario.flow_count())),
    }))
}

/// Many connections in one network, each established and, after one packet, idle.
fn idle(connections: u32, algorithm: &str) -> Result<Value, Box<dyn Error>> {
    let scenario = Scenario::from_toml(
        &format!(
            r#"
            name = "idle"
            duration = "10 s"
            [[topology.graph.link]]
            from = "left"
            to = "right"
            rate = "100 Gbit/s"
            delay = "10 ms"
            [tcp]
            algorithm = "{algorithm}"
            # Established from the start, and never closed.
            handshake = false
            [[flow]]
            count = {connections}
            # A source that thinks beyond the end: one that sends a single file is gone when it has.
            size = {{ constant = "1 packets" }}
            think = {{ constant = "1 h" }}
            think_first = false
            from = "left"
            to = "right"
            start_jitter = "1 s"
            "#
        ),
        &[],
    )?;
    let before = status("RssAnon");
    let mut simulation = Simulation::new(&scenario)?;
    while !simulation.advance(u64::MAX) {}
    let after = status("RssAnon");
    let output = simulation.finish();
    Ok(json!({
        "connections": connections,
        "packets": output.packets_delivered(),
        "bytes_per_connection": after.zip(before).map(|(after, before)| (after - before) / u64::from(connections)),
    }))
}

fn sum(output: &Output, column: &str) -> u64 {
    output.table("flows").and_then(|flows| flows.count(column)).map_or(0, |values| values.iter().sum())
}

/// A quantity of memory of this process in bytes, where the system tells.
fn status(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// The CPU time this process has had, in seconds, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let statistics = fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(statistics.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}
