//! The averages of flows where little is measured: round-trip times, flows that end before the warm-up, packets of no
//! bytes.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

fn run(settings: &str, flows: &str) -> Output {
    let text = format!(
        r#"
name = "averages"
duration = "10 s"
{settings}
[topology.dumbbell]
pairs = 2
bottleneck = {{ rate = "1 Mbit/s", delay = "20 ms", buffer = "50 packets" }}
access = {{ rate = "10 Mbit/s", delay = "5 ms" }}
{flows}
"#
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario).unwrap().run()
}

fn flows<'a>(output: &'a Output, column: &str) -> &'a [f64] {
    output.table("flows").unwrap().real(column).unwrap()
}

/// One segment: sent over three links of 10, 1 and 10 Mbit/s, with its acknowledgment back.
#[test]
fn the_round_trip_of_a_syn_is_in_no_measure() {
    let output = run("", "[tcp]\nsegments_per_ack = 1\n[[flow]]\npackets = 1\n");
    let micros = |bits: f64| bits / 10.0 + bits + bits / 10.0;
    let segment = (micros(1500.0 * 8.0) + micros(40.0 * 8.0) + 60_000.0) / 1e6;
    for column in ["min_rtt_s", "mean_rtt_s", "max_rtt_s"] {
        let found = flows(&output, column)[0];
        assert!((found - segment).abs() < 1e-9, "{column}: {found}, expected {segment}");
    }
}

#[test]
fn min_mean_and_max_round_trips_are_in_order() {
    let transports = ["sack", "tfrc", "acknak", "vegas", "bbr3"];
    for settings in ["", "warm_up = \"1 s\""] {
        for algorithm in transports {
            for packets in [1, 2, 3, 10, 1000] {
                let group =
                    format!("[[flow]]\nalgorithm = \"{algorithm}\"\npackets = {packets}\ncount = 2\n");
                for tcp in ["", "[tcp]\ntimestamps = true\nheader = \"0 bytes\"\n"] {
                    let output = run(settings, &format!("{tcp}{group}"));
                    let [least, mean, most] =
                        ["min_rtt_s", "mean_rtt_s", "max_rtt_s"].map(|column| flows(&output, column));
                    for ((least, mean), most) in least.iter().zip(mean).zip(most) {
                        assert!(
                            mean.is_nan() || least <= mean && mean <= most,
                            "{algorithm}, {packets} packets, {settings:?} {tcp:?}: {least} {mean} {most}"
                        );
                    }
                }
            }
        }
    }
}

/// Both ends of the connection send data; the table takes the round trips of the server's end, which sends the responses.
#[test]
fn the_round_trips_of_requests_are_in_no_measure() {
    let flows_of = "[[flow]]\nrequest = { size = { constant = \"20 packets\" } }\nresponse = { size = { constant = \"1 packet\" } }\n";
    let output = run("", flows_of);
    let [least, mean, most] =
        ["min_rtt_s", "mean_rtt_s", "max_rtt_s"].map(|column| flows(&output, column)[0]);
    assert!(least <= mean && mean <= most && most < 0.3, "{least} {mean} {most}");
}

/// Behind the datagrams, the last packets of the first flow arrive after its stop.
#[test]
fn a_flow_that_ends_before_the_warm_up_has_no_averages() {
    let output = run(
        "warm_up = \"2 s\"",
        "[[flow]]\nstop = \"1 s\"\n[[flow]]\npackets = 2\n[[udp]]\nrate = \"2 Mbit/s\"\nstop = \"1 s\"\n",
    );
    for column in ["goodput_bit_per_s", "throughput_bit_per_s", "mean_cwnd_packets"] {
        assert!(
            flows(&output, column).iter().all(|value| !value.is_infinite()),
            "{column}: {:?}",
            flows(&output, column)
        );
    }
    assert!(flows(&output, "goodput_bit_per_s")[1].is_nan(), "it ended within a fraction of a second");
}

/// Acknowledgments of no bytes and of 40 bytes, over the same link.
#[test]
fn packets_of_no_bytes_keep_a_link_busy_for_a_nanosecond() {
    for settings in ["", "warm_up = \"2 s\"", "warm_up = \"2345678901 ns\""] {
        let output = run(settings, "[[flow]]\ntcp = { header = \"0 bytes\" }\n[[flow]]\nname = \"b\"\n");
        for utilisation in output.table("links").unwrap().real("utilisation").unwrap() {
            assert!((0.0..=1.0).contains(utilisation), "{utilisation}");
        }
        let established = flows(&output, "established_s")[0];
        let expected = 0.06 + 6e-9;
        assert!((established - expected).abs() < 1e-12, "six links, a nanosecond on each: {established}");
    }
}

/// No packet is lost, so that each window stays at ten packets or more, and so does its mean over any time. Neither a run that begins
/// long before the connections nor their pauses change that.
#[test]
fn a_mean_window_is_over_the_time_that_its_connection_is_open_and_not_idle() {
    let one = "{ size = { constant = \"1 packet\" } }";
    let page = "http = { version = \"1.1\", tls = false }\nthink_first = false\n[[flow.page.objects]]\n\
                name = \"document\"\nsize = \"1000 bytes\"\n[[flow.page.objects]]\nname = \"picture\"\nsize = \"1000 bytes\"";
    let sources = [
        format!("think = {{ constant = \"3 s\" }}\n{page}"),
        format!("think = {{ constant = \"20 s\" }}\n{page}"),
        format!("request = {one}\nresponse = {one}\nthink = {{ constant = \"1 s\" }}\nthink_first = false"),
        "write_rate = \"12 kbit/s\"".to_owned(),
        "write_rate = \"12 kbit/s\"\non = { constant = \"1 s\" }\noff = { constant = \"1 s\" }".to_owned(),
    ];
    for source in &sources {
        for settings in ["", "warm_up = \"2 s\""] {
            let output = run(settings, &format!("[[flow]]\nstart = \"1 s\"\n{source}\n"));
            let windows = flows(&output, "mean_cwnd_packets");
            let open = windows.iter().filter(|window| !window.is_nan());
            assert!(
                windows.iter().any(|window| window.is_finite()) || !settings.is_empty(),
                "{source}: {windows:?}"
            );
            open.for_each(|window| assert!(*window > 9.999, "{source} {settings}: {windows:?}"));
        }
    }
}
