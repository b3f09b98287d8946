//! The settings of connections, as keys of a table.

use std::sync::LazyLock;

use ackclock_transport::tcp::{RECEIVER_CONTROLS, Setting, Settings};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess};

use super::error::Checked;
use super::flatten::Part;
use super::key::Key;
use super::part::Choice;
use super::quantity;

impl Part for Settings {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, table: &mut A) -> Result<bool, A::Error> {
        let Some(setting) = self.setting(key) else { return Ok(false) };
        table.next_value_seed(Value(setting))?;
        Ok(true)
    }
}

static RECEIVER_CONTROL: LazyLock<Choice> = LazyLock::new(|| {
    let example =
        "a congestion control of receivers such as \"rledbat\" or { rledbat = { target = \"60 ms\" } }";
    Choice::new(RECEIVER_CONTROLS, "congestion control of receivers", "connection", example)
});

/// Reads the value of a setting.
struct Value<'a>(Setting<'a>);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self.0 {
            Setting::Switch(switch) => *switch = bool::deserialize(from)?,
            Setting::Count(count, _) => *count = u32::deserialize(from)?,
            Setting::CountOrNone(count) => *count = Some(u32::deserialize(from)?).filter(|count| *count > 0),
            Setting::Span(span, _) => *span = quantity::read(from)?,
            Setting::Rate(rate) => *rate = quantity::read_option(from)?,
            Setting::ReceiverControl(control) => *control = Some((&*RECEIVER_CONTROL).deserialize(from)?),
            Setting::Name(choice) => {
                let text = String::deserialize(from)?;
                choice.choose(text.trim()).map_err(|names| de::Error::unknown_variant(&text, names))?;
            }
            other => unreachable!("no scenario can have {other:?}"),
        }
        Ok(())
    }
}

/// Refuses values outside their range; `at` is the table.
pub(crate) fn check(settings: &Settings, at: &Key) -> Checked {
    let mut settings = settings.clone();
    for (name, _) in Settings::keys() {
        match settings.setting(name) {
            Some(Setting::Count(count, range)) => at.then(name).count(*count, &range)?,
            Some(Setting::Span(span, range)) => at.then(name).span(*span, &range)?,
            _ => {}
        }
    }
    Ok(())
}
