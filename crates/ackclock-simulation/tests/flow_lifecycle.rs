//! Flows that are made on arrival and folded when they are over are those that are there all the time: a run that counts
//! epochs keeps them all.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// Files that come and go, in so small a buffer that many packets are lost; some flows are cut off, and some come too late.
fn scenario(seed: u64, more: &str) -> Scenario {
    let text = format!(
        r#"
        name = "files"
        seed = {seed}
        duration = "20 s"
        warm_up = "5 s"
        [topology.dumbbell]
        pairs = 3
        bottleneck = {{ rate = "6 Mbit/s", delay = "10 ms", buffer = "40% bdp", loss = {{ bernoulli = 0.01 }} }}
        access = {{ rate = "20 Mbit/s", delay = "1 ms" }}
        [[flow]]
        name = "long"
        count = 2
        algorithm = "sack+cubic"
        start_jitter = "1 s"
        [[flow]]
        name = "file"
        algorithm = "newreno"
        size = {{ pareto = {{ mean = "12 packets", shape = 1.3 }} }}
        arrivals = {{ poisson = {{ rate = "8 flows/s" }} }}
        [[flow]]
        name = "same"
        algorithm = "rack+cubic"
        packets = 3
        count = 40
        start = "4.9 s"
        [[flow]]
        name = "cut"
        algorithm = "sack"
        packets = 60
        count = 30
        start_jitter = "8.9 s"
        stop = "9 s"
        [[flow]]
        name = "again"
        count = 3
        size = {{ exponential = {{ mean = "6 packets" }} }}
        think = {{ exponential = {{ mean = "500 ms" }} }}
        [[udp]]
        rate = "500 kbit/s"
        packet = "500 bytes"
        [trace]
        {more}
        "#
    );
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Not-a-numbers are equal here: the bytes are compared.
fn assert_same(one: &Output, other: &Output, tables: &[&str]) {
    for name in tables {
        let [one, other] = [one, other].map(|run| run.table(name).expect("a table"));
        for ((column, one), (_, other)) in one.columns().iter().zip(other.columns()) {
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{name} {column}");
        }
    }
}

#[test]
fn results_are_those_of_flows_that_are_there_all_the_time() {
    for seed in 1..=5 {
        let folded = Simulation::new(&scenario(seed, "interval = \"100 ms\"\nflows = false")).unwrap().run();
        let sampled = Simulation::new(&scenario(seed, "interval = \"100 ms\"")).unwrap().run();
        let kept =
            Simulation::new(&scenario(seed, "interval = \"100 ms\"\nepoch = \"own rtt\"")).unwrap().run();
        assert_eq!([folded.events, sampled.events], [kept.events; 2]);
        let tables =
            ["flows", "links", "timeouts", "transfers", "transfer_classes", "network_series", "link_series"];
        assert_same(&folded, &kept, &tables);
        assert_same(&sampled, &kept, &tables);
        assert_same(&sampled, &kept, &["flow_series", "flow_events", "gauges", "drops"]);
        let timeouts = folded.table("timeouts").expect("a table").columns()[0].1.len();
        assert!(timeouts > 20, "{timeouts} rows of timeouts: files have losses");
    }
}

/// The end of a run finds flows that have not come, that are under way, and that are over.
#[test]
fn a_run_may_end_at_any_time() {
    for seconds in [10, 11, 13] {
        let end = |more| {
            let scenario = scenario(7, more).with("duration", &format!("{seconds} s"));
            let scenario = scenario.and_then(|scenario| scenario.with("warm_up", "1 s"));
            Simulation::new(&scenario.unwrap_or_else(|error| panic!("{error}"))).unwrap().run()
        };
        let tables = ["flows", "links", "timeouts", "transfers", "transfer_classes"];
        assert_same(&end(""), &end("epoch = \"own rtt\""), &tables);
    }
}
