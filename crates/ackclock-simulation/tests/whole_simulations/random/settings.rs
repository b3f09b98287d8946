//! The keys of `[tcp]` of a random scenario.

use ackclock_simulation::scenario::SYSTEMS;
use ackclock_transport::tcp::{RECEIVER_CONTROLS, Setting, Settings};

use super::draws::Draws;

/// Lines of `[tcp]`, without the algorithm: keys that are drawn around usual values, and every other one by its declaration.
pub fn draw(draws: &mut Draws) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in USUAL {
        if draws.chance(12) {
            lines.push(format!("{key} = {}", value(draws)));
        }
    }
    for (key, _) in Settings::keys() {
        if !USUAL.iter().any(|(usual, _)| *usual == key) && draws.chance(4) {
            lines.extend(declared(draws, key).map(|value| format!("{key} = {value}")));
        }
    }
    // A control of the receiver is refused without timestamps.
    if lines.iter().any(|line| line.starts_with("receiver_control")) {
        lines.retain(|line| !line.starts_with("timestamps"));
        lines.push("timestamps = true".to_owned());
    }
    lines
}

/// A key, and how its value is drawn.
type Usual = (&'static str, fn(&mut Draws) -> String);

/// Keys whose values depend on each other or on the algorithm, or whose whole range would seldom be a run of few packets.
const USUAL: &[Usual] = &[
    ("system", |draws| format!("\"{}\"", draws.pick(SYSTEMS).name)),
    ("mss", |draws| format!("\"{} bytes\"", draws.scale(1460.0, 1.0).round())),
    ("header", |draws| format!("\"{} bytes\"", draws.pick(&[0, 20, 52, 400]))),
    ("initial_window", |draws| match draws.below(3) {
        0 => format!("\"{}\"", draws.pick(&["rfc3390", "rfc6928"])),
        _ => format!("\"{} packets\"", draws.scale(1.0, 300.0)),
    }),
    ("initial_ssthresh", |draws| format!("\"{} packets\"", draws.scale(1.0, 300.0))),
    ("receive_window", |draws| format!("\"{} packets\"", draws.scale(1.0, 300.0).round())),
    ("initial_receive_window", |draws| format!("\"{} packets\"", draws.scale(1.0, 30.0).round())),
    ("ecn", |draws| format!("\"{}\"", draws.pick(&["off", "classic", "accurate", "dctcp"]))),
    ("rearm_at_fast_retransmit", |_| "true".to_owned()),
    ("segments_per_ack", |draws| draws.pick(&[1, 3, 16, 1000]).to_string()),
    ("ack_splitting", |draws| draws.pick(&[2, 7]).to_string()),
    ("ack_delay", |draws| seconds(draws, 1e-6, 3.0)),
    ("rto_initial", |draws| seconds(draws, 1e-6, 50.0)),
    ("rto_min", |draws| seconds(draws, 1e-6, 50.0)),
    ("rto_max", |draws| seconds(draws, 1.0, 1000.0)),
    ("clock_granularity", |draws| seconds(draws, 1e-9, 1.0)),
    ("syn_timeout", |draws| seconds(draws, 1e-6, 10.0)),
    ("syn_attempts", |draws| (1 + draws.below(9)).to_string()),
    ("handshake", |draws| draws.chance(50).to_string()),
    ("dsack", |_| "true".to_owned()),
    ("frto", |_| "true".to_owned()),
    ("close_by_reset", |_| "true".to_owned()),
    ("fast_open", |_| "true".to_owned()),
];

fn seconds(draws: &mut Draws, least: f64, most: f64) -> String {
    format!("\"{:.9} s\"", draws.scale(least, most))
}

/// A value of a key by its type and range, which is seldom the default; none for a type that is not known here.
fn declared(draws: &mut Draws, key: &str) -> Option<String> {
    let mut settings = Settings::default();
    Some(match settings.setting(key)? {
        Setting::Switch(on) => (!*on).to_string(),
        Setting::Count(_, range) => {
            let (least, most) = (f64::from(*range.start()).max(1.0), f64::from(*range.end()));
            draws.scale(least, most).round().to_string()
        }
        Setting::CountOrNone(_) => draws.below(5).to_string(),
        Setting::Span(_, range) => {
            let (least, most) = (range.start().as_secs_f64().max(1e-9), range.end().as_secs_f64());
            let most = if draws.chance(90) { most.min(60.0) } else { most };
            seconds(draws, least, most)
        }
        Setting::Rate(_) => format!("\"{} bit/s\"", draws.scale(1e3, 1e8).round()),
        // No choice has this name, and the refusal says which have one.
        Setting::Name(choice) => format!("\"{}\"", draws.pick(choice.choose("").err()?)),
        Setting::ReceiverControl(_) => format!("\"{}\"", draws.pick(RECEIVER_CONTROLS).name),
        _ => return None,
    })
}
