//! The callbacks of the Congestion Manager: a source in layers on paths whose rate changes (RFC 3124, 3.2 and 5.1.3).

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Simulation};

const LAYERS: &str = r#"layers = ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s", "8 Mbit/s"]"#;
/// The steps of the series, of 0.2 s or five round trips, after which the rate of the path changes.
const CHANGE: usize = 100;

/// What a source hears and what it delivers, in Mbit/s and step by step.
struct Series {
    told: Vec<f64>,
    delivered: Vec<f64>,
}

fn scenario(rates: [&str; 2], udp: &str, flows: &str) -> String {
    let [before, after] = rates;
    format!(
        r#"
        name = "layers"
        duration = "40 s"
        [topology.graph]
        link = [{{ from = "a", to = "b", delay = "20 ms", buffer = "20 packets", rate = {{ steps = [["0 s", "{before}"], ["20 s", "{after}"]] }} }}]
        [tcp]
        algorithm = "sack"
        mss = "960 bytes"
        header = "40 bytes"
        [[udp]]
        from = "a"
        to = "b"
        rate = "1 Mbit/s"
        {udp}
        {flows}
        "#
    )
}

/// The series of a source that is alone on a path whose rate changes after 20 s.
fn alone(rates: [&str; 2], keys: &str) -> Series {
    let udp = format!("sharing = \"congestion-manager\"\n{keys}");
    let text = scenario(rates, &udp, "[trace]\ninterval = \"200 ms\"");
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
    let goodput = output.table("flow_series").unwrap().real("goodput_bit_per_s").unwrap();
    let gauges = output.table("gauges").unwrap();
    let Some(Column::Text(names)) = gauges.column("name") else { panic!("no names") };
    let gauges = names.iter().zip(gauges.real("value").unwrap());
    let told = gauges.filter(|(name, _)| *name == "told_bit_per_s").map(|(_, value)| *value);
    let mega = |values: Vec<f64>| values.into_iter().map(|value| value / 1e6).collect();
    Series { told: mega(told.collect()), delivered: mega(goodput.to_vec()) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// RFC 3124, 5.1.3: "The application must change its choice of audio encoding to ensure that it does not exceed these new
/// estimates." A path of 10 Mbit/s carries the layer of 8; once it has half of its rate, that of 4. Five round trips later the source
/// has been told so. It goes on asking for more, since nothing else would tell it of a better path, and finds each time
/// within some round trips that there is none.
#[test]
fn a_source_in_layers_follows_the_rate_of_its_path() {
    let Series { told, delivered } =
        alone(["10 Mbit/s", "5 Mbit/s"], &format!("{LAYERS}\nrate_thresholds = [0.9, 1.5]"));
    assert!(delivered[10..CHANGE].iter().all(|rate| (rate - 8.0).abs() < 0.1), "{delivered:?}");
    assert!(told[CHANGE - 2] >= 8.0 && told[CHANGE] < 8.0, "{told:?}");
    let fitting = told[CHANGE..].iter().filter(|rate| (4.0..8.0).contains(*rate)).count();
    assert!(fitting > told[CHANGE..].len() * 8 / 10, "{fitting} of {}: {told:?}", told[CHANGE..].len());
    let after = mean(&delivered[CHANGE + 5..]);
    assert!((3.9..4.5).contains(&after), "{after}");
}

/// A path that has twice its rate carries the next layer.
#[test]
fn a_source_in_layers_finds_a_better_path() {
    let Series { delivered, .. } =
        alone(["5 Mbit/s", "10 Mbit/s"], &format!("{LAYERS}\nrate_thresholds = [0.9, 1.5]"));
    assert!(mean(&delivered[20..CHANGE]) < 4.5, "{delivered:?}");
    assert!(delivered[CHANGE + 20..].iter().all(|rate| (rate - 8.0).abs() < 0.1), "{delivered:?}");
}

/// RFC 3124, 3.2: `cm_thresh` keeps back "callbacks that the application will only ignore". The packets' own time on a path of 10 and
/// of 9 Mbit/s changes the estimate by less than a hundredth.
#[test]
fn changes_within_the_thresholds_are_not_told() {
    let distinct = |thresholds: &str| {
        let keys = format!("layers = [\"1 Mbit/s\", \"2 Mbit/s\"]\nrate_thresholds = {thresholds}");
        let Series { mut told, .. } = alone(["10 Mbit/s", "9 Mbit/s"], &keys);
        told.drain(..50);
        told.dedup();
        told.len()
    };
    assert_eq!(distinct("[0.9, 1.1]"), 1);
    assert!(distinct("[1.0, 1.0]") > 1);
}

/// With TCP in its macroflow the source has half of a window that fills 10 Mbit/s at a buffer of the
/// bandwidth-delay product: 5 Mbit/s, of which its layer of 4 goes. TCP has the rest.
#[test]
fn a_source_in_layers_keeps_to_its_part() {
    let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\npackets = 1000000\ntcp.sharing = \"congestion-manager\"\n[trace]\nflows = false";
    let udp = format!("sharing = \"congestion-manager\"\n{LAYERS}");
    let text = scenario(["10 Mbit/s", "10 Mbit/s"], &udp, flow).replace("20 packets", "50 packets");
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
    let goodput = output.table("flows").unwrap().real("goodput_bit_per_s").unwrap();
    assert!((3.7e6..4.1e6).contains(&goodput[1]), "{goodput:?}");
    // A packet of TCP has 960 bytes of payload.
    assert!(goodput[0] / 0.96 + goodput[1] > 9.7e6, "{goodput:?}");
}

#[test]
fn layers_that_no_callback_could_choose_are_refused() {
    let refused = |udp: &str| {
        let text = scenario(["10 Mbit/s", "5 Mbit/s"], udp, "");
        Scenario::from_toml(&text, &[]).expect_err("refused").to_string()
    };
    let managed = |keys: &str| refused(&format!("sharing = \"congestion-manager\"\n{keys}"));
    assert!(refused(LAYERS).contains("goes with \"sharing\""));
    assert!(managed("layers = [\"2 Mbit/s\", \"1 Mbit/s\"]").contains("ascend"));
    assert!(managed(&format!("{LAYERS}\npattern = \"poisson\"")).contains("evenly"));
    assert!(managed(&format!("{LAYERS}\nrate_thresholds = [1.1, 1.2]")).contains("from 0 to 1"));
}
