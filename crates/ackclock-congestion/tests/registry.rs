//! Names, parameters, and what a wrong specification is told.

use ackclock_catalogue::{nearest, nearest_entry};
use ackclock_congestion::registry::{ControllerSpec, entries};
use ackclock_congestion::{Start, avoidance};

#[test]
fn every_entry_says_what_it_is_and_can_be_built() {
    for (index, entry) in entries().enumerate() {
        let other = entries().take(index).find(|other| (other.kind, other.name) == (entry.kind, entry.name));
        assert!(other.is_none(), "{} twice", entry.name);
        assert!(!entry.title.is_empty() && !entry.source.is_empty(), "{}", entry.name);
        for parameter in entry.parameters {
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            assert!(!parameter.meaning.is_empty(), "{}", parameter.name);
        }
        let text = match entry.kind {
            "slow start" => format!("{}+reno", entry.name),
            "avoidance" | "controller" => entry.name.to_owned(),
            kind => panic!("{} is a {kind}, which is no part of a controller", entry.name),
        };
        let controller = text.parse::<ControllerSpec>().unwrap().build(&Start::default());
        // Two whose sources say what a connection begins with.
        let (cwnd, ssthresh) = match entry.name {
            "gallop-vegas" => (2.0, f64::INFINITY),
            "adaptive" => (10.0, 4.0),
            _ => (10.0, f64::INFINITY),
        };
        let begun = (controller.decision().cwnd, controller.ssthresh());
        assert!(begun == (cwnd, ssthresh), "{} begins with {begun:?}", entry.name);
    }
}

#[test]
fn a_specification_is_written_in_its_shortest_form() {
    for (text, canonical) in [
        ("", ""),
        ("  ", ""),
        ("reno", ""),
        ("standard", ""),
        ("standard + reno", ""),
        ("reno()", ""),
        ("standard(limit=2)", "standard(limit=2)"),
        ("standard(limit=2)+reno(limit=inf)", "standard(limit=2)"),
        ("vegas", "vegas"),
        ("vegas+vegas", "vegas"),
        ("vegas+reno", "vegas+reno"),
        ("standard+vegas", "standard+vegas"),
        (" vegas( beta = 4 , alpha=2.0 ) ", "vegas(alpha=2,beta=4)"),
        ("vegas(gamma=2)+vegas(beta=1e1)", "vegas(gamma=2)+vegas(beta=10)"),
        ("vegas(alpha=1)", "vegas"),
        ("reno(limit=inf)", ""),
        ("reno(limit=1)", "reno(limit=1)"),
        ("reno(limit=1e+3)", "reno(limit=1000)"),
        ("bbr1()", "bbr1"),
        ("bbr1(probe_rtt_window=4)", "bbr1(probe_rtt_window=4)"),
    ] {
        let spec: ControllerSpec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(spec.to_string(), canonical, "{text}");
        assert_eq!(canonical.parse(), Ok(spec), "{text}");
    }
}

#[test]
fn vegas_brings_its_slow_start_and_can_be_parted_from_it() {
    let parts = |text: &str| {
        let spec: ControllerSpec = text.parse().unwrap();
        (spec.slow_start().unwrap().name, spec.avoidance().unwrap().name)
    };
    assert_eq!(parts("vegas"), ("vegas", "vegas"));
    assert_eq!(parts("standard+vegas"), ("standard", "vegas"));
    assert_eq!(parts("vegas+reno"), ("vegas", "reno"));
}

#[test]
fn parameters_reach_the_algorithm() {
    let started = |text: &str| {
        let mut controller = text.parse::<ControllerSpec>().unwrap().build(&Start::default());
        controller.on_congestion(&ackclock_congestion::Congestion {
            now: ackclock_units::Time::ZERO,
            signal: ackclock_congestion::Signal::Loss,
            flight: 10.0,
            restart: false,
            repeated: false,
        });
        controller.decision().cwnd
    };
    assert!((started("vegas(keep=0.9)") - 9.0).abs() < 1e-12);
    assert!((started("vegas(keep=0.4)") - 4.0).abs() < 1e-12);
}

/// Text, what is named as found, the nearest name, and words of the message.
const WRONG: &[(&str, &str, Option<&str>, &[&str])] = &[
    ("vegsa", "vegsa", Some("vegas"), &["unknown algorithm", "did you mean \"vegas\"?"]),
    ("africa", "africa", None, &["unknown algorithm", "(there are: "]),
    ("standart+reno", "standart", Some("standard"), &["unknown algorithm"]),
    ("standard+rneo", "rneo", Some("reno"), &["unknown algorithm"]),
    ("reno+standard", "reno", None, &["before", "standard+reno"]),
    ("standard+bbr1", "bbr1", None, &["whole controller", "alone"]),
    ("bbr1+reno", "bbr1", None, &["whole controller", "alone"]),
    ("reno+reno", "reno", None, &["both", "avoidance"]),
    ("standard+standard", "standard", None, &["both", "slow start"]),
    ("standard+vegas+reno", "reno", None, &["3 parts"]),
    ("vegas(alfa=1)", "alfa", Some("alpha"), &["unknown parameter of the avoidance vegas", "\"alpha\"?"]),
    ("vegas(gamma=1)", "gamma", None, &["belongs to the slow start vegas"]),
    ("vegas(alpha=one)", "one", None, &["alpha", "number"]),
    ("vegas(alpha=nan)", "nan", None, &["alpha", "number"]),
    ("vegas(alpha=)", "", None, &["alpha", "number"]),
    ("vegas(alpha=-1)", "-1", None, &["alpha", "at least 0"]),
    ("vegas(keep=1.5)", "1.5", None, &["keep", "from 0 to 1"]),
    ("vegas(alpha=4)", "vegas(alpha=4)", None, &["alpha=4", "beta=3"]),
    ("bic(b=inf)", "inf", None, &["bic: b must be from 1.1 to 1000"]),
    ("htcp(rtt_scaling=inf)", "inf", None, &["htcp: rtt_scaling must be from 0 to 1000"]),
    ("btcp(mice=inf)", "inf", None, &["btcp: mice must be from 1 to 1000000"]),
    ("hystart(css_rounds=inf)", "inf", None, &["hystart: css_rounds must be from 1 to 1000000"]),
    ("fast(alpha=inf)", "inf", None, &["fast: alpha must be from 0 to 1000000"]),
    ("cubic(fast_convergence=0.5)", "cubic(fast_convergence=0.5)", None, &["must be 0 or 1"]),
    ("btcp(head_start=0.5)", "btcp(head_start=0.5)", None, &["must be 0 or 1"]),
    ("bbr1(phase=2.5)", "bbr1(phase=2.5)", None, &["phase=2.5 must be a whole number"]),
    ("bbr1(bw_window=9.5)", "bbr1(bw_window=9.5)", None, &["bw_window=9.5 must be a whole number"]),
    ("ctcp", "ctcp", Some("compound"), &["did you mean \"compound\"?"]),
    ("limited+stcp", "stcp", Some("scalable"), &["did you mean \"scalable\"?"]),
    ("vegas(alpha=1,alpha=2)", "alpha", None, &["twice"]),
    ("vegas(alpha)", "alpha", None, &["key=value"]),
    ("vegas(alpha=1,)", "", None, &["key=value"]),
    ("vegas(alpha=1", "vegas(alpha=1", None, &["\")\""]),
    ("vegas)", "vegas)", None, &["\"(\""]),
    ("vegas(alpha=1)x", "vegas(alpha=1)x", None, &["name(key=value"]),
    ("vegas(alpha=(1))", "vegas(alpha=(1))", None, &["name(key=value"]),
    ("+reno", "+reno", None, &["missing"]),
    ("reno+", "reno+", None, &["missing"]),
    ("(alpha=1)", "(alpha=1)", None, &["missing"]),
];

#[test]
fn a_wrong_specification_is_told_what_was_found_and_what_would_be_right() {
    for &(text, found, nearest, words) in WRONG {
        let error = text.parse::<ControllerSpec>().expect_err(text);
        assert_eq!((error.found.as_str(), error.nearest.as_deref()), (found, nearest), "{text}: {error}");
        for word in words {
            assert!(error.message().contains(word), "{text}: {error}");
        }
        assert!(error.to_string().contains(found));
    }
}

#[test]
fn a_name_used_elsewhere_is_recognised() {
    let names: Vec<_> = entries().map(|entry| entry.name).collect();
    for entry in entries() {
        for alias in entry.aliases {
            assert!(!names.contains(alias), "{alias} is a name here, too");
            assert_eq!(nearest_entry(alias, entries()), Some(entry.name));
        }
    }
    let some = avoidance::ENTRIES.iter().filter(|entry| entry.name != "compound");
    assert_eq!(nearest_entry("CTCP", some.clone()), nearest("CTCP", some.map(|entry| entry.name)));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z0-9+(),=. ]{0,40}") {
        if let Ok(spec) = text.parse::<ControllerSpec>() {
            proptest::prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        }
    }

    #[test]
    fn what_is_written_is_read_back(alpha in 0.0..5.0, more in 0.0..5.0, keep in 0.0..=1.0, gamma in 0.0..9.0) {
        let text = format!("vegas(gamma={gamma})+vegas(alpha={alpha},beta={},keep={keep})", alpha + more);
        let spec: ControllerSpec = text.parse().unwrap();
        proptest::prop_assert_eq!(spec.to_string().parse(), Ok(spec));
    }
}
