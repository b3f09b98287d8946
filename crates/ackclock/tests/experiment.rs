//! Experiments against the same scenario written as a file.

use ackclock::congestion::Windowed;
use ackclock::congestion::avoidance::Reno;
use ackclock::congestion::slow_start::Standard;
use ackclock::{Column, Duration, Experiment, Output, Rate, Scenario, Simulation};

fn race() -> Experiment {
    Experiment::dumbbell(Rate::from_bits_per_second(5_000_000), Duration::from_millis(30), 20)
        .duration(Duration::from_secs(5))
        .seed(3)
}

/// All columns but names, in which the two differ.
fn same_tables(one: &Output, other: &Output) -> bool {
    let columns = |output: &Output, name| {
        let table = output.table(name).expect("a table that is named");
        let measured = table.columns().iter().filter(|(_, column)| !matches!(column, Column::Text(_)));
        format!("{:?}", measured.collect::<Vec<_>>())
    };
    one.table_names().all(|name| columns(one, name) == columns(other, name))
}

#[test]
fn an_experiment_computes_what_its_scenario_file_does() {
    let file = r#"
        name = "experiment"
        duration = "5 s"
        seed = 3
        [topology.dumbbell]
        pairs = 2
        bottleneck = { rate = "5 Mbit/s", delay = "15 ms", buffer = "20 packets" }
        access = { rate = "50 Mbit/s", delay = "0 s" }
        [[flow]]
        algorithm = "cubic"
        [[flow]]
        algorithm = "rack+reno"
        start = "1 s"
    "#;
    let written = Simulation::new(&Scenario::from_toml(file, &[]).unwrap()).unwrap().run();
    let built = race().flow("cubic").flow("rack+reno").set("flow.1.start", "1 s").run().unwrap();
    assert!(built.packets_delivered() > 1000);
    assert!(same_tables(&written, &built));
}

#[test]
fn a_controller_of_the_caller_computes_what_the_registered_one_does() {
    let registered = race().flow("rack+reno").run().unwrap();
    let own = race()
        .controller("own", |start| Box::new(Windowed::new(start, Standard::default(), Reno::default())))
        .flow("rack+own")
        .run()
        .unwrap();
    assert!(same_tables(&registered, &own));
}

#[test]
fn a_name_that_does_not_exist_is_an_error_with_its_key_and_the_nearest_name() {
    let error = race().flow("cubik").run().unwrap_err();
    assert_eq!((error.key.as_deref(), error.nearest.as_deref()), (Some("flow.0.algorithm"), Some("cubic")));
}

#[test]
fn a_name_that_the_program_does_not_have_is_an_error_of_the_simulation() {
    let file = |flow: &str| {
        format!(
            r#"
            name = "two"
            duration = "1 s"
            [topology.dumbbell]
            pairs = 1
            bottleneck = {{ rate = "5 Mbit/s", delay = "15 ms" }}
            access = {{ rate = "50 Mbit/s", delay = "0 s" }}
            [[flow]]
            {flow}
            "#
        )
    };
    let own = Scenario::from_toml(&file("algorithm = \"own\""), &["own".to_owned()]).unwrap();
    let error = Simulation::new(&own).err().unwrap();
    assert_eq!((error.key.as_deref(), error.found.as_deref()), (Some("flow.0.algorithm"), Some("own")));
    let quic = Scenario::from_toml(&file("algorithm = \"cubic\"\nstack = \"quinn\""), &[]).unwrap();
    let error = Simulation::new(&quic).err().unwrap();
    assert_eq!((error.key.as_deref(), error.found.as_deref()), (Some("flow.0.stack"), Some("quinn")));
}
