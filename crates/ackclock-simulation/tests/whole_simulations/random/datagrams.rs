//! The datagrams and calls of a random scenario.

use ackclock_congestion::media;

use super::draws::Draws;
use super::network::Network;
use super::traffic::{ends, times, times_of_sending};

/// A group of datagrams.
pub fn datagrams(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let load = if draws.chance(15) { draws.scale(3.0, 30.0) } else { draws.scale(0.3, 3.0) };
    let mut text = format!("[[udp]]\nrate = \"{} bit/s\"\n", (network.rate * load).clamp(1.0, 5e10).round());
    text += &ends(draws, network);
    if draws.chance(20) {
        text += &format!("count = {}\n", 1 + draws.below(3));
    }
    if draws.chance(30) {
        text += "pattern = \"poisson\"\n";
    }
    if draws.chance(30) {
        let (on, off) = (duration * draws.scale(1e-4, 0.3), duration * draws.scale(1e-4, 0.3));
        text += &format!("on = {}\noff = {}\n", times(draws, on), times(draws, off));
    }
    if draws.chance(20) {
        text += "call = true\n";
    }
    if draws.chance(40) {
        text += &format!("packet = \"{} bytes\"\n", 28 + draws.below(3000));
    }
    if draws.chance(25) {
        text += &format!("message = \"{} bytes\"\n", 28 + draws.below(9000));
    }
    if draws.chance(15) {
        text += &format!("ecn = \"{}\"\n", draws.pick(&["ect0", "ect1"]));
    }
    if draws.chance(10) {
        text += &format!("priority = {}\n", draws.below(8));
    }
    if draws.chance(10) {
        text += &sharing(draws, network.rate);
    }
    text += &times_of_sending(draws, duration);
    text
}

/// A group of calls.
pub fn call(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let highest = (network.rate * draws.scale(0.3, 3.0)).clamp(1e4, 1e8).round();
    let least = (highest * draws.between(0.01, 1.0)).ceil();
    let entry = draws.pick(media::ENTRIES);
    let algorithm = draws.part_of(entry);
    let mut text = format!(
        "[[call]]\nalgorithm = \"{algorithm}\"\nmin_rate = \"{least} bit/s\"\nmax_rate = \"{highest} bit/s\"\n"
    );
    text += &ends(draws, network);
    let mut may = |line: &dyn Fn(&mut Draws) -> String| {
        if draws.chance(25) {
            text += &line(draws);
        }
    };
    may(&|draws| format!("count = {}\n", 1 + draws.below(3)));
    may(&|draws| format!("start_rate = \"{} bit/s\"\n", draws.between(least, highest).round()));
    may(&|draws| format!("priority = {}\n", draws.below(8)));
    may(&|draws| format!("frame_rate = {}\n", draws.between(1.0, 100.0)));
    may(&|draws| format!("encoder_lag = \"{:.9} s\"\n", draws.scale(1e-3, 3.0)));
    may(&|draws| format!("variation = {}\n", draws.between(0.0, 1.0)));
    may(&|draws| {
        format!("key_size = {}\nkey_interval = {}\n", draws.between(1.0, 20.0), 2 + draws.below(100))
    });
    may(&|draws| format!("packet = \"{} bytes\"\n", 100 + draws.below(9000)));
    may(&|draws| format!("ecn = \"{}\"\n", draws.pick(&["ect0", "ect1"])));
    may(&|draws| format!("feedback_interval = \"{:.9} s\"\n", draws.scale(1e-3, 3.0)));
    may(&|draws| format!("jitter_buffer = \"{:.9} s\"\n", draws.scale(1e-3, 3.0)));
    may(&|draws| {
        let from = duration * draws.between(0.0, 0.8);
        format!(
            "pauses = [[\"{from:.9} s\", \"{:.9} s\"]]\n",
            from + 1e-6 + duration * draws.between(0.0, 0.3)
        )
    });
    text + &times_of_sending(draws, duration)
}

/// A place in the macroflow of a Congestion Manager, of sources that choose among layers, some of them.
fn sharing(draws: &mut Draws, rate: f64) -> String {
    let mut text = "sharing = \"congestion-manager\"\n".to_owned();
    if draws.chance(50) {
        text += &format!("sharing_weight = {}\n", draws.scale(0.1, 10.0));
    }
    if draws.chance(50) {
        let layers: Vec<_> = (1..=1 + draws.below(4))
            .map(|layer| format!("\"{} bit/s\"", rate * layer as f64 / 3.0))
            .collect();
        text += &format!("layers = [{}]\n", layers.join(", "));
    }
    if draws.chance(30) {
        text += &format!("rate_thresholds = [{}, {}]\n", draws.between(0.1, 1.0), draws.between(1.0, 3.0));
    }
    text
}
