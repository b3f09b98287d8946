//! The network of a random scenario.

use ackclock_network::{IMPAIRMENTS, QUEUES, TUNNELS};
use ackclock_simulation::scenario::PATHS;

use super::paths;

use super::draws::Draws;

/// A network, and its facts that traffic is drawn by.
pub struct Network {
    /// Its tables as TOML.
    pub text: String,
    /// The names of some of its link directions.
    pub links: Vec<String>,
    /// The ends of flows that have to name them.
    pub ends: Option<(&'static str, &'static str)>,
    /// The rate of its main link in bits per second.
    pub rate: f64,
    /// A time in which some hundreds of packets cross that link, in seconds.
    pub span: f64,
}

/// A network of few nodes.
pub fn draw(draws: &mut Draws) -> Network {
    let rate = draws.scale(1e9, 2e4).round();
    let delay = if draws.chance(10) { 0.0 } else { draws.scale(1e-3, 0.5) };
    let packets = draws.scale(100.0, 1500.0);
    let span = (packets * 12_000.0 / rate).max(delay * draws.between(1.0, 12.0)).min(60.0);
    let main = link(draws, rate, delay, span);
    let mut beside = |factor: f64| {
        let rate = (rate * draws.between(factor, 10.0 * factor)).min(1e11).round();
        let delay = draws.scale(1e-3, 1e-5);
        link(draws, rate, delay, span)
    };
    let (first, second) = (beside(2.0), beside(0.5));
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let mut ends = None;
    let (text, links) = match draws.below(5) {
        0 => {
            let exit = if draws.chance(30) { format!("exit = {second}\n") } else { String::new() };
            let pairs = 1 + draws.below(4);
            let text = format!(
                "[topology.dumbbell]\npairs = {pairs}\nbottleneck = {main}\naccess = {first}\n{exit}"
            );
            (text, named(&["left->right", "right->left", "src1->left", "right->dst1"]))
        }
        1 => {
            let hops = 1 + draws.below(4);
            let text = format!("[topology.parking_lot]\nhops = {hops}\nlink = {main}\naccess = {first}\n");
            (text, named(&["r0->r1", "src0->r0", "r1->r0"]))
        }
        2 => {
            let hosts = 2 + draws.below(5);
            let receiver = if draws.chance(50) { format!("receiver = {second}\n") } else { String::new() };
            let text = format!("[topology.star]\nhosts = {hosts}\nlink = {main}\n{receiver}");
            (text, named(&["h2->switch", "switch->h1"]))
        }
        3 => {
            let shape = *draws.pick(&["ring", "mesh"]);
            let host = if draws.chance(50) {
                format!("host = {{ count = 2, link = {main} }}\n")
            } else {
                String::new()
            };
            let count = 1 + draws.below(4);
            let text = format!(
                "[topology.three_tier]\nbackbone = {{ count = {count}, shape = \"{shape}\", link = {first} }}\n\
                 pop = {{ count = 2, link = {second} }}\naccess = {{ count = 2, link = {main} }}\n{host}"
            );
            (text, named(&["b1.p1->b1", "b1->b1.p1", "b1.p1.a1->b1.p1"]))
        }
        _ => {
            ends = Some(("a", "d"));
            if draws.chance(30) {
                let seed = draws.below(1000);
                let links =
                    [("a", "b", first), ("b", "d", main.clone()), ("a", "c", second), ("c", "d", main)];
                (graph(&links) + &format!("ecmp_seed = {seed}\n"), named(&["b->d", "d->c", "a->c"]))
            } else {
                (
                    graph(&[("a", "b", first), ("b", "c", main), ("c", "d", second)]),
                    named(&["b->c", "c->b", "c->d"]),
                )
            }
        }
    };
    Network { text, links, ends, rate, span }
}

/// A chain, as a graph.
fn graph(links: &[(&str, &str, String)]) -> String {
    let link = |(from, to, keys): &(&str, &str, String)| {
        format!("{{ from = \"{from}\", to = \"{to}\", {}", keys.trim_start_matches("{ "))
    };
    format!("[topology.graph]\nlink = [{}]\n", links.iter().map(link).collect::<Vec<_>>().join(", "))
}

/// A link with its queue, its losses and its backward direction.
fn link(draws: &mut Draws, rate: f64, delay: f64, span: f64) -> String {
    if draws.chance(4) {
        return format!(
            "{{ path = \"{}\", buffer = \"{} packets\" }}",
            draws.pick(PATHS).name,
            1 + draws.below(300)
        );
    }
    let mut keys = direction(draws, rate, delay, span);
    if draws.chance(20) {
        let factor = draws.scale(1.0, 0.02);
        let backward = direction(draws, (rate * factor).max(1e3).round(), delay, span);
        keys += &format!(", reverse = {{ {backward} }}");
    }
    format!("{{ {keys} }}")
}

fn direction(draws: &mut Draws, rate: f64, delay: f64, span: f64) -> String {
    let varies = draws.chance(20);
    let mut keys = if draws.chance(8) {
        format!("rate = \"{} packets/s\"", (rate / 12_000.0).max(0.5))
    } else if varies {
        paths::rate(draws, rate, span)
    } else {
        format!("rate = \"{rate} bit/s\"")
    };
    let is_trace = keys.contains("opportunities");
    if varies && draws.chance(40) {
        keys += &paths::delay(draws, delay, span);
    } else {
        keys += &format!(", delay = \"{delay:.9} s\"");
    }
    if !varies && draws.chance(10) {
        keys += &paths::outage(draws, span);
    }
    let queue = if draws.chance(60) { draws.pick(QUEUES) } else { &QUEUES[0] };
    let is_droptail = queue.name == "droptail";
    let packets = draws.scale(1.0, 200.0).round();
    let buffer = match draws.below(6) {
        _ if queue.name == "flow-proportional" => "unlimited".to_owned(),
        0 => format!("{packets} packets"),
        1 => format!("{} bytes", packets * 700.0),
        2 if draws.chance(30) => {
            format!("{packets} packets, {} bytes", packets * draws.scale(1500.0, 100.0).round())
        }
        2 => format!("{}% bdp", draws.scale(5.0, 400.0)),
        3 if !varies => format!("{:.9} s", draws.scale(1e-4, 1.0)),
        4 if is_droptail && !varies => "0 packets".to_owned(),
        _ => "unlimited".to_owned(),
    };
    keys += &format!(", buffer = \"{buffer}\"");
    keys += &format!(", queue = \"{}\"", draws.part_of(queue));
    if is_droptail && draws.chance(15) {
        keys += &format!(", ecn_threshold = \"{} packets\"", draws.below(20));
    }
    if draws.chance(25) {
        keys += &format!(", loss = {}", loss(draws, span));
    }
    if varies {
        if !is_trace && draws.chance(30) {
            keys += &paths::outage(draws, span);
        }
        let decides_on_arrival = ["droptail", "red", "pie"].contains(&queue.name);
        let chosen: Vec<_> = (0..draws.below(4))
            .map(|_| draws.pick(IMPAIRMENTS))
            .filter(|entry| decides_on_arrival || entry.name != "thinning")
            .collect();
        let chosen: Vec<String> =
            chosen.into_iter().map(|entry| paths::impairment(draws, entry, rate, span)).collect();
        keys += &format!(", impairments = [{}]", chosen.join(", "));
        if draws.chance(25) {
            let tunnel = draws.pick(TUNNELS);
            keys += &format!(", tunnel = \"{}\"", draws.part_of(tunnel));
        }
    }
    keys
}

fn loss(draws: &mut Draws, span: f64) -> String {
    let rare = draws.scale(1e-3, 0.3);
    match draws.below(5) {
        0 => format!("{{ bernoulli = {rare} }}"),
        1 => {
            let chances = if draws.chance(50) {
                format!(", loss_good = {}, loss_bad = {}", draws.between(0.0, 0.1), draws.between(0.1, 1.0))
            } else {
                String::new()
            };
            format!(
                "{{ gilbert_elliott = {{ good_to_bad = {rare}, bad_to_good = {}{chances} }} }}",
                draws.between(0.1, 1.0)
            )
        }
        2 => {
            let at = 1 + draws.below(30);
            format!("{{ scripted = {{ flow = 0, packets = [{at}, {}, {}] }} }}", at + 1, at + draws.below(30))
        }
        3 => format!("{{ schedule = {} }}", paths::losses(draws, span)),
        _ => format!("{{ bernoulli = {} }}", draws.pick(&[0.0, 1.0])),
    }
}
