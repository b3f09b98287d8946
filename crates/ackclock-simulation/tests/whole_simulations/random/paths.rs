//! What varies on the links of a random scenario.

use ackclock_catalogue::Entry;

use super::draws::Draws;

/// A rate that varies around `rate`, over times around `span`.
pub fn rate(draws: &mut Draws, rate: f64, span: f64) -> String {
    if draws.chance(30) {
        // About as many opportunities as there would be packets, or fewer.
        let gap = 12_000_000.0 / rate;
        let mut time = 0.0;
        let mut times: Vec<String> = Vec::new();
        for _ in 0..=draws.below(40) {
            time += gap * draws.between(0.0, 2.0);
            times.push(format!("{}", (time as u32).min(60_000)));
        }
        times.push(format!("{}", (time as u32).min(60_000) + 1));
        return format!("rate = {{ opportunities = [{}] }}", times.join(", "));
    }
    let value = |draws: &mut Draws| {
        let factor = if draws.chance(10) { 0.0 } else { draws.scale(1.0, 0.05) };
        format!("\"{} bit/s\"", (rate * factor).round())
    };
    format!("rate = {}", function(draws, span, &format!("\"{rate} bit/s\""), &value))
}

/// A delay that varies up to `delay`.
pub fn delay(draws: &mut Draws, delay: f64, span: f64) -> String {
    let value = |draws: &mut Draws| format!("\"{:.9} s\"", delay * draws.between(0.0, 1.0));
    format!(", delay = {}", function(draws, span, &format!("\"{delay:.9} s\""), &value))
}

/// A probability of loss that varies.
pub fn losses(draws: &mut Draws, span: f64) -> String {
    let value = |draws: &mut Draws| format!("{}", draws.between(0.0, 0.5));
    function(draws, span, "0.0", &value)
}

/// A function of time whose first value is given.
fn function(draws: &mut Draws, span: f64, first: &str, value: &dyn Fn(&mut Draws) -> String) -> String {
    let count = 1 + draws.below(5);
    let step = span.max(1e-4) * draws.scale(1.0, 0.01);
    if draws.chance(30) {
        let mut states = vec![first.to_owned()];
        states.extend((0..count).map(|_| value(draws)));
        let dwell = states.iter().map(|_| format!("\"{step:.9} s\"")).collect::<Vec<_>>().join(", ");
        let neighbours = draws.chance(50);
        let states = states.join(", ");
        return format!(
            "{{ markov = {{ states = [{states}], dwell = [{dwell}], neighbours = {neighbours} }} }}"
        );
    }
    let mut points = vec![format!("[\"0 s\", {first}]")];
    points.extend((1..=count).map(|at| format!("[\"{:.9} s\", {}]", step * at as f64, value(draws))));
    let kind = draws.pick(&["steps", "ramps"]);
    let every = if draws.chance(50) {
        format!(", every = \"{:.9} s\"", step * (count as f64 + draws.between(0.1, 2.0)))
    } else {
        String::new()
    };
    format!("{{ {kind} = [{}]{every} }}", points.join(", "))
}

/// Outages of a part of the time.
pub fn outage(draws: &mut Draws, span: f64) -> String {
    let (up, down) = (span.max(1e-4) * draws.scale(0.02, 1.0), span.max(1e-4) * draws.scale(0.01, 0.3));
    if draws.chance(50) {
        return format!(", outage = {{ up = \"{up:.9} s\", down = \"{down:.9} s\" }}");
    }
    let end = up + down;
    format!(", outage = {{ spans = [[\"{up:.9} s\", \"{end:.9} s\"]], every = \"{:.9} s\" }}", end + up)
}

/// An impairment. Token buckets have about the rate of the link, delays about the time of the run.
pub fn impairment(draws: &mut Draws, entry: &'static Entry, rate: f64, span: f64) -> String {
    let millis = (span * 1e3).min(1e5);
    let spec = match entry.name {
        "policer" | "shaper" => format!(
            "{}(rate={},burst={})",
            entry.name,
            (rate * draws.scale(0.1, 2.0)).max(1.0).round(),
            draws.scale(1000.0, 1e6).round()
        ),
        "aggregation" => format!("aggregation(period={})", (millis * draws.scale(1e-4, 0.1)).max(1e-3)),
        "jitter" => format!("jitter(exponential={})", (millis * draws.scale(1e-4, 0.1)).max(1e-6)),
        _ => draws.part_of(entry),
    };
    format!("\"{spec}\"")
}
