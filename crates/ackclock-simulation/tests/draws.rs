//! `[draw]`: values drawn by the seed, what may be drawn, and errors that name the key.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::{Scenario, Unreadable};

const HEAD: &str = r#"
name = "draws"
duration = "2 s"
[topology.dumbbell]
bottleneck = { rate = "5 Mbit/s", delay = "10 ms" }
access = { rate = "100 Mbit/s", delay = "1 ms" }
[[flow]]
"#;

fn with_laws(laws: &str) -> String {
    format!("{HEAD}[draw.topology.dumbbell.bottleneck]\n{laws}\n")
}

fn read(laws: &str) -> Scenario {
    Scenario::from_toml(&with_laws(laws), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(laws: &str) -> (String, String, Option<String>) {
    let error = Scenario::from_toml(&with_laws(laws), &[]).unwrap_err();
    (error.key.unwrap_or_default(), error.message, error.nearest)
}

fn seeded(scenario: &Scenario, seed: u32) -> Scenario {
    scenario.with("seed", &seed.to_string()).unwrap()
}

/// The number of a drawn quantity, by the end of its path.
fn drawn(scenario: &Scenario, end: &str) -> f64 {
    let (_, text) = scenario.drawn().find(|(path, _)| path.ends_with(end)).unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

const RATE: &str = r#"rate = { log_uniform = { from = "1 Mbit/s", to = "100 Mbit/s" } }"#;
const BUFFER: &str = r#"buffer = { uniform = { from = "10 packets", to = "12 packets" } }"#;

#[test]
fn each_seed_draws_its_path_and_the_same_one_again() {
    let scenario = read(&format!("{RATE}\n{BUFFER}\nloss.bernoulli = {{ choice = [0.0, 0.01, 0.02] }}"));
    let (mut low, mut buffers, mut losses) = (0, [0; 3], [0; 3]);
    for seed in 1..=300 {
        let one = seeded(&scenario, seed);
        assert_eq!(one.drawn().collect::<Vec<_>>(), seeded(&scenario, seed).drawn().collect::<Vec<_>>());
        let rate = drawn(&one, "rate");
        assert!((1.0..=100.0).contains(&rate));
        low += u32::from(rate < 10.0);
        let buffer = drawn(&one, "buffer");
        assert!(buffer.fract() == 0.0, "whole packets: {buffer}");
        buffers[buffer as usize - 10] += 1;
        losses[(drawn(&one, "bernoulli") * 100.0).round() as usize] += 1;
    }
    // 1 to 10 and 10 to 100 Mbit/s are equally likely; four standard deviations of 300 draws.
    assert!((115..=185).contains(&low), "{low}");
    assert!(buffers.iter().chain(&losses).all(|count| (67..=133).contains(count)), "{buffers:?} {losses:?}");
}

#[test]
fn a_drawn_scenario_is_the_one_with_its_values_written_out() {
    let scenario = seeded(&read(&format!("{RATE}\n{BUFFER}")), 9);
    let values: Vec<(String, String)> =
        scenario.drawn().map(|(path, text)| (path.to_owned(), text)).collect();
    let plain = Scenario::from_toml(HEAD, &[]).unwrap();
    let values = values.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let written = seeded(&plain, 9).with_all(values).unwrap();
    assert_eq!(
        Simulation::new(&scenario).unwrap().run().digest(),
        Simulation::new(&written).unwrap().run().digest()
    );
    assert_ne!(
        Simulation::new(&scenario).unwrap().run().digest(),
        Simulation::new(&seeded(&scenario, 10)).unwrap().run().digest()
    );
}

#[test]
fn another_law_leaves_the_other_draws_and_the_text_alone() {
    let one = read(RATE);
    let both = read(&format!("{BUFFER}\n{RATE}"));
    assert!((drawn(&one, "rate") - drawn(&both, "rate")).abs() < f64::EPSILON);
    let again = Scenario::from_toml(&both.to_toml(), &[]).unwrap();
    assert_eq!(again.to_toml(), both.to_toml());
    assert_eq!(again.drawn().collect::<Vec<_>>(), both.drawn().collect::<Vec<_>>());
}

#[test]
fn what_is_set_is_not_drawn() {
    let scenario = read(&format!("{RATE}\n{BUFFER}"));
    let set = scenario.with("topology.dumbbell.bottleneck.rate", "3 Mbit/s").unwrap();
    assert_eq!(
        set.drawn().map(|(path, _)| path).collect::<Vec<_>>(),
        ["topology.dumbbell.bottleneck.buffer"]
    );
    assert!(set.to_toml().contains("3 Mbit/s"));
    let whole = read(r#"reverse = { choice = [{ delay = "1 ms" }, { delay = "2 ms" }] }"#);
    let error = whole.with("topology.dumbbell.bottleneck.reverse.delay", "3 ms").unwrap_err();
    assert!(error.message.contains("topology.dumbbell.bottleneck.reverse"), "{error}");
}

#[test]
fn a_law_may_stand_at_a_path_in_quotation_marks() {
    let text = format!("{HEAD}[draw]\n\"flow.0.packets\" = {{ uniform = {{ from = 5, to = 9 }} }}\n");
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    assert!((5.0..=9.0).contains(&drawn(&scenario, "packets")));
    assert!(scenario.with("flow.0.packets", "7").unwrap().drawn().next().is_none());
}

#[test]
fn traces_are_among_the_choices() {
    let text = with_laws(r#"rate = { choice = [{ trace = "slow.down" }, { trace = "fast.down" }] }"#);
    let read = |name: &str| match name {
        "slow.down" => Ok("0\n40\n80\n".to_owned()),
        "fast.down" => Ok("0\n2\n4\n6\n8\n".to_owned()),
        _ => Err(Unreadable {
            reason: "there is no such file".to_owned(),
            others: vec!["fast.down".to_owned()],
        }),
    };
    let scenario = Scenario::from_toml_and_files(&text, &[], &read).unwrap();
    let delivered = |seed| Simulation::new(&seeded(&scenario, seed)).unwrap().run().packets_delivered();
    let found: Vec<u64> = (1..=12).map(delivered).collect();
    let (least, most) = (found.iter().min().unwrap(), found.iter().max().unwrap());
    // Three packets in 80 ms and five in 8 ms, over two seconds, less the beginning.
    assert!(*least < 80 && *most > 500, "{found:?}");
    let error = Scenario::from_toml_and_files(&text.replace("fast", "fest"), &[], &read).unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("fast.down"));
}

#[test]
fn mistakes_name_the_key_and_the_nearest_name() {
    let at = |end: &str| format!("draw.topology.dumbbell.bottleneck.{end}");
    let (key, _, nearest) = refusal(r#"rate = { unifrom = { from = "1 Mbit/s", to = "2 Mbit/s" } }"#);
    assert_eq!((key, nearest.as_deref()), (at("rate.unifrom"), Some("uniform")));
    let (key, _, nearest) = refusal(r#"buffer = { choise = ["1 packets"] }"#);
    assert_eq!((key, nearest.as_deref()), (at("buffer.choise"), Some("choice")));
    let (key, _, nearest) = refusal(r#"rate = { uniform = { form = "1 Mbit/s", to = "2 Mbit/s" } }"#);
    assert_eq!((key, nearest.as_deref()), (at("rate.uniform.form"), Some("from")));
    let (key, message, _) = refusal(r#"rate = { uniform = { from = "1 Mbit/s", to = "20 ms" } }"#);
    assert_eq!(key, at("rate.uniform"));
    assert!(message.contains("both ends have one unit"), "{message}");
    let (key, ..) = refusal(r#"rate = { uniform = { from = "3 Mbit/s", to = "2 Mbit/s" } }"#);
    assert_eq!(key, at("rate.uniform.from"));
    let (_, message, _) = refusal("loss.bernoulli = { log_uniform = { from = 0.0, to = 0.1 } }");
    assert!(message.contains("above zero"), "{message}");
    let (_, message, _) = refusal(r#"rate = "5 Mbit/s""#);
    assert!(message.contains("expected a law"), "{message}");
    let (_, message, _) = refusal(r"buffer = { choice = [] }");
    assert!(message.contains("expected a list of values"), "{message}");
}

#[test]
fn a_value_that_some_seed_would_draw_is_checked_for_all() {
    // The key is the value's own: a probability of 1.5 is refused whatever this seed draws.
    let (key, ..) = refusal("loss.bernoulli = { choice = [0.0, 0.1, 1.5] }");
    assert_eq!(key, "topology.dumbbell.bottleneck.loss.bernoulli");
    let (key, _, nearest) = refusal(r#"dealy = { choice = ["1 ms"] }"#);
    assert_eq!((key.as_str(), nearest.as_deref()), ("topology.dumbbell.bottleneck.dealy", Some("delay")));
}
