//! Dropped packets are counted for the flow and the transfer they belong to.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

fn run(algorithm: &str, flow: &str) -> Output {
    let text = format!(
        r#"
        name = "losses"
        duration = "60 s"
        [topology.dumbbell]
        pairs = 3
        bottleneck = {{ rate = "5 Mbit/s", delay = "20 ms", buffer = "10 packets" }}
        access = {{ rate = "50 Mbit/s", delay = "2 ms", loss = {{ bernoulli = 0.01 }}, reverse = {{ loss = {{ bernoulli = 0.02 }} }} }}
        [tcp]
        algorithm = "{algorithm}"
        [[flow]]
        {flow}
        [[udp]]
        rate = "500 kbit/s"
        "#
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn counts(output: &Output, table: &str, column: &str) -> Vec<u64> {
    output
        .table(table)
        .and_then(|table| table.count(column))
        .unwrap_or_else(|| panic!("no {column}"))
        .to_vec()
}

fn sum(output: &Output, table: &str, column: &str) -> u64 {
    counts(output, table, column).iter().sum()
}

#[test]
fn every_drop_of_a_link_is_some_flows() {
    for algorithm in ["newreno", "sack", "acknak", "tfrc"] {
        let output = run(algorithm, "count = 3");
        let (data, control) =
            (sum(&output, "flows", "packets_lost"), sum(&output, "flows", "control_packets_lost"));
        let links = sum(&output, "links", "dropped_queue") + sum(&output, "links", "dropped_loss");
        assert_eq!(data + control, links, "{algorithm}");
        assert!(data > 100 && control > 50, "{algorithm}: {data} and {control}");
        let udp = counts(&output, "flows", "packets_lost")[3];
        let sent = counts(&output, "flows", "packets_sent")[3];
        let delivered = counts(&output, "flows", "packets_delivered")[3];
        // All but what the end of the run finds under way has been delivered or dropped.
        assert!((0..10).contains(&(sent - delivered - udp)), "{sent} - {delivered} - {udp}");
    }
}

#[test]
fn a_transfer_has_the_losses_of_its_own_connection() {
    for algorithm in ["newreno", "sack", "acknak"] {
        let flow = "count = 6\nsize = { pareto = { scale = \"4 packets\", shape = 1.2 } }\n\
                    think = { exponential = { mean = \"200 ms\" } }";
        let output = run(algorithm, flow);
        let (lost, sent) =
            (counts(&output, "transfers", "packets_lost"), counts(&output, "transfers", "packets_sent"));
        let sizes = counts(&output, "transfers", "packets");
        let finished = output.table("transfers").unwrap().real("finish_s").unwrap().to_vec();
        let Some(Column::Index(flows)) = output.table("transfers").unwrap().column("flow") else { panic!() };
        assert!(sizes.len() > 300, "{algorithm}: {} transfers", sizes.len());
        for row in (0..sizes.len()).filter(|row| finished[*row].is_finite()) {
            // Of a file that is there, every packet came through at least once.
            assert!(sent[row] >= sizes[row] + lost[row], "{algorithm}: {} {}", sent[row], lost[row]);
        }
        for flow in 0..6 {
            let own = (0..sizes.len()).filter(|row| flows[*row] == flow).map(|row| lost[row]).sum::<u64>();
            let whole = counts(&output, "flows", "packets_lost")[flow as usize];
            // Retransmissions that were not needed may be dropped after their transfer is over.
            assert!(own <= whole && own * 20 >= whole * 19 && own > 0, "{algorithm}: {own} of {whole}");
        }
        let classes = sum(&output, "transfer_classes", "packets_lost");
        let ended: u64 = (0..sizes.len()).filter(|row| finished[*row].is_finite()).map(|row| lost[row]).sum();
        assert_eq!(classes, ended, "{algorithm}");
    }
}
