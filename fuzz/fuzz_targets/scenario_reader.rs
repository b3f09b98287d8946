//! No text makes the scenario reader panic, overflow or hang, and what it accepts is written back and read again.

#![no_main]

use ackclock_simulation::scenario::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let custom = ["mine".to_owned()];
    // The first line may be a setting, `path = value`, for the scenario of the other lines.
    let (setting, rest) = text.split_once('\n').unwrap_or(("", text));
    for scenario in
        [Scenario::from_toml(text, &custom), Scenario::from_json(text, &custom)].into_iter().flatten()
    {
        let again = Scenario::from_toml(&scenario.to_toml(), &custom);
        assert_eq!(again.as_ref(), Ok(&scenario));
    }
    if let (Ok(scenario), Some((path, value))) = (Scenario::from_toml(rest, &custom), setting.split_once('='))
    {
        match scenario.with(path.trim(), value.trim()) {
            Ok(changed) => drop(changed.to_json()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
