// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What a mailbox may hold, and which settings cannot be.

/// What a mailbox may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Commands, 2 to 2^19.
    pub max_commands: u32,
    /// Bytes as stored, 8 KiB to 1 GiB. Rounded up to a power of two; one page of 4 KiB of it stays unused.
    pub max_bytes: u32,
    /// Commands that only control commands may use; less than `max_commands`.
    pub reserved_commands: u32,
    /// Bytes that only control commands may use; less than `max_bytes`.
    pub reserved_bytes: u32,
    /// Bytes of one payload; must fit beside the reserve.
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

impl Limits {
    /// Refuses limits that cannot be.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self) -> Result<(), LimitsError> {
        let err = |setting, value: u32, rule| Err(LimitsError { setting, value: u64::from(value), rule });
        if !(2..=1 << 19).contains(&self.max_commands) {
            return err("max_commands", self.max_commands, "2 to 524288");
        }
        if !(8 << 10..=1 << 30).contains(&self.max_bytes) {
            return err("max_bytes", self.max_bytes, "8 KiB to 1 GiB");
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
