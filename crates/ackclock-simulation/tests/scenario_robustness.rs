//! No text makes the reader panic, and what it accepts survives being written and read again.

use ackclock_simulation::scenario::{Scenario, ScenarioError};
use proptest::prelude::*;
use serde_json::{Map, Value};

const SEEDS: [&str; 5] = [
    QUEUES,
    include_str!("../../../scenarios/two-megabit.toml"),
    include_str!("../../../scenarios/parking-lot.toml"),
    include_str!("../../../scenarios/lossy-link.toml"),
    include_str!("../../../scenarios/ten-flows-shared.toml"),
];

/// Queues in both ways of writing them.
const QUEUES: &str = r#"
name = "queues"
duration = "1 s"
[[topology.graph.link]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
buffer = "20 packets"
queue = "red(min=2, max=6 packets, ecn=0)"
[[topology.graph.link]]
from = "b"
to = "c"
rate = "1 Mbit/s"
delay = "1 ms"
queue = { fq-codel = { target = "5 ms", quantum = "300 bytes", ecn = true } }
reverse = { queue = "sfq(perturbation=2 s)" }
[[flow]]
from = "a"
to = "c"
"#;

/// Texts that are likely to hurt where a key or a value is expected.
const AWKWARD: [&str; 31] = [
    "\"red(min=1,,=)\"",
    "\"sfq(buckets=1 packets)(\"",
    "{ sfq = { perturbation = \"1e308 s\" } }",
    "",
    "nan",
    "-inf",
    "1e400",
    "-1",
    "0",
    "99999999999999999999",
    "18446744073709551615",
    "\"\"",
    "\"nan s\"",
    "\"1e308 Gbit/s\"",
    "\"-0 s\"",
    "\"1e-300 s\"",
    "\"584 h\"",
    "\"18446744073709551615 ns\"",
    "\"5000000 h\"",
    "\"1e300% bdp\"",
    "\"4294967296 packets\"",
    "\"µ\"",
    "\"\u{202e}\u{0}\"",
    "\"src999999999999\"",
    "\"a->b->c\"",
    "\"vegas(((\"",
    "\"+\"",
    "[]",
    "{}",
    "[[[[[[]]]]]]",
    "1979-05-27T07:32:00Z",
];

/// Reads it both ways; the errors have to be sentences.
fn survives(text: &str) -> Result<(), TestCaseError> {
    for result in [Scenario::from_toml(text, &[]), Scenario::from_json(text, &["mine".to_owned()])] {
        match result {
            Ok(scenario) => is_written_back(&scenario)?,
            Err(error) => is_a_sentence(&error)?,
        }
    }
    Ok(())
}

fn is_written_back(scenario: &Scenario) -> Result<(), TestCaseError> {
    let again = Scenario::from_toml(&scenario.to_toml(), &["mine".to_owned()]);
    prop_assert_eq!(again.as_deref(), Ok(&**scenario));
    Ok(())
}

fn is_a_sentence(error: &ScenarioError) -> Result<(), TestCaseError> {
    let text = error.to_string();
    prop_assert!(!text.is_empty() && !text.contains('\n') && text.chars().count() < 2000, "{}", text);
    Ok(())
}

/// The text with every value after an equals sign counted, and the chosen one replaced.
fn with_value(text: &str, choice: usize, value: &str) -> String {
    let places: Vec<usize> = text.match_indices("= ").map(|(at, _)| at + 2).collect();
    let start = places[choice % places.len()];
    let end = text[start..].find([',', '}', '\n']).map_or(text.len(), |length| start + length);
    format!("{}{value} {}", &text[..start], &text[end..])
}

fn trees() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "name",
        "duration",
        "topology",
        "dumbbell",
        "graph",
        "link",
        "flow",
        "udp",
        "tcp",
        "trace",
        "packets",
        "rate",
        "count",
        "loss",
        "scripted",
        "bernoulli",
        "reverse",
        "from",
        "to",
        "",
        "\u{1f980}",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec!["1 s", "2 Mbit/s", "7 packets", "a", "left->right"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        let table = prop::collection::vec((names.clone(), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            table.prop_map(|entries| {
                let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
                Value::Object(entries.collect::<Map<_, _>>())
            }),
        ]
    })
}

/// Puts `graft` at the chosen one of all places of `tree`.
fn graft(tree: &mut Value, choice: &mut usize, value: &Value) -> bool {
    if *choice == 0 {
        *tree = value.clone();
        return true;
    }
    *choice -= 1;
    match tree {
        Value::Array(list) => list.iter_mut().any(|element| graft(element, choice, value)),
        Value::Object(table) => table.values_mut().any(|element| graft(element, choice, value)),
        _ => false,
    }
}

proptest! {
    // A regression belongs among the named tests, not in a file of seeds.
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        survives(&text)?;
    }

    #[test]
    fn a_scenario_with_text_struck_out_and_put_in_is_survived(
        seed in prop::sample::select(&SEEDS[..]),
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        put_in in "[\\PC\n\"'=.\\[\\]{}#0-9]{0,8}",
    ) {
        let letters: Vec<char> = seed.chars().collect();
        let at = at.index(letters.len());
        let rest = &letters[(at + length).min(letters.len())..];
        let text: String = letters[..at].iter().copied().chain(put_in.chars()).chain(rest.iter().copied()).collect();
        survives(&text)?;
    }

    #[test]
    fn a_scenario_with_an_awkward_value_is_survived(
        seed in prop::sample::select(&SEEDS[..]),
        choice in any::<usize>(),
        value in prop::sample::select(&AWKWARD[..]),
    ) {
        survives(&with_value(seed, choice, value))?;
    }

    #[test]
    fn any_tree_is_survived(tree in trees()) {
        survives(&tree.to_string())?;
    }

    #[test]
    fn a_scenario_with_any_tree_grafted_on_is_survived(
        seed in prop::sample::select(&SEEDS[..]),
        mut place in 0_usize..40,
        value in trees(),
    ) {
        let mut tree: Value = serde_json::from_str(&Scenario::from_toml(seed, &[]).unwrap().to_json()).unwrap();
        graft(&mut tree, &mut place, &value);
        survives(&tree.to_string())?;
    }

    #[test]
    fn any_setting_is_survived(
        seed in prop::sample::select(&SEEDS[..]),
        path in prop_oneof![
            any::<String>(),
            "(topology|tcp|flow|udp|trace|seed)(\\.(dumbbell|graph|link|0|1|99999999999999999999|rate|mss|packets)){0,5}",
        ],
        value in prop_oneof![any::<String>(), prop::sample::select(&AWKWARD[..]).prop_map(str::to_owned)],
    ) {
        match Scenario::from_toml(seed, &[]).unwrap().with(&path, &value) {
            Ok(scenario) => is_written_back(&scenario)?,
            Err(error) => is_a_sentence(&error)?,
        }
    }
}

#[test]
fn nesting_is_survived_however_deep() {
    let deep = 100_000;
    let texts = [
        format!("x = {}", "[".repeat(deep)),
        format!("{} = 1", vec!["a"; deep].join(".")),
        format!("[{}]", vec!["a"; deep].join(".")),
        format!("x = {}", "{a=".repeat(deep)),
        format!("x = {}1{}", "{a.a.a.a.a.a.a.a=".repeat(60), "}".repeat(60)),
        format!("[tcp]\nmss{} = 1", ".a".repeat(60)),
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100)),
    ];
    for text in texts {
        survives(&text).unwrap();
    }
    let scenario = Scenario::from_toml(SEEDS[0], &[]).unwrap();
    assert!(scenario.with(&vec!["tcp"; deep].join("."), "1").is_err());
    assert!(scenario.with("tcp.mss", &"[".repeat(deep)).is_err());
}

#[test]
fn a_text_over_several_lines_is_told_on_one() {
    let broken = "\"\"\"red(min=2,\n6 packets,\necn=0)\"\"\"";
    let text = QUEUES.replace("\"red(min=2, max=6 packets, ecn=0)\"", broken);
    let error = Scenario::from_toml(&text, &[]).unwrap_err().to_string();
    assert!(!error.contains('\n') && error.contains("6 packets"), "{error}");
}

#[test]
fn a_long_text_is_cut_in_the_message() {
    let long = "x".repeat(1_000_000);
    for (path, value) in [
        ("tcp.algorithm", long.as_str()),
        ("tcp.mss", &long),
        ("tcp.mss", &format!("1 {long}")),
        ("topology.dumbbell.bottleneck.buffer", &long),
        ("udp.0.pattern", &long),
        ("flow.0.from", &long),
        ("flow.0.name", &long),
        ("name", &long),
        ("seed", &long),
        ("tcp.initial_window", &format!("{} packets", "9".repeat(300))),
        ("tcp.mss", &format!("{} bytes", "9".repeat(100_000))),
        (&format!("tcp.{long}"), "1"),
        (&long, "1"),
    ] {
        let error = Scenario::from_toml(SEEDS[0], &[]).unwrap().with(path, value).unwrap_err();
        assert!(error.to_string().len() < 1500, "{} bytes for {:.40}", error.to_string().len(), path);
    }
}
