//! A variant by name: its transport (for TCP, its loss recovery), and its congestion control.

mod check;
mod error;
mod transport;

use std::fmt;
use std::str::FromStr;

use ackclock_catalogue::{name_of, split};
use ackclock_congestion::Start;
use ackclock_congestion::registry::{ControllerSpec, OwnParts};

use self::check::{check_acknak, check_places, is_part};
pub use self::error::VariantError;
pub use self::transport::Transport;
use crate::tcp::Recovery;
use crate::tfrc;

/// A transport and a controller, written `recovery + slow start + avoidance`, each part optional:
/// `sack+limited(max_ssthresh=100)+htcp`. A transport other than TCP stands instead of the recovery:
/// `acknak+limited(max_ssthresh=100)+htcp`.
///
/// TFRC is a transport that controls its rate itself, and stands alone: `tfrc(discounting=1)`.
///
/// A name alone means all that it can mean: `reno` is Reno's recovery and avoidance, `vegas` all of Vegas. If no
/// recovery is named, it is the controller's own, or [`Recovery::DEFAULT`] if it has none: `cubic` is
/// `rack+cubic`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Variant {
    /// The transport: the exchange of packets and acknowledgments.
    pub transport: Transport,
    /// The congestion control.
    pub controller: Controller,
}

/// The congestion control of a variant.
///
/// Exhaustive: a driver builds every one.
#[derive(Clone, Debug, PartialEq)]
pub enum Controller {
    /// An algorithm of the registry.
    Known(ControllerSpec),
    /// A controller of the caller, by its name, or a slow start and an avoidance of which one or both are the caller's
    /// ([`OwnParts`]).
    Custom(String),
    /// TFRC's own congestion control.
    Tfrc(tfrc::Spec),
}

impl Variant {
    /// Reads a variant. Instead of slow start and avoidance it may name one of the caller's own controllers,
    /// `custom`.
    ///
    /// # Errors
    /// When a name is not known, or the registry refuses a parameter.
    pub fn parse(text: &str, custom: &[&str]) -> Result<Variant, VariantError> {
        let text = text.trim();
        let pieces = split(text)?;
        check_places(text, &pieces, custom)
            .map_err(|misplaced| misplaced.suggesting(|text| Variant::parse(text, custom).is_ok()))?;
        let first = pieces[0];
        if let Some(spec) = tfrc::Spec::read(first)? {
            return Ok(Variant { transport: Transport::Tfrc, controller: Controller::Tfrc(spec) });
        }
        let refuse_unknown = |piece: &str| match name_of(piece) {
            name if is_part(name, custom) => Ok(()),
            name => Err(VariantError::unknown(name, custom)),
        };
        let Some(transport) = Transport::find(first) else {
            refuse_unknown(first)?;
            let controller = Controller::parse(text, custom)?;
            return Ok(Variant { transport: Transport::Tcp(controller.own_recovery()), controller });
        };
        let controller = match pieces.get(1) {
            Some(second) => {
                refuse_unknown(second)?;
                Controller::parse(&pieces[1..].join("+"), custom)?
            }
            // "vegas" alone is more than its recovery.
            None if is_part(first, custom) => Controller::parse(first, custom)?,
            None => Controller::Known(ControllerSpec::default()),
        };
        if let (Transport::AckNak, Controller::Known(spec)) = (transport, &controller) {
            check_acknak(text, spec)?;
        }
        Ok(Variant { transport, controller })
    }
}

impl Controller {
    fn parse(text: &str, custom: &[&str]) -> Result<Controller, VariantError> {
        if custom.contains(&text.trim()) {
            return Ok(Controller::Custom(text.trim().to_owned()));
        }
        match OwnParts::read(text, custom)? {
            Some(parts) => Ok(Controller::Custom(parts.to_string())),
            None => Ok(Controller::Known(text.parse()?)),
        }
    }

    /// The transport of the variant whose text is this controller alone, `text`. None if that text would mean
    /// another variant, because it is empty or begins with the name of a transport or a recovery.
    fn implied_transport(&self, text: &str) -> Option<Transport> {
        let (first, rest) = text.split_once('+').map_or((text, None), |(first, rest)| (first, Some(rest)));
        match Transport::find(first) {
            Some(transport) => rest.is_none().then_some(transport),
            None => (!text.is_empty()).then(|| Transport::Tcp(self.own_recovery())),
        }
    }

    /// The recovery if none is named: that with which the algorithm is defined, or the default one.
    fn own_recovery(&self) -> Recovery {
        match self {
            Controller::Known(spec) => {
                let needed = spec.build(&Start::default()).needs().recovery;
                needed.and_then(|name| name.parse().ok()).unwrap_or(Recovery::DEFAULT)
            }
            _ => Recovery::DEFAULT,
        }
    }
}

impl FromStr for Variant {
    type Err = VariantError;
    fn from_str(text: &str) -> Result<Variant, VariantError> {
        Variant::parse(text, &[])
    }
}

impl fmt::Display for Controller {
    /// The controller without its transport, `reno` for standard TCP's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Controller::Known(spec) => match spec.to_string() {
                text if text.is_empty() => f.write_str("reno"),
                text => f.write_str(&text),
            },
            Controller::Custom(name) => f.write_str(name),
            Controller::Tfrc(spec) => spec.fmt(f),
        }
    }
}

impl fmt::Display for Variant {
    /// The shortest text that reads back as this variant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = self.transport;
        let (controller, is_own) = match &self.controller {
            Controller::Known(spec) => (spec.to_string(), *spec == transport.own_controller()),
            Controller::Custom(name) => (name.clone(), false),
            Controller::Tfrc(spec) => return spec.fmt(f),
        };
        if self.controller.implied_transport(&controller) == Some(transport) {
            f.write_str(&controller)
        } else if is_own {
            f.write_str(transport.name())
        } else {
            let controller = if controller.is_empty() { "reno" } else { &controller };
            write!(f, "{}+{controller}", transport.name())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Variant {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn avoidance(variant: &Variant) -> &'static str {
        match &variant.controller {
            Controller::Known(spec) => spec.avoidance().map_or("none", |entry| entry.name),
            Controller::Custom(_) | Controller::Tfrc(_) => "custom",
        }
    }

    #[test]
    fn a_name_alone_means_all_it_can() {
        for (text, recovery, rule) in [
            ("tahoe", Recovery::Tahoe, "reno"),
            ("reno", Recovery::Reno, "reno"),
            ("newreno", Recovery::NewReno, "reno"),
            ("sack", Recovery::Sack, "reno"),
            ("vegas", Recovery::Vegas, "vegas"),
            ("vegas(alpha=2,beta=4)", Recovery::Vegas, "vegas"),
            ("sack+vegas", Recovery::Sack, "vegas"),
            ("vegas+reno", Recovery::Vegas, "reno"),
            ("standard+vegas", Recovery::Vegas, "vegas"),
            ("bbr1", Recovery::Rack, "none"),
            ("newreno+bbr1", Recovery::NewReno, "none"),
            ("cubic", Recovery::Rack, "cubic"),
            ("hystart", Recovery::Rack, "reno"),
            ("limited+htcp", Recovery::Rack, "htcp"),
            ("newreno+cubic", Recovery::NewReno, "cubic"),
            ("subpacket", Recovery::Rack, "none"),
        ] {
            let variant = read(text);
            assert_eq!((variant.transport, avoidance(&variant)), (Transport::Tcp(recovery), rule), "{text}");
            assert_eq!(read(&variant.to_string()), variant, "{text} is written as {variant}");
        }
        assert_eq!(read("newreno+reno").to_string(), "newreno");
        assert_eq!(read(" vegas + vegas ").to_string(), "vegas");
        assert_eq!(read("rack+bbr1").to_string(), "bbr1");
    }

    #[test]
    fn the_text_of_every_variant_reads_back() {
        let recoveries = Recovery::ALL.iter().map(|&recovery| Transport::Tcp(recovery));
        for transport in recoveries.chain([Transport::AckNak]) {
            let controllers =
                ["reno", "vegas", "vegas+reno", "standard+vegas", "vegas(alpha=2)", "reno(limit=2)"];
            for controller in controllers.into_iter().chain(["limited", "limited+cubic", "bbr1", "standard"])
            {
                let text = format!("{}+{controller}", transport.name());
                let Ok(variant) = text.parse::<Variant>() else {
                    assert_eq!((transport, controller), (Transport::AckNak, "bbr1"));
                    continue;
                };
                assert_eq!(read(&variant.to_string()), variant, "{text} is written as {variant}");
                assert!(variant.to_string().len() <= text.len(), "{text} is written as {variant}");
            }
            let custom = Variant::parse(&format!("{}+mine", transport.name()), &["mine"]).unwrap();
            assert_eq!(Variant::parse(&custom.to_string(), &["mine"]), Ok(custom));
        }
    }

    #[test]
    fn a_transport_stands_in_the_place_of_the_recovery() {
        for (text, written, rule) in [
            ("acknak", "acknak", "reno"),
            ("acknak+standard+reno", "acknak", "reno"),
            ("acknak+vegas", "acknak+vegas", "vegas"),
            (" acknak + standard + vegas ", "acknak+standard+vegas", "vegas"),
        ] {
            let variant = read(text);
            assert_eq!((variant.transport, avoidance(&variant)), (Transport::AckNak, rule), "{text}");
            assert_eq!(variant.to_string(), written, "{text}");
            assert_eq!(read(written), variant, "{text}");
        }
        let custom = Variant::parse("acknak+mine", &["mine"]).unwrap();
        assert_eq!(custom.transport, Transport::AckNak);
        assert_eq!(custom.to_string(), "acknak+mine");
        for wrong in ["acknak+", "acknak+sack", "sack+acknak", "acknak+acknak", "acknak(x=1)"] {
            assert!(wrong.parse::<Variant>().is_err(), "{wrong:?}");
        }
        assert_eq!("acknack".parse::<Variant>().unwrap_err().nearest.as_deref(), Some("acknak"));
    }

    #[test]
    fn tfrc_stands_alone() {
        for text in ["tfrc", "tfrc(discounting=1,min_rto=1)"] {
            let variant = read(text);
            assert_eq!((variant.transport, variant.to_string().as_str()), (Transport::Tfrc, text));
        }
        assert_eq!(read("tfrc( discounting = 0 )").to_string(), "tfrc");
        for wrong in ["tfrc+reno", "sack+tfrc", "tfrc+", "tfrc(x=1)", "tfrc("] {
            let error = wrong.parse::<Variant>().unwrap_err();
            assert!(error.to_string().contains("tfrc"), "{wrong:?}: {error}");
        }
        assert_eq!("trfc".parse::<Variant>().unwrap_err().nearest.as_deref(), Some("tfrc"));
    }

    #[test]
    fn a_typing_error_gets_the_nearest_name() {
        let error = "newrno".parse::<Variant>().unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some("newreno"));
        let error = "sack+vegsa".parse::<Variant>().unwrap_err();
        assert_eq!((error.found.as_str(), error.nearest.as_deref()), ("vegsa", Some("vegas")));
        let error = "bbr".parse::<Variant>().unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some("bbr1"));
        for wrong in ["acknak+bbr1", "sack+", "+", "", "sack+sack", "(", "tahoe(x=1)"] {
            assert!(wrong.parse::<Variant>().is_err(), "{wrong:?}");
        }
    }

    /// The text, the probable intention, and the message.
    const MISPLACED: &[(&str, Option<&str>, &str)] = &[
        ("cubic+sack", Some("sack+cubic"), r#": sack is a recovery, which comes first; write "sack+cubic""#),
        (
            "limited+sack",
            Some("sack+limited"),
            r#": sack is a recovery, which comes first; write "sack+limited""#,
        ),
        ("cubic+rack", Some("rack+cubic"), r#": rack is a recovery, which comes first; write "rack+cubic""#),
        ("reno+sack", Some("sack+reno"), r#": sack is a recovery, which comes first; write "sack+reno""#),
        ("vegas(alpha=2)+sack", Some("sack+vegas(alpha=2)"), r#"; write "sack+vegas(alpha=2)""#),
        ("limited+cubic+prr", Some("prr+limited+cubic"), r#"; write "prr+limited+cubic""#),
        ("mine+sack", Some("sack+mine"), r#": sack is a recovery, which comes first; write "sack+mine""#),
        (
            "cubic+acknak",
            Some("acknak+cubic"),
            r#": acknak is a transport, which comes first; write "acknak+cubic""#,
        ),
        ("bbr1+acknak", None, ": acknak is a transport, which comes first"),
        (
            "acknak+sack",
            Some("acknak"),
            r#": acknak takes the place of a recovery, and sack is one; write "acknak" or "sack""#,
        ),
        ("acknak+tahoe", Some("acknak"), r#", and tahoe is one; write "acknak" or "tahoe""#),
        ("acknak+newreno", Some("acknak"), r#", and newreno is one; write "acknak" or "newreno""#),
        (
            "sack+acknak+cubic",
            Some("sack+cubic"),
            r#", and sack is one; write "sack+cubic" or "acknak+cubic""#,
        ),
        ("sack+acknak+bbr1", Some("sack+bbr1"), r#", and sack is one; write "sack+bbr1""#),
        (
            "sack+rack+limited(max_ssthresh=50)",
            Some("sack+limited(max_ssthresh=50)"),
            r#"; write "sack+limited(max_ssthresh=50)" or "rack+limited(max_ssthresh=50)""#,
        ),
        ("sack+rack", Some("sack"), r#": sack and rack are both recoveries; write "sack" or "rack""#),
        ("sack+sack", Some("sack"), r#": sack is named twice; write "sack""#),
        ("acknak+acknak", Some("acknak"), r#": acknak is named twice; write "acknak""#),
        ("hystart++", Some("hystart"), r#": a name is missing before or after a "+"; write "hystart""#),
        ("HyStart++", Some("hystart"), r#"; write "hystart""#),
        ("westwood+", Some("westwood"), r#": a name is missing before or after a "+"; write "westwood""#),
        ("sack+hystart+++westwood+", Some("sack+hystart+westwood"), r#"; write "sack+hystart+westwood""#),
        ("sack+", Some("sack"), r#"; write "sack""#),
        ("+cubic", Some("cubic"), r#"; write "cubic""#),
        ("+", None, r#": a name is missing before or after a "+""#),
        (
            "acknak+dctcp",
            Some("dctcp"),
            r#": dctcp goes by marks, and packets of acknak carry none; write "dctcp""#,
        ),
        ("acknak+limited+dctcp(g=0.5)", Some("dctcp"), ": dctcp goes by marks"),
        (
            "acknak+bbr1",
            Some("bbr1"),
            ": bbr1 measures delivery rates and sends at one, and acknak has neither",
        ),
    ];

    #[test]
    fn what_stands_in_the_wrong_place_is_told_the_right_one() {
        for &(text, nearest, message) in MISPLACED {
            let error = Variant::parse(text, &["mine"]).unwrap_err();
            assert_eq!((error.found.as_str(), error.nearest.as_deref()), (text, nearest), "{error}");
            let said = error.to_string();
            assert!(said.starts_with(&format!("{text:?}")) && said.contains(message), "{said}");
            if let Some(right) = nearest {
                assert!(Variant::parse(right, &["mine"]).is_ok(), "{said}");
            }
        }
        for (text, found, message) in [
            ("tahoe(x=1)", "tahoe(x=1)", r#""tahoe(x=1)": tahoe has no parameters"#),
            ("acknak(x=1)+cubic", "acknak(x=1)", r#""acknak(x=1)": acknak has no parameters"#),
            ("nobody+sack", "nobody", r#"unknown algorithm "nobody""#),
        ] {
            let error = text.parse::<Variant>().unwrap_err();
            assert_eq!(error.found, found, "{error}");
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }

    #[test]
    fn names_used_elsewhere_are_understood() {
        for (text, nearest) in [
            ("ctcp", "compound"),
            ("sack+CTCP", "compound"),
            ("highspeed", "hstcp"),
            ("hs-tcp", "hstcp"),
            ("stcp", "scalable"),
            ("h-tcp", "htcp"),
            ("bbr", "bbr1"),
            ("bbr2", "bbr3"),
        ] {
            let error = text.parse::<Variant>().unwrap_err();
            assert_eq!(error.nearest.as_deref(), Some(nearest), "{error}");
            assert!(error.to_string().contains(&format!("did you mean {nearest:?}?")), "{error}");
        }
    }

    #[test]
    fn the_callers_own_controllers_go_by_name() {
        let variant = Variant::parse("sack+mine", &["mine"]).unwrap();
        assert_eq!(variant.controller, Controller::Custom("mine".to_owned()));
        assert_eq!(variant.to_string(), "sack+mine");
        assert_eq!(Variant::parse("mine", &["mine"]).unwrap().transport, Transport::Tcp(Recovery::Rack));
        assert_eq!(Variant::parse("rack+mine", &["mine"]).unwrap().to_string(), "mine");
        assert!(Variant::parse("mine", &[]).is_err());
    }

    #[test]
    fn a_part_may_be_the_callers_own() {
        for (text, transport) in [
            ("newreno+mine+reno", Recovery::NewReno),
            ("newreno+hystart+mine", Recovery::NewReno),
            ("mine+vegas(alpha=2)", Recovery::Rack),
            ("mine+yours", Recovery::Rack),
        ] {
            let variant = Variant::parse(text, &["mine", "yours"]).unwrap();
            assert_eq!(variant.transport, Transport::Tcp(transport), "{text}");
            assert_eq!(variant.to_string(), text);
        }
        for (text, message) in [
            (
                "reno+mine+hystart",
                r#""hystart" is of the kind slow start, and stands in the place of the avoidance"#,
            ),
            ("htcp+mine", r#""htcp" is of the kind avoidance, and stands in the place of the slow start"#),
            ("mine+nobody", r#""nobody": unknown algorithm"#),
            ("hystart+mine+reno", ""),
        ] {
            let error = Variant::parse(text, &["mine"]).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
