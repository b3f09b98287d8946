//! The network from outside: by hand, against theory, and against slower ways to the same answer.

mod aside;
mod common;
mod conservation;
mod disciplines;
mod event_list;
mod links;
mod look_ahead;
mod loss;
mod marks;
mod queueing_theory;
mod random;
mod routing;
mod sharing;
