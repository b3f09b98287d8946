//! Extreme scenarios that are valid: each is refused with its reason, or its looks at signals and its memory are bounded.

use ackclock_network::QUEUES;
use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;

/// Events of a look, and the looks that are taken of a scenario.
const EVENTS: u64 = 1000;
const LOOKS: usize = 15;

/// The most steps of a look: those of its events, and the bursts and walks of the last sixteen, between which nothing is compared.
const MOST_STEPS: u64 = 64 * EVENTS + 16 * 2 * 16_384 * 32;

/// The most memory of those looks: a window of some thousand packets at a time, and a limit of 2 GB for all that can be estimated.
pub const MOST_MEMORY: usize = 500_000_000;

/// Scenarios of a link from a to b of `link`, with further tables.
fn over(link: &str, rest: &str) -> String {
    format!(
        "name = \"extreme\"\nduration = \"100 s\"\n[topology.graph]\nlink = [{{ from = \"a\", to = \"b\", {link} }}]\n{rest}"
    )
}

/// A flow from a to b.
fn flow(keys: &str) -> String {
    format!("[[flow]]\nfrom = \"a\"\nto = \"b\"\n{keys}\n")
}

/// Datagrams from a to b.
fn datagrams(keys: &str) -> String {
    format!("[[udp]]\nfrom = \"a\"\nto = \"b\"\n{keys}\n")
}

/// Packets in flight are not bounded where a buffer is not.
const PLAIN: &str = "rate = \"10 Mbit/s\", delay = \"10 ms\", buffer = \"1000 packets\"";
const FAST: &str = "rate = \"1000 Gbit/s\", delay = \"1000 s\", buffer = \"1000 packets\"";

/// Every queue while its link is down and ten times its rate arrives, then sources, windows, timers and recordings at their ends.
pub fn scenarios() -> Vec<String> {
    let flood = datagrams("rate = \"100 Mbit/s\"\ncount = 3") + &flow("count = 3");
    let down = |queue: &str| {
        let outage = "outage = { spans = [[\"10 ms\", \"60 s\"]] }";
        over(&format!("{PLAIN}, queue = \"{queue}\", {outage}"), &flood)
    };
    let mut all: Vec<String> = QUEUES.iter().map(|queue| down(queue.name)).collect();
    let one = |size: &str| format!("{{ constant = \"{size}\" }}");
    for rest in [
        flow("algorithm = \"sack\"\ntcp = { initial_window = \"1e9 packets\" }"),
        flow("algorithm = \"rack\"\ntcp = { initial_window = \"1e9 packets\" }"),
        flow("algorithm = \"acknak\"\nacknak = { initial_window = \"1e9 packets\" }"),
        flow(
            "algorithm = \"sack\"\ntcp = { mss = \"1 bytes\", initial_window = \"1e6 packets\", ack_splitting = 1000 }",
        ),
        flow("algorithm = \"tfrc\"\ncount = 1000"),
        flow("tcp = { rto_min = \"1 us\", rto_initial = \"1 us\", rto_max = \"1 us\" }"),
        flow("tcp = { clock_granularity = \"1000000 s\" }"),
        flow("count = 200000\npackets = 1"),
        flow("send_overhead = { constant = \"1 ns\" }"),
        flow(&format!("size = {}\nthink = {}\nthink_first = false", one("1 packet"), one("0 s"))),
        flow(&format!(
            "request = {{ size = {} }}\nresponse = {{ size = {} }}\nthink = {}",
            one("1 packet"),
            one("1 packet"),
            one("0 s")
        )),
        flow(&format!(
            "packets = 1\npool = {{ connections = 1, objects = {}, persistent = true, pipelining = true }}",
            one("100000 objects")
        )),
        flow(&format!(
            "packets = 1\npool = {{ connections = 1000, objects = {} }}\nthink = {}",
            one("100000 objects"),
            one("0 s")
        )),
        datagrams("rate = \"1000 Gbit/s\""),
        datagrams("rate = \"80 Gbit/s\"\npattern = \"poisson\""),
        datagrams(&format!("rate = \"1 Gbit/s\"\non = {}\noff = {}", one("1 ns"), one("1 ns"))),
        datagrams("rate = \"1 Gbit/s\"\npacket = \"28 bytes\"\nmessage = \"4 GB\""),
        datagrams("rate = \"1 Gbit/s\"\ncount = 100000"),
        flow("") + "[trace]\ninterval = \"1 ns\"\n",
        flow("") + "[trace]\nepoch = \"1 ns\"\n",
    ] {
        all.push(over(PLAIN, &rest));
    }
    all.push(over(FAST, &flow("algorithm = \"sack\"\ntcp = { initial_window = \"1e9 packets\" }")));
    all.push(over(FAST, &datagrams("rate = \"1000 Gbit/s\"")));
    let varying =
        "rate = { markov = { states = [\"1 Mbit/s\", \"1 Gbit/s\"], dwell = [\"1 ns\", \"1 ns\"] } }";
    all.push(over(&format!("{varying}, delay = \"10 ms\""), &flow("")));
    for impairments in
        ["jitter(exponential=100000)", "duplication(probability=1)", "aggregation(period=0.001)"]
    {
        all.push(over(&format!("{PLAIN}, impairments = [\"{impairments}\"]"), &flood));
    }
    all
}

/// Runs some looks of a scenario, and holds them to their bound. A refusal says why.
pub fn look(text: &str) {
    let scenario = match Scenario::from_toml(text, &[]) {
        Ok(scenario) => scenario,
        Err(error) => return assert!(error.to_string().contains("found"), "{error}\n{text}"),
    };
    let mut simulation = Simulation::new(&scenario).unwrap();
    let mut before = 0;
    for look in 0..LOOKS {
        let is_over = simulation.advance(EVENTS);
        let steps = simulation.steps() - before;
        assert!(steps <= MOST_STEPS, "{steps} steps in look {look}:\n{text}");
        before = simulation.steps();
        if is_over {
            return;
        }
    }
}
