//! Tables next to a scenario become part of it.

use ackclock_simulation::scenario::{Application, Distribution, File, Scenario, ScenarioError, Unreadable};

fn text(flow: &str) -> String {
    format!(
        r#"
        name = "tables"
        duration = "10 s"
        [topology.dumbbell]
        bottleneck = {{ rate = "5 Mbit/s", delay = "20 ms" }}
        access = {{ rate = "50 Mbit/s", delay = "2 ms" }}
        [[flow]]
        {flow}
        "#
    )
}

/// Reads a scenario with one file next to it, `sizes.csv`.
fn read(flow: &str, file: &str) -> Result<Scenario, ScenarioError> {
    let files = |name: &str| match name {
        "sizes.csv" => Ok(file.to_owned()),
        _ => Err(Unreadable {
            reason: "there is no such file".to_owned(),
            others: vec!["sizes.csv".to_owned()],
        }),
    };
    Scenario::from_toml_and_files(&text(flow), &[], &files)
}

const SIZES: &str = "size = { table = { file = \"sizes.csv\" } }";
const STARTS: &str = "arrivals = { file = \"sizes.csv\" }";

fn table(scenario: &Scenario) -> Vec<f64> {
    match &scenario.flow[0].application {
        Application::File(File { size: Distribution::Table(table), .. }) => table.packets.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sizes_are_taken_over_in_order_and_once_each() {
    let file = "# From somebody's trace.\nsize_packets\n10\n3.5\n\n10\n 7 \n";
    let scenario = read(SIZES, file).unwrap();
    assert_eq!(table(&scenario), [3.5, 7.0, 10.0]);
    assert!(scenario.to_json().contains(r#""size":{"table":{"packets":[3.5,7,10],"weights":[1,1,2]}}"#));
    // What is saved needs no file.
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), &[]).as_ref(), Ok(&scenario));
    assert_eq!(Scenario::from_json(&scenario.to_json(), &[]).as_ref(), Ok(&scenario));
    let even = read(SIZES, "\u{feff}weight,size_packets\r\n2,5\r\n2,4\r\n").unwrap();
    assert!(even.to_json().contains(r#"{"packets":[4,5]}"#), "{}", even.to_json());
}

#[test]
fn times_are_taken_over_in_order() {
    let scenario = read(STARTS, "start_s\n2.5\n0.000000001\n1e-3\n").unwrap();
    let starts: Vec<u64> = scenario.flows().iter().map(|flow| flow.start.as_nanos()).collect();
    assert_eq!(starts, [2_500_000_000, 1, 1_000_000]);
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), &[]).as_ref(), Ok(&scenario));
}

#[test]
fn another_table_can_be_put_in() {
    let scenario = read("size = { constant = \"5 packets\" }", "").unwrap();
    let other = scenario
        .with_all_and_files([("flow.0.size", "{ table = { file = \"other.csv\" } }")], &|_| {
            Ok("size_packets\n12\n".to_owned())
        });
    assert_eq!(table(&other.unwrap()), [12.0]);
}

#[track_caller]
fn says(flow: &str, file: &str, key: &str, parts: &[&str]) {
    let error = read(flow, file).err().unwrap_or_else(|| panic!("accepted: {file}"));
    assert_eq!(error.key.as_deref(), Some(key), "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    }
}

#[test]
fn mistakes_in_files_name_file_and_line() {
    let key = "flow.0.size.table.file";
    says(SIZES, "", key, &["sizes.csv", "empty", "size_packets"]);
    says(SIZES, "size_packets\n", key, &["sizes.csv", "no row"]);
    says(SIZES, "size_packts\n3\n", key, &["sizes.csv, line 1", "did you mean \"size_packets\"?"]);
    says(SIZES, "weight\n3\n", key, &["line 1", "no column \"size_packets\""]);
    says(SIZES, "size_packets,size_packets\n3,3\n", key, &["there already"]);
    says(SIZES, "size_packets\n3\nmany\n", key, &["line 3", "found \"many\"", "expected a number"]);
    says(SIZES, "size_packets\n# none\n-3\n", key, &["line 3", "found \"-3\""]);
    says(SIZES, "size_packets,weight\n3\n", key, &["line 2", "found 1 values", "2 columns"]);
    says(SIZES, "size_packets\nnan\n", key, &["line 2", "\"nan\""]);
    says(SIZES, "size_packets\n0\n", "flow.0.size.table.packets.0", &["found 0", "above zero"]);
    says(SIZES, "size_packets,weight\n3,0\n", "flow.0.size.table.weights", &["sum of 0"]);
    says(STARTS, "start\n3\n", "flow.0.arrivals.file", &["did you mean \"start_s\"?"]);
    says(STARTS, "start_s\n30\n", "flow.0.arrivals.at", &["after the end"]);
    let missing = "size = { table = { file = \"size.csv\" } }";
    says(missing, "", key, &["size.csv: there is no such file", "did you mean \"sizes.csv\"?"]);
}

#[test]
fn mistakes_in_tables_are_said() {
    let says = |size: &str, key: &str, parts: &[&str]| says(size, "size_packets\n3\n", key, parts);
    let table = "flow.0.size.table";
    says("size = { table = {} }", table, &["neither \"packets\"", "\"file\""]);
    let both = "size = { table = { file = \"sizes.csv\", packets = [3] } }";
    says(both, table, &["found \"file\" and \"packets\""]);
    says("size = { table = { packets = [] } }", table, &["neither"]);
    says("size = { table = { packets = [3, -1] } }", &format!("{table}.packets.1"), &["found -1"]);
    says(
        "size = { table = { packets = [3, \"4\"] } }",
        &format!("{table}.packets.1"),
        &["expected a number"],
    );
    says(
        "size = { table = { packets = [3], weights = [1, 2] } }",
        &format!("{table}.weights"),
        &["2 weights"],
    );
    let negative = "size = { table = { packets = [3, 4], weights = [2, -1] } }";
    says(negative, &format!("{table}.weights.1"), &["found -1"]);
    says("size = { table = { packet = [3] } }", &format!("{table}.packet"), &["did you mean \"packets\"?"]);
    says("size = { table = { file = 3 } }", &format!("{table}.file"), &["expected a text"]);
    says(
        "packets = 3\nthink = { table = { packets = [3] } }",
        "flow.0.think.table",
        &["only sizes of files"],
    );
    let both = "arrivals = { file = \"sizes.csv\", at = [\"1 s\"] }";
    says(both, "flow.0.arrivals", &["expected exactly one of poisson, at, file"]);
}

#[test]
fn no_file_is_read_for_a_text_alone() {
    for (flow, key) in [(SIZES, "flow.0.size.table.file"), (STARTS, "flow.0.arrivals.file")] {
        let error = Scenario::from_toml(&text(flow), &[]).unwrap_err();
        assert_eq!(error.key.as_deref(), Some(key));
        assert!(error.to_string().contains("no file can be read here"), "{error}");
    }
}

/// Somebody else's scenario may name any file: what is no table is not read out.
#[test]
fn nothing_is_quoted_of_a_file_that_is_no_table() {
    for flow in [SIZES, STARTS] {
        let error = read(flow, "root:x:0:0\nsecret\n").unwrap_err();
        let said = format!("{error} {:?}", error.found);
        assert!(said.contains("sizes.csv, line 1: no line of column names"), "{said}");
        assert!(!said.contains("root") && !said.contains("secret"), "{said}");
    }
}
