//! The declaration of settings: a type whose fields are keys of a scenario's table, each with a sentence, a default and a range.

use std::ops::RangeInclusive;

use ackclock_catalogue::Part;
use ackclock_units::{Duration, Rate};

/// The value of a key, to be read and checked. Ranges contain the values that make sense.
#[derive(Debug)]
#[non_exhaustive]
pub enum Setting<'a> {
    /// On or off.
    Switch(&'a mut bool),
    /// A count.
    Count(&'a mut u32, RangeInclusive<u32>),
    /// A count, or none, which is written as 0.
    CountOrNone(&'a mut Option<u32>),
    /// A span of time.
    Span(&'a mut Duration, RangeInclusive<Duration>),
    /// A rate, or none if the key is left out.
    Rate(&'a mut Option<Rate>),
    /// One of several by name.
    Name(&'a mut dyn Named),
    /// A congestion control of receivers with its parameters, one of
    /// [`RECEIVER_CONTROLS`](crate::tcp::RECEIVER_CONTROLS), or none if the key is left out.
    ReceiverControl(&'a mut Option<Part>),
}

/// A choice that has names.
pub trait Named: std::fmt::Debug {
    /// Chooses by name.
    ///
    /// # Errors
    /// The possible names, if this is none of them.
    fn choose(&mut self, name: &str) -> Result<(), &'static [&'static str]>;
}

/// A type that keys have.
pub(super) trait Declared: Sized {
    /// The value as a setting with this range; without a range, that of the type applies.
    fn setting(&mut self, range: Option<RangeInclusive<Self>>) -> Setting<'_>;
}

impl Declared for bool {
    fn setting(&mut self, _: Option<RangeInclusive<bool>>) -> Setting<'_> {
        Setting::Switch(self)
    }
}

impl Declared for u32 {
    fn setting(&mut self, range: Option<RangeInclusive<u32>>) -> Setting<'_> {
        Setting::Count(self, range.unwrap_or(0..=u32::MAX))
    }
}

impl Declared for Option<u32> {
    fn setting(&mut self, _: Option<RangeInclusive<Option<u32>>>) -> Setting<'_> {
        Setting::CountOrNone(self)
    }
}

impl Declared for Duration {
    fn setting(&mut self, range: Option<RangeInclusive<Duration>>) -> Setting<'_> {
        Setting::Span(self, range.unwrap_or(Duration::ZERO..=Duration::MAX))
    }
}

impl Declared for Option<Rate> {
    fn setting(&mut self, _: Option<RangeInclusive<Option<Rate>>>) -> Setting<'_> {
        Setting::Rate(self)
    }
}

impl Declared for Option<Part> {
    fn setting(&mut self, _: Option<RangeInclusive<Option<Part>>>) -> Setting<'_> {
        Setting::ReceiverControl(self)
    }
}

/// Declares a type of settings. The `keys` are those that a table of a scenario has as well, each under the name of its field or
/// another one; the `resolved` fields depend on several keys or on the algorithm; `concerns` are types declared in the
/// same way, whose keys stand in the same table.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $Settings:ident {
            resolved {
                $($(#[doc = $about:literal])+ $resolved:ident: $kind:ty = $usual:expr;)*
            }
            keys {
                $($(#[doc = $doc:literal])+ $key:ident $(as $name:literal)?: $type:ty = $default:expr $(, in $range:expr)?;)*
            }
            concerns {
                $($(#[doc = $whose:literal])+ $concern:ident: $Concern:ident;)*
            }
        }
    ) => {
        $(#[$meta])*
        pub struct $Settings {
            $($(#[doc = $about])+ pub $resolved: $kind,)*
            $($(#[doc = $doc])+ pub $key: $type,)*
            $($(#[doc = $whose])+ pub $concern: $Concern,)*
        }

        impl Default for $Settings {
            fn default() -> $Settings {
                $Settings {
                    $($resolved: $usual,)*
                    $($key: $default,)*
                    $($concern: $Concern::default(),)*
                }
            }
        }

        impl $Settings {
            /// The keys with a sentence on each, without those of its concerns.
            const OWN_KEYS: &[(&str, &str)] =
                &[$((settings!(@name $key $($name)?), concat!($($doc),+).trim_ascii())),*];

            /// The keys by which a scenario writes the settings, with a sentence on each.
            pub fn keys() -> impl Iterator<Item = (&'static str, &'static str)> {
                let own = $Settings::OWN_KEYS.iter().copied();
                $(let own = own.chain($Concern::keys());)*
                own
            }

            /// The value of the key of this name.
            pub fn setting(&mut self, key: &str) -> Option<Setting<'_>> {
                $(if key == settings!(@name $key $($name)?) {
                    return Some(self.$key.setting(settings!(@range $($range)?)));
                })*
                $(if $Concern::keys().any(|(name, _)| name == key) {
                    return self.$concern.setting(key);
                })*
                None
            }
        }
    };
    (@name $key:ident $name:literal) => { $name };
    (@name $key:ident) => { stringify!($key) };
    (@range $range:expr) => { Some($range) };
    (@range) => { None };
}

/// Declares a choice with names.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $Named:ident { $($(#[$about:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $Named {
            $($(#[$about])* $variant,)+
        }

        impl $Named {
            /// The names by which [`FromStr`] reads them.
            pub const NAMES: &[&str] = &[$($name),+];
        }

        impl FromStr for $Named {
            type Err = ();

            fn from_str(name: &str) -> Result<$Named, ()> {
                match name {
                    $($name => Ok($Named::$variant),)+
                    _ => Err(()),
                }
            }
        }

        impl Named for $Named {
            fn choose(&mut self, name: &str) -> Result<(), &'static [&'static str]> {
                *self = name.parse().map_err(|()| $Named::NAMES)?;
                Ok(())
            }
        }

        impl Declared for $Named {
            fn setting(&mut self, _: Option<RangeInclusive<$Named>>) -> Setting<'_> {
                Setting::Name(self)
            }
        }
    };
}

pub(super) use {named, settings};
