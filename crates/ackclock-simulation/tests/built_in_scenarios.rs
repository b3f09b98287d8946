//! Every file of `scenarios/` is right, and says what it is.

use std::fs;
use std::path::Path;

use ackclock_simulation::scenario::Scenario;

/// Name, as the file's, and text of every built-in scenario.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the folder of the built-in scenarios is in the repository")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_built_in_scenario_is_read() {
    let files = files();
    assert!(files.len() >= 8, "only {} scenarios were found", files.len());
    for (name, text) in files {
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scenario.name, name, "a scenario is named as its file");
        assert!(!scenario.title.is_empty(), "{name} has no title");
        assert!(scenario.description.len() > 80, "{name} does not say what it is for");
        assert!(text.starts_with("# "), "{name} begins with a comment that says what it shows");
    }
}

#[test]
fn every_built_in_scenario_is_written_and_read_again() {
    for (name, text) in files() {
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        assert_eq!(Scenario::from_toml(&scenario.to_toml(), &[]), Ok(scenario.clone()), "{name}");
        assert_eq!(Scenario::from_json(&scenario.to_json(), &[]), Ok(scenario), "{name}");
    }
}

#[test]
fn another_seed_changes_what_reading_with_it_would() {
    for (name, text) in files() {
        let seeded = Scenario::from_toml(&text, &[]).unwrap().with("seed", "9").unwrap();
        assert_eq!(Scenario::from_toml(&seeded.to_toml(), &[]), Ok(seeded), "{name}");
    }
}
