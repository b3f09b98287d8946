//! The macro that makes the list of a kind of algorithms.

/// Lists the algorithms of a kind, a line each: `module::Type`, or `module::Type in Box<Type>` for a large slow start.
///
/// A module has a constant `ENTRY` and a function `make` that takes the values of its parameters. The macro exports
/// the types and defines `ENTRIES` and the constructor by name.
macro_rules! algorithms {
    (slow start: $($module:ident::$algorithm:ident $(in $made:ty)?),+ $(,)?) => {
        algorithms!(@list $($module::$algorithm),+);

        any_slow_start!($($algorithm(algorithms!(@type $algorithm $($made)?))),+);

        /// The slow start that `part` names, with its parameters.
        pub(crate) fn make(part: &ackclock_catalogue::Part) -> AnySlowStart {
            let values = part.values();
            match part.entry().name {
                $(name if name == $module::ENTRY.name => AnySlowStart::$algorithm($module::make(&values).into()),)+
                name => unreachable!("{name} is no slow start"),
            }
        }
    };
    (avoidance: $($module:ident::$algorithm:ident),+ $(,)?) => {
        algorithms!(@list $($module::$algorithm),+);

        /// The controller with the avoidance that `part` names. Each avoidance makes a separate controller
        /// type. It takes only the memory that this avoidance needs, and a call reads no tag.
        pub(crate) fn controller<S: crate::windowed::SlowStart + 'static>(
            part: &ackclock_catalogue::Part,
            start: &crate::facts::Start,
            slow_start: S,
        ) -> Box<dyn crate::control::CongestionControl> {
            let values = part.values();
            match part.entry().name {
                $(name if name == $module::ENTRY.name => {
                    Box::new(crate::windowed::Windowed::new(start, slow_start, $module::make(&values)))
                })+
                name => unreachable!("{name} is no avoidance"),
            }
        }
    };
    (controller: $($module:ident::$algorithm:ident),+ $(,)?) => {
        algorithms!(@list $($module::$algorithm),+);

        /// The controller that `part` names, with its parameters.
        pub(crate) fn make(
            part: &ackclock_catalogue::Part,
            start: &crate::facts::Start,
        ) -> Box<dyn crate::control::CongestionControl> {
            let values = part.values();
            match part.entry().name {
                $(name if name == $module::ENTRY.name => Box::new($module::make(&values, start)),)+
                name => unreachable!("{name} is no whole controller"),
            }
        }
    };
    (@list $($module:ident::$algorithm:ident),+) => {
        $(pub use $module::$algorithm;)+

        /// The catalogue entries of this kind.
        pub static ENTRIES: &[ackclock_catalogue::Entry] = &[$($module::ENTRY),+];
    };
    (@type $algorithm:ident) => { $algorithm };
    (@type $algorithm:ident $made:ty) => { $made };
}

pub(crate) use algorithms;
