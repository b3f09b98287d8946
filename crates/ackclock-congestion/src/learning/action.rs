//! The meaning of an agent's number: a window or a pacing rate, within bounds.

use ackclock_units::PacketRate;

/// The window and the rate that an agent has chosen; in force from the next acknowledgment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// The congestion window in packets; finite and positive.
    pub window: f64,
    /// The rate to space packets at, where the agent's flows are paced.
    pub pacing_rate: Option<PacketRate>,
    /// The packets by which the requested window exceeds its bound.
    pub excess: f64,
}

/// The meaning of an agent's number. All but [`Meaning::Packets`] lie between -1 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Meaning {
    /// The window times 2 to the power of the number, as in Orca (Abbasloo, Yen and Chao, SIGCOMM 2020).
    Factor,
    /// A window between one packet (-1) and the largest (1), in equal ratios.
    Window,
    /// A pacing rate between one packet per second and the largest, in equal ratios; the window is the largest.
    Rate,
    /// The window in packets.
    Packets,
}

impl Meaning {
    /// All of them by name.
    pub const ALL: [(&str, Meaning); 4] = [
        ("factor", Meaning::Factor),
        ("window", Meaning::Window),
        ("rate", Meaning::Rate),
        ("packets", Meaning::Packets),
    ];
}

/// The meaning of the numbers of all agents of a world, and the bounds of their actions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actions {
    /// The meaning of a number.
    pub meaning: Meaning,
    /// The largest window in packets, of at least one.
    pub largest_window: f64,
    /// The largest pacing rate.
    pub largest_rate: PacketRate,
}

impl Actions {
    /// The action that a number means, if `cwnd` is the window in force.
    pub fn decide(&self, number: f64, cwnd: f64) -> Action {
        let signed = number.clamp(-1.0, 1.0);
        let asked = match self.meaning {
            Meaning::Factor => cwnd * libm::exp2(signed),
            Meaning::Window => in_equal_ratios(self.largest_window, signed),
            Meaning::Packets => number,
            Meaning::Rate => {
                let pacing_rate = PacketRate(in_equal_ratios(self.largest_rate.0, signed));
                return Action { window: self.largest_window, pacing_rate: Some(pacing_rate), excess: 0.0 };
            }
        };
        let window = asked.clamp(1.0, self.largest_window);
        Action { window, pacing_rate: None, excess: (asked - self.largest_window).max(0.0) }
    }
}

/// One at -1, `largest` at 1.
fn in_equal_ratios(largest: f64, signed: f64) -> f64 {
    libm::pow(largest, f64::midpoint(signed, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(meaning: Meaning, number: f64) -> Action {
        Actions { meaning, largest_window: 100.0, largest_rate: PacketRate(10_000.0) }.decide(number, 40.0)
    }

    fn window(window: f64, excess: f64) -> Action {
        Action { window, pacing_rate: None, excess }
    }

    #[test]
    fn numbers_are_factors_windows_rates_and_packets() {
        assert_eq!(decide(Meaning::Factor, -1.0), window(20.0, 0.0));
        assert_eq!(decide(Meaning::Window, 0.0), window(10.0, 0.0));
        assert_eq!(decide(Meaning::Packets, 12.5), window(12.5, 0.0));
        let paced = Action { pacing_rate: Some(PacketRate(100.0)), ..window(100.0, 0.0) };
        assert_eq!(decide(Meaning::Rate, 0.0), paced);
    }

    #[test]
    fn numbers_beyond_one_are_one_and_windows_keep_their_bounds() {
        assert_eq!(decide(Meaning::Factor, 2.0), window(80.0, 0.0));
        assert_eq!(decide(Meaning::Packets, 130.0), window(100.0, 30.0));
        assert_eq!(decide(Meaning::Packets, 0.2), window(1.0, 0.0));
    }
}
