//! Every application's file has an entry, and every entry is listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ackclock_application::ENTRIES;

#[test]
fn every_file_with_an_entry_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let list = fs::read_to_string(folder.join("lib.rs")).expect("lib.rs");
    let files = fs::read_dir(folder).expect("src").map(|file| file.expect("a file").path());
    for file in files.filter(|file| file.is_file()) {
        let text = fs::read_to_string(&file).expect("a source file");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let has_entry = text.contains("const ENTRY: Entry");
        let implements = text.lines().any(|line| line.starts_with("impl Application for "));
        assert_eq!(
            has_entry, implements,
            "{name}.rs holds an application without an ENTRY, or the other way round"
        );
        let listed = list.contains(&format!(" {name}::ENTRY"));
        assert_eq!(has_entry, listed, "{name}.rs has an ENTRY: list {name}::ENTRY among ENTRIES in lib.rs");
    }
}

#[test]
fn names_are_different_and_plain() {
    let names: BTreeSet<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), ENTRIES.len());
    assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{names:?}");
}
