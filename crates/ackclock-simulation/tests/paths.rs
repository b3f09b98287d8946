//! Links that vary, as scenarios write them.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::{PATHS, Scenario, ScenarioError, Unreadable};

const TRACE: &str = "2\n5\n5\n";
const COURSE: &str = "time_s,rate_bit_per_s,loss\n0,1e6,0\n2,4e6,0.5\n";

fn text(link: &str) -> String {
    format!(
        "name = \"paths\"\nduration = \"4 s\"\n[topology.dumbbell]\nbottleneck = {{ {link} }}\n\
         access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\n[[flow]]\n"
    )
}

fn read(link: &str) -> Result<Scenario, ScenarioError> {
    let files = |name: &str| match name {
        "lte.down" => Ok(TRACE.to_owned()),
        "drive.csv" => Ok(COURSE.to_owned()),
        "bad.down" => Ok("2\nsoon\n".to_owned()),
        "no-trace" => Ok("root:x:0:0\nsecret\n".to_owned()),
        "fraction.down" => Ok("0\n12.5\n".to_owned()),
        "falls.down" => Ok("5\n2\n".to_owned()),
        _ => Err(Unreadable {
            reason: "there is no such file".to_owned(),
            others: vec!["lte.down".to_owned()],
        }),
    };
    Scenario::from_toml_and_files(&text(link), &[], &files)
}

#[test]
fn a_varying_link_is_written_back_as_it_was_read() {
    let links = [
        "rate = { steps = [[\"0 s\", \"1 Mbit/s\"], [\"2 s\", \"4 Mbit/s\"]], every = \"3 s\" }, delay = \"1 ms\"",
        "rate = \"1 Mbit/s\", delay = { ramps = [[\"0 s\", \"1 ms\"], [\"2 s\", \"40 ms\"]] }",
        "rate = { trace = \"lte.down\" }, delay = \"1 ms\", reverse = { rate = { trace = \"lte.down\" } }",
        "delay = \"1 ms\", schedule = { file = \"drive.csv\", every = \"3 s\" }",
        "rate = \"1 Mbit/s\", delay = \"1 ms\", outage = { spans = [[\"1 s\", \"2 s\"]] }, impairments = [\"overtaking\"]",
        "path = \"lte-driving\", buffer = \"10 packets\"",
    ];
    for link in links {
        let scenario = read(link).unwrap_or_else(|error| panic!("{link}: {error}"));
        let again = Scenario::from_toml(&scenario.to_toml(), &[]).unwrap();
        assert_eq!(scenario, again, "a scenario that was read needs no other file");
        let run = |scenario: &Scenario| Simulation::new(scenario).unwrap().run();
        let delivered = run(&scenario).packets_delivered();
        assert!(delivered > 0, "{link}");
        assert_eq!(delivered, run(&again).packets_delivered());
    }
}

#[test]
fn a_trace_is_part_of_the_scenario() {
    let scenario = read("rate = { trace = \"lte.down\" }, delay = \"1 ms\"").unwrap();
    assert!(scenario.to_json().contains("\"opportunities\":[2,5,5]"), "{}", scenario.to_json());
    assert!(!scenario.to_json().contains("lte.down"));
}

#[test]
fn each_path_by_name_can_be_run_and_its_keys_replaced() {
    for entry in PATHS {
        let scenario = read(&format!("path = \"{}\"", entry.name)).unwrap();
        assert!(Simulation::new(&scenario).unwrap().run().packets_delivered() > 0, "{}", entry.name);
        let steady = read(&format!("path = \"{}\", rate = \"3 Mbit/s\"", entry.name)).unwrap();
        let words = steady.topology.sketch();
        let label = words.links.iter().flat_map(|link| &link.label).find(|line| line.contains("Mbit/s"));
        assert!(label.is_some_and(|line| line.contains(": 3 Mbit/s")), "{label:?}");
    }
}

#[track_caller]
fn says(link: &str, key: &str, words: &[&str]) {
    let error = read(link).expect_err(link);
    assert_eq!(error.key.as_deref(), Some(key), "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{error}: {word}");
    }
}

#[test]
fn mistakes_are_named_with_what_would_be_right() {
    let at = |key: &str| format!("topology.dumbbell.bottleneck.{key}");
    let rate = |table: &str| format!("rate = {{ {table} }}, delay = \"1 ms\"");
    says(&rate("every = \"1 s\""), &at("rate"), &["none", "steps, ramps and markov"]);
    says(&rate("steps = []"), &at("rate.steps"), &["empty list"]);
    says(&rate("steps = [[\"1 s\", \"1 Mbit/s\"]]"), &at("rate.steps.0.0"), &["1 s", "\"0 s\""]);
    says(
        &rate("steps = [[\"0 s\", \"1 Mbit/s\"], [\"0 s\", \"2 Mbit/s\"]]"),
        &at("rate.steps.1.0"),
        &["0 s after 0 s", "ascend"],
    );
    says(&rate("steps = [[\"0 s\", \"0 bit/s\"]]"), &at("rate"), &["zero only"]);
    says(&rate("steps = [[\"0 s\", 5]]"), &at("rate.steps.0.1"), &["without a unit"]);
    says(
        &rate("steps = [[\"0 s\", \"1 Mbit/s\"], [\"2 s\", \"1 packets/ms\"]]"),
        &at("rate.steps.1.1"),
        &["all in bits, or all in packets"],
    );
    says(
        &rate("steps = [[\"0 s\", \"1 Mbit/s\"], [\"2 s\", \"2 Mbit/s\"]], every = \"2 s\""),
        &at("rate.every"),
        &["begins again after"],
    );
    says(&rate("stepz = []"), &at("rate.stepz"), &["did you mean \"steps\"?"]);
    says(&rate("trace = \"lte.dwn\""), &at("rate.trace"), &["lte.dwn", "did you mean \"lte.down\"?"]);
    says(
        &rate("trace = \"bad.down\""),
        &at("rate.trace"),
        &["bad.down, line 2: found a text", "milliseconds"],
    );
    says(
        &rate("trace = \"fraction.down\""),
        &at("rate.trace"),
        &["line 2: found a number that is not whole"],
    );
    says(&rate("trace = \"falls.down\""), &at("rate.trace"), &["line 2", "2 after 5", "ascend"]);
    says(
        &rate("markov = { states = [\"1 Mbit/s\", \"2 Mbit/s\"], dwell = [\"1 s\"] }"),
        &at("rate.markov.dwell"),
        &["1 times for 2 states"],
    );
    let plain = "rate = \"1 Mbit/s\", delay = \"1 ms\"";
    says(&format!("{plain}, path = \"lte-drivin\""), &at("path"), &["did you mean \"lte-driving\"?"]);
    says(&format!("{plain}, outage = {{ up = \"1 s\" }}"), &at("outage"), &["spans", "up and down"]);
    says(
        &format!("{plain}, outage = {{ spans = [[\"2 s\", \"1 s\"]] }}"),
        &at("outage.spans.0"),
        &["ends after it begins"],
    );
    says(&format!("{plain}, impairments = [\"jiter(uniform=5)\"]"), &at("impairments.0"), &["jitter"]);
    says(&format!("{plain}, impairments = [\"jitter\"]"), &at("impairments.0"), &["above zero"]);
    says(
        &format!("{plain}, queue = \"sfq\", buffer = \"9 packets\", impairments = [\"thinning\"]"),
        &at("impairments.0"),
        &["first in, first out"],
    );
    says(
        &format!("{plain}, loss = {{ schedule = {{ steps = [[\"0 s\", 2.0]] }} }}"),
        &at("loss.schedule.steps.0.1"),
        &["between 0 and 1"],
    );
    says("delay = \"1 ms\", schedule = { file = \"none.csv\" }", &at("schedule.file"), &["no such file"]);
    says(
        "rate = \"1 Mbit/s\", delay = \"1 ms\", schedule = { file = \"drive.csv\" }",
        &at("schedule"),
        &["rate", "one of them is enough"],
    );
}

/// Samples each half second of a link that has 1 Mbit/s for 1.75 s and 4 Mbit/s then: the mean over the interval before.
#[test]
fn a_series_has_the_capacity_of_each_interval() {
    let steps = "rate = { steps = [[\"0 s\", \"1 Mbit/s\"], [\"1750 ms\", \"4 Mbit/s\"]] }, delay = \"1 ms\"";
    let text = format!("{}[trace]\ninterval = \"500 ms\"\n", text(steps));
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
    let series = output.table("link_series").unwrap();
    let capacity = series.real("capacity_bit_per_s").unwrap();
    let directions = output.table("links").unwrap().real("rate_bit_per_s").unwrap().len();
    let of = |link| capacity.iter().copied().skip(link).step_by(directions).collect::<Vec<f64>>();
    let (bottleneck, access) = (of(0), of(2));
    assert!(bottleneck[0].is_nan() && access[0].is_nan(), "no interval is before the first sample");
    // From 1.5 s to 2 s it is half a second of 1 and 4 Mbit/s in equal parts.
    assert_eq!(bottleneck[1..], [1e6, 1e6, 1e6, 2.5e6, 4e6, 4e6, 4e6, 4e6]);
    assert!(access[1..].iter().all(|rate| (rate - 1e9).abs() < 1.0), "{access:?}");
}

/// Somebody else's scenario may name any file: what is no trace is not read out.
#[test]
fn nothing_is_quoted_of_a_file_that_is_no_trace() {
    for link in [
        "rate = { trace = \"no-trace\" }, delay = \"1 ms\"",
        "schedule = { file = \"no-trace\" }, delay = \"1 ms\"",
    ] {
        let error = read(link).unwrap_err();
        let said = format!("{error} {:?}", error.found);
        assert!(said.contains("no-trace, line 1"), "{said}");
        assert!(!said.contains("root") && !said.contains("secret"), "{said}");
    }
}
