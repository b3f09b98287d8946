//! The traffic of a random scenario.

use ackclock_application::ADAPTATIONS;
use ackclock_congestion::conformance::{compositions, drawn};
use ackclock_transport::Transport;
use ackclock_transport::tcp::{Recovery, Sharing};

use super::datagrams::{call, datagrams};
use super::draws::Draws;
use super::network::Network;
use super::settings;

/// Groups of flows and of datagrams, and the settings of the transports.
pub fn draw(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let mut text = format!("[tcp]\n{}[acknak]\n{}", tcp(draws).join("\n") + "\n", acknak(draws));
    for group in 0..=draws.below(3) {
        text += &flows(draws, network, duration, group);
    }
    for percent in [30, 15] {
        if draws.chance(percent) {
            text += &datagrams(draws, network, duration);
        }
    }
    for percent in [20, 15] {
        if draws.chance(percent) {
            text += &call(draws, network, duration);
        }
    }
    if draws.chance(5) {
        text += &drawn_by_the_seed(&text, draws);
    }
    if draws.chance(8) {
        text += &browsers(draws, network, duration);
    }
    if draws.chance(8) {
        text += &film(draws, network, duration);
    }
    text
}

/// Users with browsers, whose page has objects that depend on each other.
fn browsers(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let mut text = format!("[[flow]]\nname = \"reader\"\ncount = {}\n", 1 + draws.below(3));
    text += &ends(draws, network);
    text += match draws.below(4) {
        0 => "algorithm = \"sack+cubic\"\nhttp = { version = \"1.1\", connections = 3 }\n",
        1 => "algorithm = \"rack+reno\"\nhttp = \"2\"\n",
        2 => "algorithm = \"newreno\"\nhttp = { version = \"2\", tls = false }\n",
        _ => "http = \"3\"\n",
    };
    if draws.chance(60) {
        text += &format!("think = {}\n", times(draws, duration / 10.0));
    }
    if draws.chance(40) {
        text += &format!("patience = {}\n", times(draws, duration / 5.0));
    }
    text += &times_of_sending(draws, duration);
    for object in 0..=draws.below(12) {
        text += &format!(
            "[[flow.page.objects]]\nname = \"{object}\"\nsize = \"{} bytes\"\nurgency = {}\nincremental = {}\nvisual = {}\n",
            draws.scale(1.0, 100_000.0).round(),
            draws.below(8),
            draws.chance(50),
            draws.chance(50)
        );
        if object > 0 {
            text += &format!("parent = \"{}\"\n", draws.below(object));
        }
        if object > 0 && draws.chance(50) {
            text += &format!("offset = \"0 bytes\"\ndelay = \"{:.9} s\"\n", draws.scale(1e-6, 0.1));
        }
    }
    text
}

/// Keys of `[tcp]` whose values the scenario's seed draws, of those that have none.
fn drawn_by_the_seed(text: &str, draws: &mut Draws) -> String {
    let laws = [
        ("initial_window", "{ log_uniform = { from = \"1 packets\", to = \"50 packets\" } }"),
        ("receive_window", "{ choice = [\"5 packets\", \"60 packets\", \"unlimited\"] }"),
        ("ack_delay", "{ uniform = { from = \"1 ms\", to = \"500 ms\" } }"),
        ("sharing_weight", "{ uniform = { from = 0.5, to = 2.0 } }"),
    ];
    let tcp = text.split("[acknak]").next().unwrap_or_default();
    let is_free = |key: &str| !tcp.contains(&format!("\n{key} = "));
    let lines: Vec<_> = laws
        .iter()
        .filter(|(key, _)| is_free(key) && draws.chance(50))
        .map(|(key, law)| format!("{key} = {law}\n"))
        .collect();
    if lines.is_empty() { String::new() } else { format!("[draw.tcp]\n{}", lines.concat()) }
}

/// A variant: transport or recovery, slow start and avoidance or a whole controller, with parameters.
fn algorithm(draws: &mut Draws) -> String {
    if draws.chance(30) {
        let plain =
            ["newreno", "sack", "reno", "tahoe", "vegas", "rack", "cubic", "acknak", "tfrc", "bbr1", "bbr3"];
        return (*draws.pick(&plain)).to_owned();
    }
    let all = compositions();
    let composition = draws.pick(&all);
    let controller = if draws.chance(40) { drawn(composition, draws.take(24)) } else { composition.clone() };
    let recovery = draws.pick(Recovery::ENTRIES).entry.name;
    match draws.below(6) {
        0 => controller,
        1 => format!("acknak+{controller}"),
        2 => draws.part_of(&Transport::ENTRIES[1]),
        _ => format!("{recovery}+{controller}"),
    }
}

/// Lines of `[tcp]`.
fn tcp(draws: &mut Draws) -> Vec<String> {
    let mut lines = vec![format!("algorithm = \"{}\"", algorithm(draws))];
    lines.extend(settings::draw(draws));
    lines
}

/// Lines of `[acknak]`.
fn acknak(draws: &mut Draws) -> String {
    let mut text = String::new();
    if draws.chance(20) {
        text += &format!("initial_window = \"{} packets\"\n", draws.scale(1.0, 100.0));
    }
    if draws.chance(20) {
        text += &format!(
            "packet = \"{} bytes\"\nsyn_interval = \"{:.9} s\"\n",
            41 + draws.below(9000),
            draws.scale(1e-6, 3.0)
        );
    }
    if draws.chance(20) {
        text += &format!("initial_ssthresh = \"{} packets\"\n", draws.scale(1.0, 300.0));
    }
    if draws.chance(10) {
        text += &format!("syn_attempts = {}\n", 1 + draws.below(9));
    }
    if draws.chance(10) {
        text += &format!("ack = \"{} bytes\"\n", 1 + draws.below(200));
    }
    text
}

fn flows(draws: &mut Draws, network: &Network, duration: f64, group: usize) -> String {
    let mut text = format!("[[flow]]\nname = \"group{group}\"\n");
    text += &ends(draws, network);
    let mixed = draws.chance(10);
    if mixed {
        let (first, second) = (algorithm(draws), algorithm(draws));
        text += &format!(
            "algorithms = [{{ name = \"{first}\", count = {} }}, {{ name = \"{second}\", count = 1 }}]\n",
            draws.below(3)
        );
    } else if draws.chance(60) {
        text += &format!("algorithm = \"{}\"\n", algorithm(draws));
    }
    let arrivals = if !mixed && draws.chance(15) { arrivals(draws, duration) } else { String::new() };
    // A list of times has as many as there are flows.
    if !mixed && !arrivals.contains(" at = ") && draws.chance(50) {
        text += &format!("count = {}\n", 1 + draws.below(5));
    }
    let application = application(draws, network, duration);
    let sends_files = application.starts_with("packets") || application.starts_with("size");
    text += &application;
    if arrivals.is_empty() {
        text += &times_of_sending(draws, duration);
    } else {
        text += &arrivals;
        text += &stop(draws, 0.0, duration);
    }
    if draws.chance(10) {
        text += &format!("priority = {}\n", draws.below(8));
    }
    if draws.chance(15) {
        text += &format!("send_overhead = {}\n", times(draws, 0.3 * 12_000.0 / network.rate));
    }
    let (resets, shares) = (draws.chance(10), sends_files && draws.chance(15));
    if resets || shares || draws.chance(15) {
        let mut own: Vec<String> = settings::draw(draws);
        if shares {
            own.push(format!("sharing = \"{}\"", draws.pick(Sharing::NAMES)));
        }
        if resets && !own.iter().any(|line| line.starts_with("close_by_reset")) {
            own.push("close_by_reset = true".to_owned());
        }
        text += &format!("tcp = {{ {} }}\n", own.join(", "));
    }
    text
}

/// The key of flows that arrive, some of them in the run.
fn arrivals(draws: &mut Draws, duration: f64) -> String {
    let rate = draws.between(1.0, 12.0) / duration;
    let how = match draws.below(5) {
        0 => format!("{{ poisson = {{ mean_gap = \"{:.9} s\" }} }}", 1.0 / rate),
        1 => {
            let (change, other) = (duration * draws.between(0.1, 0.9), rate * draws.scale(0.1, 3.0));
            format!(
                "{{ poisson = {{ rates = [[\"0 s\", \"{rate} flows/s\"], [\"{change:.9} s\", \"{other} flows/s\"]] }} }}"
            )
        }
        2 => {
            let mut at: Vec<_> = (0..=draws.below(5)).map(|_| duration * draws.between(0.0, 1.0)).collect();
            at.sort_by(f64::total_cmp);
            let at: Vec<_> = at.iter().map(|time| format!("\"{time:.9} s\"")).collect();
            format!("{{ at = [{}] }}", at.join(", "))
        }
        _ => format!("{{ poisson = {{ rate = \"{rate} flows/s\" }} }}"),
    };
    format!("arrivals = {how}\n")
}

/// A start, a jitter and a stop.
pub fn times_of_sending(draws: &mut Draws, duration: f64) -> String {
    let (mut text, mut latest) = (String::new(), 0.0);
    for key in ["start", "start_jitter"] {
        if draws.chance(30) {
            let time = duration * draws.between(0.0, 0.9);
            text += &format!("{key} = \"{time:.9} s\"\n");
            latest += time;
        }
    }
    text + &stop(draws, latest, duration)
}

fn stop(draws: &mut Draws, latest: f64, duration: f64) -> String {
    if !draws.chance(35) {
        return String::new();
    }
    format!("stop = \"{:.9} s\"\n", latest + 1e-6 + duration * draws.between(0.0, 0.9))
}

/// The nodes that a group names, where it has to or may.
pub fn ends(draws: &mut Draws, network: &Network) -> String {
    let named = |(from, to)| match draws.below(8) {
        0 => format!("from = [\"{from}\", \"b\"]\nto = \"{to}\"\n"),
        1 => format!("from = \"{from}\"\nto = [\"{to}\", \"c\", \"b\"]\n"),
        _ => format!("from = \"{from}\"\nto = \"{to}\"\n"),
    };
    let mut text = network.ends.map_or(String::new(), named);
    if draws.chance(20) {
        text += "backward = true\n";
    }
    text
}

/// The keys that make an application.
fn application(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let think = |draws: &mut Draws| {
        let first = if draws.chance(40) { "think_first = false\n" } else { "" };
        format!("think = {}\n{first}", times(draws, duration / 10.0))
    };
    match draws.below(8) {
        0 | 1 => String::new(),
        7 => on_off(draws, network, duration),
        2 => format!("packets = {}\n", draws.scale(1.0, 2000.0).round()),
        3 => format!("size = {}\n", sizes(draws)),
        4 => {
            let patience = if draws.chance(25) {
                format!("patience = {}\n", times(draws, duration / 10.0))
            } else {
                String::new()
            };
            format!("size = {}\n{}{patience}", sizes(draws), think(draws))
        }
        5 => {
            let persistent = draws.chance(50);
            let pipelining = if persistent && draws.chance(50) {
                format!(", pipelining = true, streams = {}", draws.chance(30))
            } else {
                String::new()
            };
            let think = if draws.chance(70) { think(draws) } else { String::new() };
            let own_servers = draws.chance(30);
            format!(
                "size = {}\npool = {{ connections = {}, objects = {{ uniform = {{ from = \"0 objects\", to = \"{} objects\" }} }}, \
                 persistent = {persistent}{pipelining}, own_servers = {own_servers}, stall_after = \"{:.9} s\" }}\n{think}",
                sizes(draws),
                1 + draws.below(4),
                1 + draws.below(8),
                draws.scale(duration, duration / 1e3)
            )
        }
        _ => {
            let pause = if draws.chance(40) {
                format!(", think = {}", times(draws, duration / 20.0))
            } else {
                String::new()
            };
            let request = sizes(draws);
            let response = sizes(draws);
            let again = if draws.chance(70) { think(draws) } else { String::new() };
            format!("request = {{ size = {request} }}\nresponse = {{ size = {response}{pause} }}\n{again}")
        }
    }
}

/// A source of a rate, or of as much as the transport takes, always or in spans.
fn on_off(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let rate = if draws.chance(30) {
        "unlimited".to_owned()
    } else {
        format!("{} bit/s", (network.rate * draws.scale(0.03, 3.0)).round())
    };
    let spans = match draws.below(3) {
        0 => String::new(),
        1 => {
            let [first, second, third, fourth] =
                [0.0, 0.2, 0.4, 0.6].map(|least| duration * draws.between(least, least + 0.19));
            let every = if draws.chance(50) {
                format!(", every = \"{:.9} s\"", 0.8 * duration)
            } else {
                String::new()
            };
            format!(
                "active = {{ spans = [[\"{first:.9} s\", \"{second:.9} s\"], [\"{third:.9} s\", \"{fourth:.9} s\"]]{every} }}\n"
            )
        }
        _ => {
            // Longer than in `times`: a source of as much as the transport takes has two events in each span.
            let mut lengths = || duration * draws.scale(1e-2, 0.3);
            let (on, off) = (lengths(), lengths());
            format!(
                "on = {{ constant = \"{on:.9} s\" }}\noff = {{ exponential = {{ mean = \"{off:.9} s\" }} }}\n"
            )
        }
    };
    format!("write_rate = \"{rate}\"\n{spans}")
}

/// A distribution of sizes of files.
fn sizes(draws: &mut Draws) -> String {
    let mean = draws.scale(1.0, 300.0);
    match draws.below(7) {
        0 => format!("{{ constant = \"{} packets\" }}", mean.round()),
        1 => format!("{{ uniform = {{ from = \"1 packets\", to = \"{} packets\" }} }}", 1.0 + mean),
        2 => format!("{{ exponential = {{ mean = \"{mean} packets\" }} }}"),
        3 => format!("{{ pareto = {{ mean = \"{mean} packets\", shape = {} }} }}", draws.between(1.05, 3.0)),
        4 => format!(
            "{{ lognormal = {{ median = \"{mean} packets\", sigma = {} }} }}",
            draws.between(0.1, 2.0)
        ),
        5 => format!("{{ weibull = {{ scale = \"{mean} packets\", shape = {} }} }}", draws.between(0.4, 3.0)),
        _ => format!("{{ table = {{ packets = [1, {}], weights = [3, 1] }} }}", 2.0 + mean.round()),
    }
}

/// A distribution of times around this mean, in seconds.
pub fn times(draws: &mut Draws, mean: f64) -> String {
    match draws.below(4) {
        0 => format!("{{ constant = \"{mean:.9} s\" }}"),
        1 => format!("{{ uniform = {{ from = \"0 s\", to = \"{:.9} s\" }} }}", 2.0 * mean),
        2 => "{ constant = \"1 ns\" }".to_owned(),
        _ => format!("{{ exponential = {{ mean = \"{mean:.9} s\" }} }}"),
    }
}

/// A group of viewers of a film.
fn film(draws: &mut Draws, network: &Network, duration: f64) -> String {
    let entry = draws.pick(ADAPTATIONS);
    let segment = (duration / draws.between(3.0, 40.0)).clamp(0.1, 60.0);
    let lowest = (network.rate * draws.scale(0.01, 1.0)).clamp(1e3, 1e9).round();
    let rates = (0..=draws.below(4)).map(|quality| lowest * 2_f64.powf(quality as f64));
    let ladder: Vec<String> = rates.map(|rate| format!("\"{rate} bit/s\"")).collect();
    let mut keys = format!(
        "adaptation = \"{}\", segment = \"{segment:.9} s\", ladder = [{}], buffer = \"{:.9} s\"",
        draws.part_of(entry),
        ladder.join(", "),
        segment * draws.between(2.01, 20.0)
    );
    if draws.chance(40) {
        keys += &format!(", startup = \"{:.9} s\", resume = \"{:.9} s\"", segment, segment / 2.0);
    }
    if draws.chance(40) {
        keys += &format!(", length = \"{:.9} s\"", segment * draws.between(0.1, 30.0));
    }
    if draws.chance(40) {
        keys += &format!(", variation = {}", draws.between(0.0, 1.0));
    }
    let algorithm = draws.pick(&["reno", "cubic", "bbr3", "rack+reno"]);
    let mut text = format!("[[flow]]\nalgorithm = \"{algorithm}\"\nfilm = {{ {keys} }}\n");
    text += &ends(draws, network);
    if draws.chance(30) {
        text += &format!("count = {}\n", 1 + draws.below(3));
    }
    text + &times_of_sending(draws, duration)
}
