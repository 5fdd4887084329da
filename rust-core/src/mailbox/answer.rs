// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How an offer ended: seven statuses, and the reason behind each.
//!
//! The codes travel in answers and in metrics: they are append-only.

use crate::wake::Wake;

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$item_doc:meta])* $item:ident = $code:literal, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name { $($(#[$item_doc])* $item = $code,)* }

        impl $name {
            /// All of them, in the order of the codes.
            pub const ALL: &'static [$name] = &[$($name::$item,)*];

            /// The one with this code, if there is one.
            #[must_use]
            pub fn from_code(code: u8) -> Option<$name> {
                match code { $($code => Some($name::$item),)* _ => None }
            }

            /// In words.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $($name::$item => $text,)* }
            }
        }
    };
}

codes! {
    /// How an offer ended.
    Status {
        /// Validated, reserved, sequenced and visible to the owner; neither applied nor durable yet.
        Accepted = 1, "ACCEPTED";
        /// This attempt has taken the same command before.
        Duplicate = 2, "DUPLICATE";
        /// Not now: offer again after a back-off.
        RetryLater = 3, "RETRY_LATER";
        /// Meant for another source, attempt or epoch.
        StaleTarget = 4, "STALE_TARGET";
        /// The loop takes nothing any more.
        TerminalRejected = 5, "TERMINAL_REJECTED";
        /// A protocol version that is not spoken here.
        UnsupportedProtocol = 6, "UNSUPPORTED_PROTOCOL";
        /// Damaged, oversized, or in conflict with what was taken before.
        InvalidPayload = 7, "INVALID_PAYLOAD";
    }
}

codes! {
    /// Why an offer ended like that.
    Reason {
        /// Nothing to add.
        None = 0, "";
        /// The mailbox is closed.
        Closed = 1, "the mailbox is closed";
        /// The source is cancelled or has failed.
        Terminal = 2, "the source is cancelled or has failed";
        /// The runtime or job id is another one.
        Runtime = 3, "the command is for another source";
        /// The attempt at one of the ends is another one.
        Attempt = 4, "the command is from or for another attempt";
        /// The coordinator's epoch is another one.
        Epoch = 5, "the command is of another coordinator epoch";
        /// A header that is damaged or unknown.
        Header = 6, "the header is damaged or unknown";
        /// The checksum differs.
        Checksum = 7, "the checksum differs";
        /// Larger than a command may be.
        TooLarge = 8, "the payload is larger than a command may be";
        /// The payload is not what its kind wants.
        Payload = 9, "the payload is not what its kind wants";
        /// Not a command for this side.
        Direction = 10, "the command is not one for this side";
        /// A sequence before it is missing.
        Gap = 11, "a command before this one is missing";
        /// The same sequence was taken with another command id.
        Conflict = 12, "the sequence was taken with another command id";
        /// The loop has not passed the cut that the command belongs behind.
        Cut = 13, "the receiver has not passed the command's cut yet";
        /// No room for another command.
        Commands = 14, "the mailbox holds as many commands as it may";
        /// No room for the bytes.
        Bytes = 15, "the mailbox holds as many bytes as it may";
        /// The worker's budget is used up.
        Budget = 16, "the worker's mailbox budget is used up";
        /// The channel is not open yet, or is changing.
        NotReady = 17, "the channel is not open yet";
        /// Another copy of the command is being admitted.
        InProgress = 18, "another copy of the command is being admitted";
        /// Nobody with this address on the asked member.
        Unknown = 19, "no such source on this member";
        /// The transport did not deliver.
        Transport = 20, "the command could not be delivered";
    }
}

/// The answer to one offer.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// How it ended.
    pub status: Status,
    /// Why.
    pub reason: Reason,
    /// The sequence that the channel expects next; 0 if the channel is not open or not known.
    pub expected: u64,
    /// Whether the host must wake the owner.
    pub wake: Wake,
}

/// Why an offer was refused, before the answer is complete.
pub(super) type Refusal = (Status, Reason);
