// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What a command says, how it survives, and who it is between.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $inner:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $inner);
    };
}

id!(
    /// Names one source in one job.
    RuntimeId, u128
);
id!(
    /// One life of a reader or a coordinator. Drawn at random by the host, so two lives never share one.
    Attempt, u128
);
id!(
    /// Counts the lives of a coordinator; a higher one fences a lower one. 0 is no epoch.
    Epoch, u64
);
id!(
    /// Names one command for ever, also when it is sent again.
    CommandId, u128
);

/// How a command survives, and what happens to it when it cannot be delivered before the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Durability {
    /// May be dropped.
    Ephemeral = 1,
    /// Is derived again after a restore.
    Reconstructable = 2,
    /// Belongs to a checkpoint's cut.
    CheckpointCoupled = 3,
    /// Ends the source.
    Terminal = 4,
}

macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $name:ident = $code:literal, $durability:ident, $direction:ident, $class:ident, $order:ident;
    )*) => {
        /// What a command says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind { $($(#[$doc])* $name = $code,)* }

        impl Kind {
            /// Every kind, in the order of the codes.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// The kind with this code, if there is one.
            #[must_use]
            pub fn from_code(code: u8) -> Option<Kind> {
                match code { $($code => Some(Kind::$name),)* _ => None }
            }

            /// How commands of this kind survive.
            #[must_use]
            pub fn durability(self) -> Durability {
                match self { $(Kind::$name => Durability::$durability,)* }
            }

            /// Who receives commands of this kind.
            #[must_use]
            pub fn receiver(self) -> Receiver {
                match self { $(Kind::$name => Receiver::$direction,)* }
            }

            /// Control commands may use the reserve of a mailbox, normal ones may not.
            #[must_use]
            pub fn class(self) -> Class {
                match self { $(Kind::$name => Class::$class,)* }
            }

            /// Whether the command takes a sequence of its channel.
            #[must_use]
            pub fn order(self) -> Order {
                match self { $(Kind::$name => Order::$order,)* }
            }
        }
    };
}

/// Who receives a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// A reader, from its coordinator.
    Reader,
    /// A coordinator, from one of its readers.
    Coordinator,
    /// The loop of the process that offers it; never on the wire.
    Own,
}

/// What capacity a command may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Up to the maximum less the reserve.
    Normal,
    /// Up to the maximum.
    Control,
}

/// How a command is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Takes the next sequence of its channel.
    Sequenced,
    /// Opens a channel, or comes from the own process: ordered by admission only.
    Unsequenced,
    /// Not queued at all: its admission is its effect.
    Immediate,
}

// The codes 1 to 16 are those of the upstream draft's table, so that both sides' logs read alike.
kinds! {
    /// The coordinator opens its channel to a reader; carries the cut from which the reader starts.
    ReaderEpochStart = 1, Reconstructable, Reader, Control, Unsequenced;
    /// Splits for a reader.
    AssignSplits = 2, CheckpointCoupled, Reader, Normal, Sequenced;
    /// No split will come any more.
    NoMoreSplits = 3, Reconstructable, Reader, Control, Sequenced;
    /// The engine orders a snapshot.
    Barrier = 5, CheckpointCoupled, Own, Control, Unsequenced;
    /// A checkpoint is complete.
    CheckpointComplete = 6, CheckpointCoupled, Own, Control, Unsequenced;
    /// A checkpoint will never be complete.
    CheckpointAborted = 7, CheckpointCoupled, Own, Control, Unsequenced;
    /// A reader asks for a split.
    RequestSplit = 11, Reconstructable, Coordinator, Normal, Sequenced;
    /// A reader has emitted all of its bounded input.
    ReaderFinished = 13, Reconstructable, Coordinator, Control, Sequenced;
    /// A reader has applied everything up to a sequence.
    CommandApplied = 14, Reconstructable, Coordinator, Control, Sequenced;
    /// A reader has snapshotted.
    ReaderCheckpointReport = 15, CheckpointCoupled, Coordinator, Control, Sequenced;
    /// A reader announces itself to its coordinator.
    RegisterReader = 17, Reconstructable, Coordinator, Control, Unsequenced;
    /// The source has failed on the coordinator's side.
    SourceFailed = 18, Terminal, Reader, Control, Immediate;
    /// A barrier is on its way to the reader: a hint that a busy reader should let go of the checkpoint lock.
    BarrierComing = 19, Ephemeral, Reader, Control, Immediate;
    /// The engine opens the enumerator.
    OpenEnumerator = 20, Reconstructable, Own, Control, Unsequenced;
    /// The engine starts the enumerator.
    RunEnumerator = 21, Reconstructable, Own, Control, Unsequenced;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_found_again() {
        for (i, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(Kind::from_code(*kind as u8), Some(*kind));
            assert!(Kind::ALL[i + 1..].iter().all(|other| *other as u8 > *kind as u8));
        }
        assert_eq!(Kind::from_code(0), None);
        assert_eq!(Kind::from_code(255), None);
    }
}
