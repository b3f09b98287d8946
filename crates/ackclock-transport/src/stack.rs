//! Stacks of other projects that run this project's controllers, and the facts that each can carry.

use std::fmt;
use std::str::FromStr;

use ackclock_congestion::Needs;

/// An implementation of QUIC whose connections a controller of the registry can drive.
///
/// Exhaustive: a driver builds the connections of every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// quinn 0.11.
    Quinn,
    /// noq 1, which takes a pacing rate from its controller.
    Noq,
}

impl Stack {
    /// All stacks.
    pub const ALL: [Stack; 2] = [Stack::Quinn, Stack::Noq];

    /// Their names, in order.
    pub const NAMES: [&'static str; 2] = ["quinn", "noq"];

    /// Its name, which is the name of its crate.
    pub const fn name(self) -> &'static str {
        Stack::NAMES[self as usize]
    }

    /// Checks that the stack provides what a controller needs.
    ///
    /// # Errors
    /// A sentence about the need that the stack cannot meet.
    pub fn carries(self, needs: &Needs) -> Result<(), String> {
        if needs.accurate_ecn {
            return Err(format!(
                "it needs the number of marked packets, and {self} tells its controller only that there are marks"
            ));
        }
        if needs.explicit_feedback {
            return Err(format!("it needs the feedback of routers, and packets of {self} carry none"));
        }
        if needs.pacing && self == Stack::Quinn {
            return Err(
                "it sets the rate of its packets, and quinn 0.11 takes no rate from its controller; noq does"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Stack {
    type Err = ();

    fn from_str(text: &str) -> Result<Stack, ()> {
        Stack::ALL.into_iter().find(|stack| stack.name() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_refuses_what_it_cannot_carry() {
        let marks = Needs { accurate_ecn: true, ..Needs::default() };
        let paced = Needs { pacing: true, samples: true, ..Needs::default() };
        for stack in Stack::ALL {
            assert_eq!(stack.name().parse(), Ok(stack));
            assert!(stack.carries(&marks).unwrap_err().contains("number of marked packets"));
            let explicit = Needs { explicit_feedback: true, ..Needs::default() };
            assert!(stack.carries(&explicit).unwrap_err().contains("feedback of routers"));
            assert!(stack.carries(&Needs { samples: true, ..Needs::default() }).is_ok());
        }
        assert!(Stack::Quinn.carries(&paced).unwrap_err().contains("takes no rate"));
        assert!(Stack::Noq.carries(&paced).is_ok());
    }
}
