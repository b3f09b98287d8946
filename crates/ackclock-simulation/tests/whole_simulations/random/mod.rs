//! Whole scenarios drawn from bytes: every topology, queue, loss, application, transport, recovery and algorithm of the
//! catalogues, with settings from plain to extreme. A fuzzer finds bytes that matter; a test takes those of a seed.

#![expect(clippy::format_push_string, reason = "a scenario is text, and short")]

mod datagrams;
mod draws;
mod laws;
mod network;
mod paths;
mod settings;
mod traffic;

use ackclock_random::RandomStream;
use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

use self::draws::Draws;

/// The most events of a run: a scenario with more is left unfinished, which says nothing.
const MOST_EVENTS: u64 = 60_000;

/// The most steps of a run: bursts and walks over windows take more than one per event.
const MOST_STEPS: u64 = 100 * MOST_EVENTS;

/// The most packets of a run that is repeated with other recordings.
const MOST_PACKETS: u64 = 10 * MOST_EVENTS;

/// The outcome of a scenario that keeps all laws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was refused with this error.
    Refused(String),
    /// It has more than [`MOST_EVENTS`] events or [`MOST_STEPS`] steps.
    Long,
    /// It ran to its end.
    Ran,
}

/// The scenario of a seed, as TOML.
pub fn text_of_seed(seed: u64) -> String {
    let mut stream = RandomStream::new(seed, "whole simulations");
    let bytes: Vec<u8> = (0..256).flat_map(|_| stream.bits().to_be_bytes()).collect();
    text_of(&bytes)
}

/// The scenario that these bytes describe, as TOML. Zeros stand for bytes that are missing, and choose what is plain.
pub fn text_of(bytes: &[u8]) -> String {
    let draws = &mut Draws(bytes);
    let network = network::draw(draws);
    let duration = network.span * draws.between(1.0, 8.0);
    let traffic = traffic::draw(draws, &network, duration);
    let mut text = format!(
        "name = \"whole\"\nseed = {}\nduration = \"{duration:.9} s\"\nmemory_limit = \"200 MB\"\n",
        draws.below(1000)
    );
    if draws.chance(40) {
        text += &format!("warm_up = \"{:.9} s\"\n", duration * draws.between(0.0, 0.9));
    }
    text += &network.text;
    text += &traffic;
    text += &trace(draws, &network.links, duration);
    text
}

fn trace(draws: &mut Draws, links: &[String], duration: f64) -> String {
    let mut text = "[trace]\n".to_owned();
    if draws.chance(50) {
        text += &format!("interval = \"{:.9} s\"\n", duration / draws.between(1.0, 60.0));
    }
    match draws.below(6) {
        1 => text += "epoch = \"own rtt\"\n",
        2 => text += "epoch = \"common rtt\"\n",
        3 => text += &format!("epoch = \"{:.9} s\"\n", duration / draws.between(3.0, 300.0)),
        _ => {}
    }
    if draws.chance(20) {
        let first = draws.below(links.len());
        let captured = &links[first..(first + 1 + draws.below(2)).min(links.len())];
        text += &format!("packets = {captured:?}\n");
    }
    if draws.chance(5) {
        text += "qlog = true\n";
    }
    if draws.chance(15) {
        text += "one_way_delays = true\n";
    }
    for key in ["flows", "links", "transfers"] {
        if draws.chance(15) {
            text += &format!("{key} = false\n");
        }
    }
    text
}

/// Reads the scenario, writes it back, runs it twice, in steps of different sizes, and holds the results to the laws.
///
/// # Errors
/// With the law that does not hold.
pub fn check(text: &str) -> Result<Outcome, String> {
    let scenario = match Scenario::from_toml(text, &[]) {
        Ok(scenario) => scenario,
        Err(error) if error.to_string().is_empty() => return Err("an error without a text".to_owned()),
        Err(error) => return Ok(Outcome::Refused(error.to_string())),
    };
    if Scenario::from_toml(&scenario.to_toml(), &[]).as_ref() != Ok(&scenario) {
        return Err("the scenario as written back is another".to_owned());
    }
    let Some(first) = run(&scenario, MOST_EVENTS) else { return Ok(Outcome::Long) };
    let Some(second) = run(&scenario, 97) else { return Err("the second run is longer".to_owned()) };
    laws::equal(&first, &second)?;
    laws::hold(&scenario, &first)?;
    // A burst is one event, of any number of packets.
    let recordings: &[&str] =
        if first.conservation.sent < MOST_PACKETS { &["", RECORDED, "qlog = true"] } else { &[] };
    for keys in recordings {
        // Not every flow writes a qlog.
        if let Ok(other) = Scenario::from_toml(&with_trace(text, &scenario, keys), &[]) {
            laws::alike(&first, &Simulation::new(&other).unwrap().run())?;
        }
    }
    Ok(Outcome::Ran)
}

/// Keys of a trace that records series, gaps and delays, with the interval of a scenario.
const RECORDED: &str = "interval = \"INTERVAL\"\nepoch = \"own rtt\"\none_way_delays = true";

/// The text of a scenario with other keys in its trace, which is its last table if it has one.
fn with_trace(text: &str, scenario: &Scenario, keys: &str) -> String {
    let rest = text.split("[trace]").next().unwrap_or_default();
    let interval = format!("{:.9} s", scenario.duration.as_secs_f64() / 17.0);
    format!("{rest}\n[trace]\n{}\n", keys.replace("INTERVAL", &interval))
}

/// The run, this many events at a time; none if it has too many.
fn run(scenario: &Scenario, step: u64) -> Option<Output> {
    let mut simulation = Simulation::new(scenario).unwrap();
    let is_long = |run: &Simulation| run.event_count() >= MOST_EVENTS || run.steps() >= MOST_STEPS;
    while !simulation.advance(step) {
        if is_long(&simulation) {
            return None;
        }
    }
    // A look that ended early, at a long walk, leaves more than its events to the next.
    (!is_long(&simulation)).then(|| simulation.finish())
}
