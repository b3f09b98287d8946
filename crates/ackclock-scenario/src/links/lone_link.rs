//! A link by itself, for drivers that carry packets of their own over it.

use ackclock_network as network;
use ackclock_units::Duration;

use super::buffer::Buffer;
use super::link::LinkConfig;
use super::paths;
use crate::read::error::{Checked, ScenarioError};
use crate::read::files::{self, ReadFile};
use crate::read::key::Key;
use crate::read::{reader, tree};

/// A scripted loss may name any flow, since there is no list of them.
const ANY_FLOW: u32 = u32::MAX;

/// The forward and the backward direction of a link whose keys are in a JSON text, for a run of this
/// duration. The keys are those of a link in a scenario; `read` reads the files that they name. Keys in
/// errors begin with `link.`.
///
/// # Errors
/// When the text is no JSON table, or anything in it cannot be right.
pub fn lone_link(
    text: &str,
    duration: Duration,
    read: ReadFile,
) -> Result<[network::LinkConfig; 2], ScenarioError> {
    let mut tree = tree::from_json(text)?;
    files::take_over_links(&mut tree, "link", read)?;
    paths::complete_all(&mut tree, "link")?;
    let link: LinkConfig = reader::read(&tree).map_err(|error| {
        let key = error.key.map_or("link".to_owned(), |key| format!("link.{key}"));
        ScenarioError { key: Some(key), ..error }
    })?;
    let at = Key::top("link");
    link.check(&at, ANY_FLOW)?;
    let backward = link.backward();
    check_buffer(&at.then("buffer"), &link)?;
    check_buffer(&at.then("reverse").then("buffer"), &backward)?;
    Ok([link.network(duration), backward.network(duration)])
}

/// Refuses a part of the bandwidth-delay product, which depends on the flows of a scenario.
fn check_buffer(at: &Key, link: &LinkConfig) -> Checked {
    match link.buffer {
        Buffer::BdpFraction(_) => {
            let message = "a part of the bandwidth-delay product depends on the round trips of known flows; \
                           write packets or bytes, such as \"50 packets\"";
            Err(at.wrong(link.buffer, message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ackclock_network::BufferSize;
    use ackclock_units::{Bytes, Duration};

    use super::lone_link;
    use crate::read::files::none;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_link_has_the_keys_of_one_in_a_scenario() {
        let text = r#"{"rate": "20 Mbit/s", "delay": "20 ms", "buffer": "20 packets", "reverse": {"rate": "1 Mbit/s"}}"#;
        let [forward, backward] = lone_link(text, HOUR, &none).expect("a link");
        assert_eq!(forward.rate.to_string(), "20 Mbit/s");
        assert_eq!(backward.rate.to_string(), "1 Mbit/s");
        assert_eq!((forward.delay, backward.delay), (Duration::from_millis(20), Duration::from_millis(20)));
        assert_eq!(backward.buffer, BufferSize::Packets(20), "as forward where nothing else is given");
    }

    /// 20 Mbit/s are 2 500 000 bytes in a second, and 1 Mbit/s is 125 000.
    #[test]
    fn a_buffer_of_a_time_has_the_bytes_of_that_time() {
        let text =
            r#"{"rate": "20 Mbit/s", "delay": "20 ms", "buffer": "100 ms", "reverse": {"rate": "1 Mbit/s"}}"#;
        let buffers = lone_link(text, HOUR, &none).expect("a link").map(|direction| direction.buffer);
        assert_eq!(buffers, [250_000, 12_500].map(|bytes| BufferSize::Bytes(Bytes::new(bytes))));
    }

    /// Nobody knows the flows of a link between real programs.
    #[test]
    fn a_buffer_by_the_number_of_flows_is_unlimited() {
        let text =
            r#"{"rate": "1 Mbit/s", "delay": "1 ms", "buffer": "50 packets", "queue": "flow-proportional"}"#;
        let refused = lone_link(text, HOUR, &none).expect_err("a buffer that cuts the queue off").to_string();
        assert!(
            refused.contains("expected \"unlimited\"; with") && !refused.contains("flows of"),
            "{refused}"
        );
        lone_link(&text.replace("50 packets", "unlimited"), HOUR, &none).expect("a link");
    }

    #[test]
    fn a_typical_path_has_keys_of_its_own() {
        let [forward, _] = lone_link(r#"{"path": "lte-driving"}"#, HOUR, &none).expect("a link");
        assert!(!forward.path.is_plain());
    }

    #[test]
    fn errors_name_the_key() {
        let key = |text: &str| lone_link(text, HOUR, &none).expect_err(text).to_string();
        assert!(key(r#"{"delay": "1 ms"}"#).starts_with("link.rate: missing"));
        assert!(key(r#"{"rate": "5", "delay": "1 ms"}"#).starts_with("link.rate: "));
        let unknown = key(r#"{"rate": "1 Mbit/s", "delay": "1 ms", "bufer": "3 packets"}"#);
        assert!(unknown.starts_with("link.bufer: unknown key; did you mean \"buffer\"?"), "{unknown}");
        let bdp = key(r#"{"rate": "1 Mbit/s", "delay": "1 ms", "buffer": "50% bdp"}"#);
        assert!(bdp.starts_with("link.buffer: a part of the bandwidth-delay product"), "{bdp}");
        assert!(key(r#"{"path": "lte"}"#).starts_with("link.path: found \"lte\", which is no path"));
    }
}
