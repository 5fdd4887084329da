// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What a mailbox may hold, and which settings cannot be.

/// What a mailbox may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Commands, 2 to 2^19.
    pub max_commands: u32,
    /// Bytes as stored, 12 KiB to 1 GiB. Rounded up to a power of two; one page of 4 KiB of it stays unused.
    pub max_bytes: u32,
    /// Commands that only control commands may use; less than `max_commands`.
    pub reserved_commands: u32,
    /// Bytes that only control commands may use; less than `max_bytes`.
    pub reserved_bytes: u32,
    /// Bytes of one payload; must fit beside the reserve, and into the worker budget. Control commands may have 4 KiB
    /// in any case.
    pub max_payload: u32,
}

impl Default for Limits {
    /// The initial production defaults of STIP-31.
    fn default() -> Self {
        Self {
            max_commands: 1024,
            max_bytes: 4 << 20,
            reserved_commands: 64,
            reserved_bytes: 256 << 10,
            max_payload: 512 << 10,
        }
    }
}

/// A setting that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {value}, it must be {rule}")]
pub struct LimitsError {
    /// The field of [`Limits`].
    pub setting: &'static str,
    /// What it was.
    pub value: u64,
    /// What it should be.
    pub rule: &'static str,
}

/// Control commands that one reader may have waiting at its coordinator: its registration, what it has applied, its
/// snapshot, its end.
const CONTROLS_PER_READER: u32 = 4;

/// Bytes of all of them as stored: a registration with the longest address, and three that say two numbers at most.
const CONTROL_BYTES_PER_READER: u32 = 512 + 3 * 192;

/// Bytes of a reader's address at most: a host name of 253 bytes, and a port, fit.
pub const ADDRESS_MAX: usize = 320;

/// What a control command may say however small `max_payload` is: an address, a cause, some numbers.
pub const CONTROL_PAYLOAD_MAX: usize = 4096;

const MAX_COMMANDS: u32 = 1 << 19;
const MAX_BYTES: u32 = 1 << 30;

impl Limits {
    /// The same room for normal commands, and a reserve in which the controls of `readers` find room: their number is
    /// not an exhausted reserve.
    pub(crate) fn with_reserve_for(self, readers: u32) -> Self {
        let grow = |max: u32, reserved: u32, needed: u32, limit: u32| {
            let grown = max.saturating_add(needed.saturating_sub(reserved)).min(limit.max(max));
            (grown, reserved + (grown - max))
        };
        let controls = readers.saturating_mul(CONTROLS_PER_READER);
        let (max_commands, reserved_commands) = grow(self.max_commands, self.reserved_commands, controls, MAX_COMMANDS);
        let bytes = readers.saturating_mul(CONTROL_BYTES_PER_READER);
        let (max_bytes, reserved_bytes) = grow(self.max_bytes, self.reserved_bytes, bytes, MAX_BYTES);
        Self { max_commands, max_bytes, reserved_commands, reserved_bytes, ..self }
    }

    /// Refuses limits that cannot be.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self) -> Result<(), LimitsError> {
        let err = |setting, value: u32, rule| Err(LimitsError { setting, value: u64::from(value), rule });
        if !(2..=MAX_COMMANDS).contains(&self.max_commands) {
            return err("max_commands", self.max_commands, "2 to 524288");
        }
        if !(12 << 10..=MAX_BYTES).contains(&self.max_bytes) {
            return err("max_bytes", self.max_bytes, "12 KiB to 1 GiB");
        }
        if self.reserved_commands >= self.max_commands {
            return err("reserved_commands", self.reserved_commands, "less than max_commands");
        }
        if self.reserved_bytes >= self.max_bytes {
            return err("reserved_bytes", self.reserved_bytes, "less than max_bytes");
        }
        let beside = (self.max_bytes - self.reserved_bytes).saturating_sub(8 << 10);
        if self.max_payload == 0 || self.max_payload > beside {
            return err("max_payload", self.max_payload, "1 to max_bytes - reserved_bytes - 8 KiB");
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_checked_at_its_limits() {
        let good = Limits::default();
        let cases = [
            ("", good),
            ("", Limits { max_commands: 2, reserved_commands: 1, ..good }),
            ("", Limits { max_commands: 1 << 19, ..good }),
            ("max_commands", Limits { max_commands: 1, ..good }),
            ("max_commands", Limits { max_commands: (1 << 19) + 1, ..good }),
            ("", Limits { max_bytes: 1 << 30, ..good }),
            ("", Limits { max_bytes: 12 << 10, reserved_bytes: 0, max_payload: 4 << 10, ..good }),
            ("max_bytes", Limits { max_bytes: (12 << 10) - 1, ..good }),
            ("max_bytes", Limits { max_bytes: (1 << 30) + 1, ..good }),
            ("", Limits { reserved_commands: 0, reserved_bytes: 0, ..good }),
            ("", Limits { reserved_commands: 1023, ..good }),
            ("reserved_commands", Limits { reserved_commands: 1024, ..good }),
            ("reserved_bytes", Limits { reserved_bytes: 4 << 20, ..good }),
            ("max_payload", Limits { max_payload: 0, ..good }),
            ("", Limits { max_payload: (4 << 20) - (256 << 10) - (8 << 10), ..good }),
            ("max_payload", Limits { max_payload: (4 << 20) - (256 << 10) - (8 << 10) + 1, ..good }),
        ];
        for (setting, limits) in cases {
            assert_eq!(limits.check().err().map_or("", |error| error.setting), setting, "{limits:?}");
        }
    }

    #[test]
    fn the_reserve_grows_with_the_readers_and_takes_nothing_from_the_rest() {
        let few = Limits::default();
        assert_eq!(few.with_reserve_for(16), few);
        let many = few.with_reserve_for(1000);
        assert_eq!((many.reserved_commands, many.reserved_bytes), (4000, 1_088_000));
        for grown in
            [many, few.with_reserve_for(1 << 16), Limits { max_commands: 1 << 19, ..few }.with_reserve_for(9000)]
        {
            assert_eq!(grown.check(), Ok(()));
            assert_eq!(grown.max_bytes - grown.reserved_bytes, few.max_bytes - few.reserved_bytes);
        }
        assert_eq!(many.max_commands - many.reserved_commands, few.max_commands - few.reserved_commands);
    }
}
