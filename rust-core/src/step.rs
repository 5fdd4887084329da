// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How the steps of a loop are listed: once, with the number, the name and the fields of each.
//!
//! Invariant: a number never changes its meaning, because hosts know steps by it; 0 stands for "no step yet". Each
//! loop has numbers of its own; one that is given twice makes an arm that is never reached, which the lints refuse.
//! Names are for dumps. Plain values, any thread.

use crate::mailbox::Terminal;
use crate::reader::PollBudget;
use std::fmt::Debug;

/// A step of either loop, for what does not care which.
pub trait AnyStep: Copy + Debug {
    /// The step's number in its loop.
    fn number(self) -> u8;

    /// What people call the step with this number.
    fn name(number: u8) -> &'static str;

    /// What the host has to know beside the number.
    fn carried(self) -> Carried;

    /// Nothing to do, at most until this time if there is one.
    fn park(until: Option<u64>) -> Self;
}

/// What a step carries, whichever it is; what it does not carry is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// A checkpoint, a token, a time ([`Carried::NEVER`]: none), or the number of a cause.
    pub value: u64,
    /// The subtask that it is about.
    pub subtask: u32,
    /// The flight to answer, which is never 0.
    pub flight: u8,
    /// What a poll turn may emit.
    pub budget: Option<PollBudget>,
    /// Whether what is left in the buffer of `next` belongs to the step.
    pub payload: bool,
}

/// Each setter takes the field of its name in a list of `steps!`.
impl Carried {
    /// No time to wake up at.
    pub const NEVER: u64 = u64::MAX;

    pub(crate) fn value(self, value: u64) -> Self {
        Self { value, ..self }
    }

    pub(crate) fn until(self, time: Option<u64>) -> Self {
        self.value(time.unwrap_or(Self::NEVER))
    }

    /// The numbers are those that hosts know.
    #[must_use]
    pub fn terminal(self, terminal: Terminal) -> Self {
        self.value(match terminal {
            Terminal::Cancelled => 1,
            Terminal::Failed => 2,
            Terminal::ReserveExhausted => 3,
        })
    }

    pub(crate) fn subtask(self, subtask: u32) -> Self {
        Self { subtask, ..self }
    }

    pub(crate) fn flight(self, flight: u8) -> Self {
        Self { flight, ..self }
    }

    pub(crate) fn budget(self, budget: PollBudget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    pub(crate) fn payload(self) -> Self {
        Self { payload: true, ..self }
    }
}

/// The cause with this number that a host may give: the others are found by the core only.
#[must_use]
pub fn cause(number: i32) -> Option<Terminal> {
    match number {
        1 => Some(Terminal::Cancelled),
        2 => Some(Terminal::Failed),
        _ => None,
    }
}

/// Makes a loop's `Step` of its list: `Step(field: type, …) = number, "name";`, and `, payload` where there is one. A
/// field is named after the setter of [`Carried`] that takes it.
macro_rules! steps {
    ($(
        $(#[$doc:meta])*
        $step:ident $(($($field:ident: $type:ty),+))? = $number:literal, $name:literal $(, $payload:ident)?;
    )*) => {
        /// What the host does next.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Step { $($(#[$doc])* $step $(($($type),+))?,)* }

        impl $crate::step::AnyStep for Step {
            fn number(self) -> u8 {
                match self { $(Step::$step { .. } => $number,)* }
            }

            fn name(number: u8) -> &'static str {
                match number { $($number => $name,)* _ => "none" }
            }

            fn carried(self) -> $crate::step::Carried {
                let none = $crate::step::Carried::default();
                match self { $(Step::$step $(($($field),+))? => none $($(.$field($field))+)? $(.$payload())?,)* }
            }

            fn park(until: Option<u64>) -> Self {
                Step::Park(until)
            }
        }
    };
}

pub(crate) use steps;
