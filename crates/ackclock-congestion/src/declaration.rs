//! Macros that turn the declarations in `facts.rs` into types, with names, kinds and values for drivers and controllers
//! in another language.

use ackclock_units::{Duration, PacketRate, Time};

/// The kind of a fact, which states its unit if it has one.
///
/// Exhaustive: a binding to another language has to know every kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// True or false, as 1 or 0.
    Flag,
    /// A whole number.
    Count,
    /// A number of packets, or a part of one.
    Packets,
    /// Seconds; times are since the start.
    Seconds,
    /// Packets per second.
    PacketsPerSecond,
    /// One of these texts, as its index.
    OneOf(&'static [&'static str]),
    /// A value that may be absent: 1 and the value, or 0.
    Optional(&'static Kind),
    /// The values of all facts of a record of this name.
    Record(&'static str, &'static [Field]),
}

/// The name of a fact, and its kind.
pub type Field = (&'static str, Kind);

/// A value that passes between languages as numbers.
pub trait Fact: Sized {
    /// Its kind.
    const KIND: Kind;

    /// Appends its numbers.
    fn put(&self, numbers: &mut Vec<f64>);

    /// The value of the next numbers.
    fn take(next: &mut dyn FnMut() -> f64) -> Self;
}

/// A record of facts.
pub trait Record: Fact + Default {
    /// Its name.
    const NAME: &'static str;
    /// Its meaning.
    const ABOUT: &'static str;
    /// Its facts in the order of their numbers.
    const FIELDS: &'static [Field];
    /// The meaning of each fact, in the same order.
    const DOCS: &'static [&'static str];
}

/// Facts that one number holds.
macro_rules! numbers {
    ($($fact:ty: $kind:ident, $put:expr, $take:expr;)*) => {$(
        impl Fact for $fact {
            const KIND: Kind = Kind::$kind;

            fn put(&self, numbers: &mut Vec<f64>) {
                let put: fn($fact) -> f64 = $put;
                numbers.push(put(*self));
            }

            fn take(next: &mut dyn FnMut() -> f64) -> $fact {
                let take: fn(f64) -> $fact = $take;
                take(next())
            }
        }
    )*};
}

numbers! {
    bool: Flag, f64::from, |number| number != 0.0;
    u32: Count, f64::from, |number| number as u32;
    u64: Count, |count| count as f64, |number| number as u64;
    f64: Packets, |packets| packets, |number| number;
    Time: Seconds, Time::as_secs_f64, |number| Time::ZERO + Duration::from_secs_f64(number);
    Duration: Seconds, Duration::as_secs_f64, Duration::from_secs_f64;
    PacketRate: PacketsPerSecond, |PacketRate(rate)| rate, PacketRate;
}

impl<T: Fact> Fact for Option<T> {
    const KIND: Kind = Kind::Optional(&T::KIND);

    fn put(&self, numbers: &mut Vec<f64>) {
        numbers.push(f64::from(self.is_some()));
        if let Some(value) = self {
            value.put(numbers);
        }
    }

    fn take(next: &mut dyn FnMut() -> f64) -> Option<T> {
        let is_there = next() != 0.0;
        is_there.then(|| T::take(next))
    }
}

/// Makes a type of each declared record: its fields, its default, its numbers, and methods for derived values.
macro_rules! records {
    ($(
        $(#[doc = $about:literal])*
        $record:ident {
            $( $(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr, )*
        } $(=> |$this:ident| {
            $( $(#[doc = $follows_doc:literal])* $follows:ident: $follows_type:ty = $value:expr, )*
        })?
    )*) => {$(
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $record {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl Default for $record {
            #[inline]
            fn default() -> $record {
                $record { $( $field: $default, )* }
            }
        }

        $(impl $record {
            $(
                $(#[doc = $follows_doc])*
                #[inline]
                pub fn $follows(&self) -> $follows_type {
                    let $this = self;
                    $value
                }
            )*
        })?

        impl Record for $record {
            const NAME: &'static str = stringify!($record);
            const ABOUT: &'static str = concat!($($about),*);
            const FIELDS: &'static [Field] = &[
                $( (stringify!($field), <$type as Fact>::KIND), )*
                $($( (stringify!($follows), <$follows_type as Fact>::KIND), )*)?
            ];
            const DOCS: &'static [&'static str] =
                &[ $( concat!($($doc),*), )* $($( concat!($($follows_doc),*), )*)? ];
        }

        impl Fact for $record {
            const KIND: Kind = Kind::Record(stringify!($record), <$record as Record>::FIELDS);

            fn put(&self, numbers: &mut Vec<f64>) {
                $( self.$field.put(numbers); )*
                $($( self.$follows().put(numbers); )*)?
            }

            fn take(next: &mut dyn FnMut() -> f64) -> $record {
                let record = $record { $( $field: <$type as Fact>::take(next), )* };
                $($( <$follows_type as Fact>::take(next); )*)?
                record
            }
        }
    )*};
}

/// A kind of event: the method of a controller's class that takes it, and that method's arguments.
#[derive(Clone, Copy, Debug)]
pub struct EventKind {
    /// The name of the method.
    pub method: &'static str,
    /// The meaning of the event.
    pub about: &'static str,
    /// The arguments in their order.
    pub arguments: &'static [Field],
    /// The meaning of each argument.
    pub docs: &'static [&'static str],
}

/// Makes an enum of the declared events.
macro_rules! events {
    (
        $(#[$attribute:meta])*
        $events:ident {$(
            $(#[doc = $about:literal])*
            $event:ident => $method:ident $({
                $( $(#[doc = $doc:literal])* $field:ident: $type:ty, )*
            })?,
        )*}
    ) => {
        $(#[$attribute])*
        pub enum $events {$(
            $(#[doc = $about])*
            $event $({ $( $(#[doc = $doc])* $field: $type, )* })?,
        )*}

        impl $events {
            /// The kinds of events.
            pub const KINDS: &'static [EventKind] = &[$(
                EventKind {
                    method: stringify!($method),
                    about: concat!($($about),*),
                    arguments: &[ $($( (stringify!($field), <$type as Fact>::KIND), )*)? ],
                    docs: &[ $($( concat!($($doc),*), )*)? ],
                },
            )*];

            /// The method of a controller's class that takes this event, and the numbers of its arguments.
            pub fn call(&self) -> (&'static str, Vec<f64>) {
                match self {$(
                    $events::$event $({ $($field),* })? => {
                        #[allow(unused_mut, reason = "an event without arguments")]
                        let mut numbers = Vec::new();
                        $($( $field.put(&mut numbers); )*)?
                        (stringify!($method), numbers)
                    }
                )*}
            }
        }
    };
}

/// Makes a type of the declared needs: a flag for each, and the recovery.
macro_rules! needs {
    (
        $(#[doc = $about:literal])*
        $needs:ident { $( $(#[doc = $doc:literal])* $need:ident, )* }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $needs {
            $( $(#[doc = $doc])* pub $need: bool, )*
            /// The name of the loss recovery that belongs to the algorithm, used unless the user chooses another.
            pub recovery: Option<&'static str>,
        }

        impl $needs {
            /// The names of the needs that are flags, and their meanings.
            pub const FLAGS: &'static [(&'static str, &'static str)] =
                &[$( (stringify!($need), concat!($($doc),*)) ),*];

            /// The flags by their names.
            pub fn flags_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut bool)> {
                [$( (stringify!($need), &mut self.$need) ),*].into_iter()
            }

            /// The needs of a controller in another language: those that it states, and always samples and pacing.
            pub fn stated(mut states: impl FnMut(&'static str) -> bool) -> $needs {
                let mut needs = $needs { samples: true, pacing: true, ..$needs::default() };
                for (name, need) in needs.flags_mut() {
                    *need = *need || states(name);
                }
                needs
            }
        }
    };
}

pub(crate) use {events, needs, records};
