//! Calls under congestion control: the expectations of RFC 8867, section 5, for NADA, and packets by hand.

use std::fs;
use std::path::Path;

use ackclock_congestion::media::MediaSpec;
use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::stack::NoStacks;
use ackclock_simulation::{Column, CustomControllers, CustomMedia, Output, Simulation, Table};

/// The built-in scenario after a test case of RFC 8867.
fn case(name: &str) -> Output {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/rmcat-{name}.toml"));
    run(&fs::read_to_string(file).unwrap())
}

fn run(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

/// The mean goodput of a flow between two times, in bit/s.
fn rate(output: &Output, flow: u32, from: f64, to: f64) -> f64 {
    let series = output.table("flow_series").unwrap();
    let (times, rates) = (series.real("time_s").unwrap(), series.real("goodput_bit_per_s").unwrap());
    let Some(Column::Index(flows)) = series.column("flow") else { panic!("no flows") };
    let within =
        (0..times.len()).filter(|row| flows[*row] == flow && times[*row] > from && times[*row] <= to);
    let found: Vec<f64> = within.map(|row| rates[row]).collect();
    found.iter().sum::<f64>() / found.len() as f64
}

fn calls(output: &Output) -> &Table {
    output.table("calls").unwrap()
}

fn real(output: &Output, column: &str) -> Vec<f64> {
    calls(output).real(column).unwrap().to_vec()
}

/// Jain's index.
fn fairness(rates: &[f64]) -> f64 {
    let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|rate| rate * rate).sum::<f64>());
    sum * sum / (rates.len() as f64 * squares)
}

/// 5.1: the rate follows the capacity of 1, 2.5, 0.6 and 1 Mbit/s, up to the encoder's 1.5 Mbit/s, without a standing queue: half of the packets
/// wait less than 30 ms beyond the 60 ms of a packet of its own.
#[test]
fn the_rate_follows_the_capacity() {
    let output = case("variable-capacity");
    for (from, to, capacity) in
        [(10.0, 40.0, 1e6), (50.0, 60.0, 1.5e6), (65.0, 80.0, 0.6e6), (90.0, 100.0, 1e6)]
    {
        let share = rate(&output, 0, from, to) / capacity;
        assert!((0.7..=1.0).contains(&share), "{from} to {to} s: {share} of the capacity");
    }
    let [loss, delay] = [real(&output, "loss")[0], real(&output, "delay_p50_s")[0]];
    assert!(loss < 0.01 && delay < 0.09, "{loss} lost, {delay} s");
}

/// 5.2: two calls share the capacity of 4, 2, 3.5, 1 and 2 Mbit/s equally.
#[test]
fn two_calls_share_a_capacity_that_varies() {
    let output = case("variable-capacity-shared");
    for (from, to, capacity) in
        [(40.0, 50.0, 2e6), (65.0, 75.0, 3e6), (90.0, 100.0, 1e6), (115.0, 125.0, 2e6)]
    {
        let rates = [0, 1].map(|call| rate(&output, call, from, to));
        let share = (rates[0] + rates[1]) / capacity;
        assert!((0.6..=1.0).contains(&share), "{from} to {to} s: {share} of the capacity");
        assert!(fairness(&rates) > 0.95, "{from} to {to} s: {rates:?}");
    }
}

/// 5.3: the calls work while each delays the reports of the other, and none takes a lost report for congestion that starves it.
#[test]
fn a_congested_way_of_the_reports_starves_nobody() {
    let output = case("congested-feedback");
    assert!(rate(&output, 0, 10.0, 20.0) > 0.6 * 1.5e6);
    assert!(rate(&output, 0, 50.0, 60.0) > 0.6 * 0.5e6);
    assert!(rate(&output, 1, 45.0, 70.0) > 0.6 * 0.8e6);
    assert!(rate(&output, 0, 85.0, 100.0) > 0.6 * 1.5e6);
}

/// 5.4: three calls that begin one after the other have a third each, and the link is used.
#[test]
fn calls_make_room_for_another() {
    let output = case("competing-calls");
    let rates = [0, 1, 2].map(|call| rate(&output, call, 90.0, 120.0));
    let share = rates.iter().sum::<f64>() / 3.5e6;
    assert!(fairness(&rates) > 0.97 && (0.8..=1.0).contains(&share), "{rates:?}");
    assert!(real(&output, "loss").iter().all(|loss| *loss < 0.01));
}

/// 5.5: calls of 10 to 150 ms one way have like rates.
#[test]
fn long_paths_have_their_share() {
    let output = case("round-trip-fairness");
    let rates: Vec<f64> = (0..5).map(|call| rate(&output, call, 200.0, 300.0)).collect();
    assert!(fairness(&rates) > 0.95, "{rates:?}");
}

/// 5.6: neither the call nor the TCP flow starves: each has a tenth of the link or more.
#[test]
fn a_call_and_a_download_live_together() {
    let output = case("long-tcp");
    let rates = [0, 1].map(|flow| rate(&output, flow, 30.0, 120.0));
    assert!(rates.iter().all(|rate| *rate > 0.2e6), "{rates:?}");
}

/// 5.7: short transfers do not starve calls.
#[test]
fn calls_beside_short_transfers_keep_a_part() {
    let output = case("short-tcp");
    assert!(real(&output, "rate_bit_per_s").iter().all(|rate| *rate > 0.2e6));
}

/// 5.8: the others take the room of a call that pauses from 40 to 60 s, and it has its third again afterwards. The pause is no freeze.
#[test]
fn a_pause_leaves_its_room_and_takes_it_back() {
    let output = case("pause");
    assert!(rate(&output, 0, 45.0, 60.0) < 1.0);
    let (before, during) = (rate(&output, 1, 30.0, 40.0), rate(&output, 1, 50.0, 60.0));
    assert!(during > 1.1 * before, "from {before} to {during}");
    let rates = [0, 1, 2].map(|call| rate(&output, call, 90.0, 120.0));
    assert!(fairness(&rates) > 0.97, "{rates:?}");
    assert_eq!(real(&output, "stalls"), [0.0; 3]);
}

/// A call of 800 kbit/s at 25 frames a second: 4000 bytes in four packets of 1000 over 10 Mbit/s and 10 ms, paced at twice the rate,
/// so 5 ms apart: 0.8 ms and 10 ms of delay each, and the frame is complete after 15 ms and that.
fn steady(keys: &str, link: &str) -> Output {
    run(&format!(
        "name = \"x\"\nduration = \"10 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\n\
         delay = \"10 ms\"\n{link}\n[[call]]\nfrom = \"a\"\nto = \"b\"\nalgorithm = \"constant(rate=800000)\"\n\
         frame_rate = 25\npacket = \"1000 bytes\"\n{keys}\n"
    ))
}

#[test]
fn a_constant_call_is_as_calculated_by_hand() {
    let output = steady("", "");
    for (column, expected) in
        [("delay_min_s", 0.0108), ("delay_p98_s", 0.0108), ("frame_delay_p95_s", 0.0258), ("loss", 0.0)]
    {
        let found = real(&output, column)[0];
        assert!((found - expected).abs() < 1e-6, "{column}: {found}");
    }
    // The last frame leaves at 9.96 s. Its last two packets leave at 9.97 and 9.975 s, and all arrive.
    assert_eq!(calls(&output).count("packets_delivered"), Some(&[1000][..]));
    // One more is encoded at the end of the run itself.
    assert_eq!(calls(&output).count("frames"), Some(&[251][..]));
    assert_eq!(calls(&output).count("frames_shown"), Some(&[250][..]));
    assert!((real(&output, "rate_bit_per_s")[0] - 800e3).abs() < 2e3);
    // A report every 100 ms: 28 bytes of IP and UDP, 20 of RTCP, 2 for each packet.
    let links = output.table("links").unwrap();
    let [reports, bytes] =
        ["packets_forwarded", "bytes_forwarded"].map(|column| links.count(column).unwrap()[1]);
    assert!((98..=101).contains(&reports), "{reports} reports");
    // All thousand packets but the latest, and at most half a word of padding each.
    let packets = bytes - 48 * reports;
    assert!((2 * 980..=2 * 1000 + 2 * reports).contains(&packets), "{bytes} bytes");
}

/// A congestion control of the caller's own, under a name that the catalogue does not have, is asked for what it decides.
#[test]
fn the_callers_own_congestion_control_runs_a_call() {
    let text = "name = \"x\"\nduration = \"10 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\n\
                delay = \"10 ms\"\n[[call]]\nfrom = \"a\"\nto = \"b\"\nalgorithm = \"own\"\nframe_rate = 25\npacket = \"1000 bytes\"\n";
    let scenario = Scenario::from_toml(text, &["own".to_owned()]).unwrap();
    let make: CustomMedia<'_> = &|name, start| {
        assert_eq!((name, start.mss), ("own", 1000));
        "constant(rate=800000)".parse::<MediaSpec>().unwrap().build(start)
    };
    let none: CustomControllers<'_> = &|_, _| unreachable!("no TCP");
    let output = Simulation::with_media(&scenario, &["own"], (none, make), &NoStacks).unwrap().run();
    assert!((real(&output, "rate_bit_per_s")[0] - 800e3).abs() < 2e3);
    let error = Simulation::new(&scenario).err().unwrap();
    assert_eq!(error.key.as_deref(), Some("call.0.algorithm"));
}

/// Packets 41 to 56 are four frames of four packets: a gap of 200 ms between frames is a freeze, since 3 * 40 and 40 + 150 ms are less.
#[test]
fn lost_frames_freeze_the_picture() {
    let numbers: Vec<String> = (41..57).map(|packet| packet.to_string()).collect();
    let loss = format!("loss = {{ scripted = {{ flow = 0, packets = [{}] }} }}", numbers.join(", "));
    let output = steady("", &loss);
    assert_eq!(calls(&output).count("packets_lost"), Some(&[16][..]));
    assert_eq!(calls(&output).count("frames_shown"), Some(&[246][..]));
    assert_eq!(real(&output, "stalls"), [1.0]);
    assert!((real(&output, "longest_stall_s")[0] - 0.2).abs() < 1e-6);
    // The tenth frame is captured at 0.36 s and complete 25.8 ms later.
    let freezes = output.table("freezes").unwrap();
    assert_eq!(freezes.real("time_s").unwrap().len(), 1);
    assert!((freezes.real("time_s").unwrap()[0] - 0.3858).abs() < 1e-6);
    assert!((freezes.real("length_s").unwrap()[0] - 0.2).abs() < 1e-6);
}

/// Copies of packets and of reports change nothing.
#[test]
fn copies_count_once() {
    let plain = steady("", "");
    let copied = steady("", "impairments = [\"duplication(probability=0.5)\"]");
    assert_eq!(
        calls(&copied).count("packets_delivered"),
        calls(&plain).count("packets_delivered"),
        "{:?}",
        copied.conservation
    );
    assert_eq!(calls(&copied).count("frames_shown"), Some(&[250][..]));
}

#[test]
fn the_keys_of_calls_are_checked() {
    let refused = |keys: &str, key: &str, part: &str| {
        let text = format!(
            "name = \"x\"\nduration = \"10 s\"\ntopology.dumbbell.bottleneck = {{ rate = \"1 Mbit/s\", delay = \"1 ms\" }}\n\
             topology.dumbbell.access = {{ rate = \"1 Mbit/s\", delay = \"1 ms\" }}\n[[call]]\n{keys}\n"
        );
        let error = Scenario::from_toml(&text, &[]).err().unwrap_or_else(|| panic!("accepted: {keys}"));
        assert_eq!(error.key.as_deref(), Some(key), "{error}");
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    };
    refused("algorithm = \"nadar\"", "call.0.algorithm", "nada");
    refused("algorithm = \"nada(kapa=1)\"", "call.0.algorithm", "kappa");
    refused("algorithm = \"constant\"", "call.0.algorithm", "rate");
    refused("max_rate = \"100 kbit/s\"", "call.0.max_rate", "min_rate");
    refused("start_rate = \"2 Mbit/s\"", "call.0.start_rate", "max_rate");
    refused("frame_rate = 0.5", "call.0.frame_rate", "from 1 to 1000");
    refused("key_interval = 1", "call.0.key_interval", "1");
    refused("packet = \"60 bytes\"", "call.0.packet", "100");
    refused("pauses = [[\"5 s\", \"4 s\"]]", "call.0.pauses.0", "4 s");
    refused("pauses = [[\"1 s\", \"4 s\"], [\"3 s\", \"5 s\"]]", "call.0.pauses.1", "4 s");
    refused("rat = 3", "call.0.rat", "unknown key");
}
