//! Connections that come and go leave no memory behind: what a flow takes does not grow with the files it has sent, and
//! flows that send one file take it while they live.

#![expect(unsafe_code, reason = "an allocator that counts is the only one who knows")]

#[path = "allocations/extremes.rs"]
mod extremes;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use ackclock_network::{Drr, FqCodel, FqPie, Queue, Sfq};
use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;
use ackclock_units::{Duration, Time};

/// The system's allocator, counting the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    fn add(bytes: usize) {
        let in_use = IN_USE.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MOST.fetch_max(in_use, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::add(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        Counting::add(size);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn scenario(algorithm: &str, flows: u32) -> Scenario {
    let text = format!(
        r#"
        name = "many"
        duration = "100 s"
        [topology.three_tier]
        backbone = {{ count = 3, link = {{ rate = "10 Gbit/s", delay = "2 ms" }} }}
        pop = {{ count = 2, link = {{ rate = "10 Gbit/s", delay = "1 ms" }} }}
        access = {{ count = 2, link = {{ rate = "10 Gbit/s", delay = "1 ms" }} }}
        [tcp]
        algorithm = "{algorithm}"
        [[flow]]
        count = {flows}
        size = {{ exponential = {{ mean = "10 packets" }} }}
        think = {{ exponential = {{ mean = "1 s" }} }}
        [trace]
        transfers = false
        "#
    );
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn advance_to(simulation: &mut Simulation, time: Time) {
    while simulation.now() < time && !simulation.advance(1) {}
}

const FLOWS: u32 = 2000;

/// A simulation, and its bytes per flow, spare room of lists included: what as many flows more take. The network and its room for
/// the first packets are there for any number of flows.
fn new_simulation(algorithm: &str) -> (Simulation, usize) {
    let made = |flows| {
        let scenario = scenario(algorithm, flows);
        let before = IN_USE.load(Ordering::Relaxed);
        let simulation = Simulation::new(&scenario).unwrap();
        (simulation, IN_USE.load(Ordering::Relaxed) - before)
    };
    let (_, twice) = made(2 * FLOWS);
    let (simulation, once) = made(FLOWS);
    (simulation, (twice - once) / FLOWS as usize)
}

/// One test, since the count is of the whole process.
#[test]
fn memory_is_bounded_per_flow_and_does_not_grow_with_time() {
    // The avoidances that are compared by networks of a hundred thousand flows.
    for avoidance in ["reno", "bic", "compound", "cubic", "fast", "hstcp", "htcp", "scalable"] {
        let (_, per_flow) = new_simulation(&format!("acknak+limited-mesonet+{avoidance}"));
        // The row of the tables is among them, 112 bytes.
        assert!(per_flow < 1024, "{avoidance}: {per_flow} bytes per flow");
        println!("{avoidance}: {per_flow} bytes per flow");
    }
    for (algorithm, most) in [("acknak", 768), ("sack", 1536)] {
        let (mut simulation, per_flow) = new_simulation(algorithm);
        assert!(per_flow < most, "{algorithm}: {per_flow} bytes per flow");
        advance_to(&mut simulation, Time::ZERO + Duration::from_secs(20));
        let early = IN_USE.load(Ordering::Relaxed);
        advance_to(&mut simulation, Time::ZERO + Duration::from_secs(100));
        let late = IN_USE.load(Ordering::Relaxed);
        // Four times as many files later: rare large windows may still have made a queue longer.
        assert!(late < early + early / 20, "{algorithm}: {early} bytes after 20 s, {late} after 100 s");
        println!("{algorithm}: {per_flow} bytes per flow, {early} and {late} bytes after 20 and 100 s");
    }
    files_take_memory_while_they_live();
    the_memory_of_queues_is_what_they_say();
    runs_take_the_memory_that_is_estimated();
    extremes_take_bounded_memory();
}

/// A thousand files a second, each of which takes a second and a half until its last timer has run off: those that live at
/// one time have connections, the others a row and a start.
fn files_take_memory_while_they_live() {
    const FILES: usize = 20_000;
    const LIVING: usize = 1500;
    let scenario = Scenario::from_toml(
        &format!(
            r#"
            name = "files"
            duration = "22 s"
            warm_up = "10 s"
            [[topology.graph.link]]
            from = "left"
            to = "right"
            rate = "10 Gbit/s"
            delay = "25 ms"
            [[flow]]
            count = {FILES}
            packets = 10
            start_jitter = "20 s"
            from = "left"
            to = "right"
            [trace]
            transfers = false
            "#
        ),
        &[],
    );
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let before = IN_USE.load(Ordering::Relaxed);
    let mut simulation = Simulation::new(&scenario).unwrap();
    let begun = IN_USE.load(Ordering::Relaxed) - before;
    let mut most = 0;
    for second in 1..=22 {
        advance_to(&mut simulation, Time::ZERO + Duration::from_secs(second));
        most = most.max(IN_USE.load(Ordering::Relaxed) - before);
    }
    let output = simulation.finish();
    assert_eq!(output.packets_delivered(), 10 * FILES as u64);
    println!(
        "{} bytes per file at the beginning, {} more for each that lives",
        begun / FILES,
        (most - begun) / LIVING
    );
    assert!(begun < 272 * FILES, "{} bytes per file before the first arrives", begun / FILES);
    assert!(most - begun < 1024 * LIVING, "{} bytes for {LIVING} that live", most - begun);
}

/// The estimate that `memory_limit` is held against counts each bucket with its place in the order of service and among
/// the backlogs.
fn the_memory_of_queues_is_what_they_say() {
    const BUCKETS: u32 = 1 << 16;
    let queues = [
        ("sfq = { buckets =", Queue::Sfq(Sfq { buckets: BUCKETS, ..Sfq::default() })),
        ("fq-pie = { flows =", Queue::FqPie(FqPie { flows: BUCKETS, ..FqPie::default() })),
        ("drr = { flows =", Queue::Drr(Drr { flows: BUCKETS, ..Drr::default() })),
        ("fq-codel = { flows =", Queue::FqCodel(FqCodel { flows: BUCKETS, ..FqCodel::default() })),
    ];
    for (key, queue) in queues {
        let taken = |buckets: u32| {
            let text = format!(
                "name = \"queue\"\nduration = \"1 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\n\
                 rate = \"1 Gbit/s\"\ndelay = \"1 ms\"\nqueue = {{ {key} {buckets} }} }}\n[[flow]]\nfrom = \"a\"\nto = \"b\""
            );
            let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
            let before = IN_USE.load(Ordering::Relaxed);
            let simulation = Simulation::new(&scenario).unwrap();
            let after = IN_USE.load(Ordering::Relaxed);
            drop(simulation);
            (after - before) as f64
        };
        let (found, said) = (taken(BUCKETS) - taken(1), 2.0 * queue.memory() as f64);
        // Both directions have the queue.
        assert!((found / said - 1.0).abs() < 0.01, "{key} {BUCKETS}: {found} bytes, {said} said");
    }
}

/// Within a factor of two. The link is slow, so that few packets are in flight.
fn runs_take_the_memory_that_is_estimated() {
    let file = "count = 20000\npackets = 1\nstart_jitter = \"19 s\"";
    let sampled = "[trace]\ninterval = \"10 ms\"";
    for (what, source, trace) in [
        ("TCP flows", "[[flow]]\ncount = 2000\n", ""),
        ("ACK/NAK flows", "[[flow]]\ncount = 2000\nalgorithm = \"acknak\"", ""),
        ("TFRC flows", "[[flow]]\ncount = 1000\nalgorithm = \"tfrc\"", ""),
        ("datagrams", "[[udp]]\ncount = 1000\nrate = \"1 kbit/s\"", ""),
        ("files", &format!("[[flow]]\n{file}"), ""),
        ("files kept", &format!("[[flow]]\n{file}"), "[trace]\nepoch = \"1 s\""),
        (
            "pools",
            "[[flow]]\ncount = 100\npackets = 10\nthink = { exponential = { mean = \"9 s\" } }\npool = { connections = 20 }",
            "",
        ),
        (
            "requests",
            "[[flow]]\ncount = 1000\nrequest = { size = { constant = \"2 packets\" } }\nresponse = { size = { constant = \"2 packets\" } }",
            "",
        ),
        ("samples of CUBIC", "[[flow]]\ncount = 40\nalgorithm = \"cubic\"", sampled),
        ("samples of BBR", "[[flow]]\ncount = 40\nalgorithm = \"bbr3\"", sampled),
        ("samples of links", "[[flow]]\ncount = 40", "[trace]\ninterval = \"100 us\"\nflows = false"),
    ] {
        let text = format!(
            "name = \"memory\"\nduration = \"20 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\n\
             rate = \"50 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"20 packets\"\n{source}\nfrom = \"a\"\nto = \"b\"\n{trace}"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let before = IN_USE.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let output = Simulation::new(&scenario).unwrap().run();
        let taken = (MOST.load(Ordering::Relaxed) - before) as f64;
        drop(output);
        let said = scenario.memory_estimate().get() as f64;
        println!("{what}: {taken} bytes for {said}, {:.2}", taken / said);
        assert!((0.5..=2.0).contains(&(taken / said)), "{what}: {taken} bytes, {said} estimated");
    }
}

fn extremes_take_bounded_memory() {
    let scenarios = extremes::scenarios();
    assert!(scenarios.len() >= 40, "{} scenarios", scenarios.len());
    for text in scenarios {
        let before = IN_USE.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        extremes::look(&text);
        let taken = MOST.load(Ordering::Relaxed).saturating_sub(before);
        assert!(taken <= extremes::MOST_MEMORY, "{taken} bytes:\n{text}");
    }
}
