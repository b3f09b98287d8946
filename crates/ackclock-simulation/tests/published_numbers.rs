//! Numbers that others have measured and published, each on the path that they give.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// `flows` flows of an algorithm over one link with these keys, measured after a sixth of the time.
fn run(algorithm: &str, flows: u32, link: &str, seconds: u32) -> Output {
    let warm_up = f64::from(seconds) / 6.0;
    let text = format!(
        r#"
name = "published"
duration = "{seconds} s"
warm_up = "{warm_up} s"

[[topology.graph.link]]
from = "a"
to = "b"
{link}

[tcp]
algorithm = "{algorithm}"

[[flow]]
from = "a"
to = "b"
count = {flows}
"#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run()
}

fn goodput(output: &Output) -> f64 {
    output.table("flows").unwrap().real("goodput_bit_per_s").unwrap().iter().sum()
}

fn of_link(output: &Output, column: &str) -> f64 {
    output.table("links").unwrap().real(column).unwrap()[0]
}

/// Cardwell et al. (ACM Queue 14(5), 2016), figure 8, over 100 Mbit/s and 100 ms: "CUBIC's throughput decreases by 10
/// times at 0.1 percent loss and totally stalls above 1 percent."
#[test]
fn cubic_loses_nine_tenths_to_a_loss_of_a_thousandth() {
    let at = |loss: &str| {
        let link = format!(
            "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nbuffer = \"100% bdp\"\nloss = {{ bernoulli = {loss} }}"
        );
        goodput(&run("cubic", 1, &link, 60)) / 100e6
    };
    let (thousandth, hundredth) = (at("0.001"), at("0.01"));
    assert!((0.03..0.1).contains(&thousandth), "{thousandth}");
    assert!(hundredth < 0.02, "{hundredth}");
}

/// Alizadeh et al. (SIGCOMM 2010): "the same or better throughput than TCP, while using 90% less buffer space"; in figure
/// 1 two flows at 1 Gbit/s with K = 20 keep a queue of about 20 packets, where TCP fills the buffer of 700 kB.
#[test]
fn dctcp_takes_a_tenth_of_the_buffer_for_the_same_throughput() {
    let link = "rate = \"1 Gbit/s\"\ndelay = \"50 us\"\nbuffer = \"466 packets\"";
    let tcp = run("sack+reno", 2, link, 2);
    let dctcp = run("dctcp", 2, &format!("{link}\necn_threshold = \"20 packets\""), 2);
    let (queue, full) = (of_link(&dctcp, "mean_queue_packets"), of_link(&tcp, "mean_queue_packets"));
    assert!((queue - 20.0).abs() < 2.0, "{queue}");
    assert!(queue < 0.1 * full, "{queue} of {full}");
    assert!(goodput(&dctcp) > 0.999 * goodput(&tcp));
}

/// Fu and Liew (IEEE JSAC 21(2), 2003), abstract: "In typical wireless access networks with 1% random packet loss rate,
/// throughput improvement of up to 80% can be demonstrated."
#[test]
fn veno_gains_up_to_four_fifths_at_a_loss_of_a_hundredth() {
    let gain = |rate: &str, delay: &str| {
        let link = format!(
            "rate = \"{rate}\"\ndelay = \"{delay}\"\nbuffer = \"50 packets\"\nloss = {{ bernoulli = 0.01 }}"
        );
        goodput(&run("sack+veno", 1, &link, 300)) / goodput(&run("sack+reno", 1, &link, 300)) - 1.0
    };
    let gains = [gain("2 Mbit/s", "20 ms"), gain("4 Mbit/s", "20 ms"), gain("4 Mbit/s", "60 ms")];
    assert!(gains.is_sorted() && gains[0] > 0.0, "{gains:?}");
    assert!((gains[2] - 0.8).abs() < 0.1, "{gains:?}");
}

/// RFC 9330, section 1, of tests with the dual queue: the mean queueing delay is below a millisecond, and that of 99 % of
/// the packets below two.
#[test]
fn prague_waits_less_than_a_millisecond() {
    let link = "rate = \"40 Mbit/s\"\ndelay = \"14 ms\"\nbuffer = \"834 packets\"\nqueue = \"dualpi2\"";
    let output = run("prague", 2, link, 30);
    assert!(of_link(&output, "mean_queueing_delay_s") < 1e-3);
    assert!(of_link(&output, "max_queueing_delay_s") < 2e-3);
    assert!(of_link(&output, "utilisation") > 0.95);
}

/// The goodput of Prague and of CUBIC with ECN, in Mbit/s, with and without the detection of classic queues.
fn prague_and_cubic(fallback: u8, megabits: u32, rtt_millis: u32, queue: &str) -> [f64; 2] {
    let (half, buffer) = (f64::from(rtt_millis) / 2.0, 8 * megabits * rtt_millis / 12 + 1);
    let text = format!(
        r#"
name = "published"
duration = "70 s"
warm_up = "10 s"

[topology.dumbbell]
pairs = 2
access = {{ rate = "10 Gbit/s", delay = "10 us" }}

[topology.dumbbell.bottleneck]
rate = "{megabits} Mbit/s"
delay = "{half} ms"
buffer = "{buffer} packets"
queue = "{queue}"
reverse = {{ queue = "droptail" }}

[[flow]]
algorithm = "prague(classic_fallback={fallback})"

[[flow]]
algorithm = "rack+cubic"
tcp = {{ ecn = "classic" }}
"#
    );
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
    let goodput = output.table("flows").unwrap().real("goodput_bit_per_s").unwrap().to_vec();
    [goodput[0] / 1e6, goodput[1] / 1e6]
}

/// The authors' module for Linux with its constants corrected (github.com/Greenscreen23/prague-fallback-experiments, `extend.csv`, means
/// of 30 runs over 60 s after 10 s): next to CUBIC behind `CoDel`, and behind a buffer of eight bandwidth-delay products, Prague has 17.5
/// Mbit/s and CUBIC 12.8 of 32 at 32 ms, 8.3 and 6.6 of 16 at 64 ms, and 30.9 and 28.5 of 64 at 64 ms.
#[test]
fn prague_shares_a_classic_queue_as_its_module_does() {
    for (megabits, rtt, prague, cubic) in [(32, 32, 17.5, 12.8), (16, 64, 8.3, 6.6), (64, 64, 30.9, 28.5)] {
        let [first, second] = prague_and_cubic(1, megabits, rtt, "codel");
        let (found, published) = (first / second, prague / cubic);
        assert!((found / published - 1.0).abs() < 0.2, "{megabits}: {found}, not {published}");
        let [first, second] = prague_and_cubic(0, megabits, rtt, "codel");
        assert!(first / second > 6.0, "without it {first} and {second}");
    }
}

/// The same: behind `DualPI2` no round trip counts as of a classic queue, from 16 Mbit/s on. At 4 Mbit/s nearly all do.
#[test]
fn prague_takes_a_slow_dual_queue_alone_for_a_classic_one() {
    for (megabits, rtt) in [(16, 16), (32, 32), (64, 64)] {
        let [on, off] = [1, 0].map(|fallback| prague_and_cubic(fallback, megabits, rtt, "dualpi2"));
        assert!(on.iter().zip(&off).all(|(with, without)| with.to_bits() == without.to_bits()), "{on:?}");
    }
    let [on, off] = [1, 0].map(|fallback| prague_and_cubic(fallback, 4, 16, "dualpi2"));
    assert!(on[0] < 0.7 * off[0], "{on:?} {off:?}");
}

/// Google's QUIC stack quiche, `bbr3_simulator_test.cc`: 12 MiB over 10 Mbit/s and 2 ms, then 4 Mbit/s and 30 ms, take at most 30 s.
/// Behind a buffer of two bandwidth-delay products nothing is lost; half of one suffices for the time.
#[test]
fn bbr3_sends_twelve_mebibytes_in_thirty_seconds() {
    for (buffer, loses) in [("200% bdp", false), ("50% bdp", true)] {
        let text = format!(
            r#"
name = "published"
duration = "60 s"

[[topology.graph.link]]
from = "a"
to = "switch"
rate = "10 Mbit/s"
delay = "2 ms"
buffer = "1000 packets"

[[topology.graph.link]]
from = "switch"
to = "b"
rate = "4 Mbit/s"
delay = "30 ms"
buffer = "{buffer}"

[tcp]
algorithm = "bbr3"
mss = "1350 bytes"

[[flow]]
from = "a"
to = "b"
packets = 9321
"#
        );
        let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
        let flows = output.table("flows").unwrap();
        let finished = flows.real("finish_s").unwrap()[0];
        assert!((25.2..30.0).contains(&finished), "{buffer}: {finished}");
        let lost = flows.count("packets_lost").unwrap()[0];
        assert!(lost == 0 || loses, "{buffer}: {lost}");
    }
}

/// RFC 9406, section 5: over 100 Mbit/s and a buffer of one bandwidth-delay product, in a variety of tests, half of the bytes that
/// are retransmitted after a standard slow start, which grows by as many packets per acknowledgment here.
#[test]
fn hystart_halves_what_is_sent_again() {
    let sent_again = |slow_start: &str, delay: &str| -> u64 {
        let text = format!(
            r#"
name = "published"
duration = "30 s"

[topology.dumbbell]
pairs = 1
bottleneck = {{ rate = "100 Mbit/s", delay = "{delay}", buffer = "100% bdp" }}
access = {{ rate = "1 Gbit/s", delay = "0.5 ms" }}

[tcp]
algorithm = "rack+{slow_start}+cubic"

[[flow]]
packets = 20000
"#
        );
        let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
        output.table("flows").unwrap().count("retransmissions").unwrap()[0]
    };
    let sum = |slow_start| {
        ["24 ms", "49 ms", "99 ms"].map(|delay| sent_again(slow_start, delay)).iter().sum::<u64>()
    };
    let (standard, hystart) = (sum("standard(limit=8)"), sum("hystart"));
    let share = hystart as f64 / standard as f64;
    assert!((0.4..0.6).contains(&share), "{hystart} of {standard}");
}

/// draft-chung-ccwg-search, "Deployment and Performance Evaluation": over GEO, LEO and 4G LTE links SEARCH "almost always exits after
/// capacity has been reached but before packet loss has occurred", and slow start alone is "particularly problematic for links with
/// large (bloated) bottleneck queues". With a queue of six bandwidth-delay products nothing is lost and the link is full; standard slow
/// start loses thousands of packets.
#[test]
fn search_ends_slow_start_between_the_capacity_and_a_loss() {
    let run = |slow_start: &str, rate: &str, delay: &str, seconds: u32| {
        let warm_up = 0.75 * f64::from(seconds);
        let text = format!(
            r#"
name = "published"
duration = "{seconds} s"
warm_up = "{warm_up} s"

[[topology.graph.link]]
from = "a"
to = "b"
rate = "{rate}"
delay = "{delay}"
buffer = "600% bdp"

[tcp]
algorithm = "rack+{slow_start}+cubic"

[[flow]]
from = "a"
to = "b"
"#
        );
        Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run()
    };
    let lost = |output: &Output| output.table("flows").unwrap().count("retransmissions").unwrap()[0];
    for (rate, bits, delay, seconds) in [
        ("20 Mbit/s", 20e6, "300 ms", 24),
        ("100 Mbit/s", 100e6, "15 ms", 2),
        ("30 Mbit/s", 30e6, "30 ms", 3),
    ] {
        let search = run("search", rate, delay, seconds);
        let utilisation = goodput(&search) / bits;
        assert!(utilisation > 0.95, "{utilisation} at {rate} and {delay}");
        assert_eq!(lost(&search), 0, "{rate} and {delay}");
        let standard = lost(&run("standard", rate, delay, seconds));
        assert!(standard > 500, "{standard} at {rate} and {delay}");
    }
}
