// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Header, sections and their checks.

use crate::command::{DecodeError, Fields};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MAGIC: [u8; 4] = *b"FBMD";
const MAJOR: u16 = 1;
const MINOR: u16 = 1;
const HEADER_LEN: usize = 16;
const CHECKED_HEADER: usize = 12;
const REQUIRED: u16 = 1;

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum SectionId {
    /// [`Identity`](super::Identity).
    Identity = 1,
    /// [`ReaderMetadata`](super::ReaderMetadata) without its identity.
    Reader = 2,
    /// [`CoordinatorMetadata`](super::CoordinatorMetadata) without its identity, assignments and state.
    Coordinator = 3,
    /// The assignments that no completed checkpoint proves yet.
    Assignments = 4,
    /// The connector's enumerator state.
    EnumeratorState = 5,
    /// The readers whose part the checkpoint must have; optional, since 1.1.
    Readers = 6,
}

const KNOWN: [SectionId; 6] = [
    SectionId::Identity,
    SectionId::Reader,
    SectionId::Coordinator,
    SectionId::Assignments,
    SectionId::EnumeratorState,
    SectionId::Readers,
];

/// Why a checkpoint's metadata cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// Bytes that no release has written.
    #[error("the runtime's part of the checkpoint is damaged: {0}")]
    Damaged(#[from] DecodeError),
    /// Written by a release that this one cannot read.
    #[error(
        "the checkpoint was written with metadata version {found}, this release reads version {MAJOR}; \
         restore it with a release that reads {found}"
    )]
    Major {
        /// What stands in the blob.
        found: u16,
    },
    /// A section that must be understood and is not known here.
    #[error(
        "the checkpoint needs section {0}, which this release does not know; \
         restore it with the release that wrote it or a newer one"
    )]
    UnknownSection(u16),
    /// A section that must be there and is not.
    #[error("the runtime's part of the checkpoint has no section {0}")]
    MissingSection(u16),
    /// A section's body is not what its id says.
    #[error("section {0} of the runtime's part of the checkpoint cannot be read")]
    Body(u16),
    /// The checkpoint belongs to something else.
    #[error("the checkpoint was taken with {field} {found}, the job now has {expected}; {advice}")]
    Mismatch {
        /// What differs.
        field: &'static str,
        /// What the checkpoint says.
        found: String,
        /// What the job says.
        expected: String,
        /// What to do.
        advice: &'static str,
    },
}

/// Collects sections and puts the header in front of them.
#[derive(Debug)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Self {
        let mut bytes = vec![0; HEADER_LEN];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&MAJOR.to_le_bytes());
        bytes[6..8].copy_from_slice(&MINOR.to_le_bytes());
        Self(bytes)
    }

    /// Adds a section that whoever reads the blob must know.
    pub(super) fn section(self, id: SectionId, body: &impl Serialize) -> Result<Self, MetadataError> {
        self.write(id, REQUIRED, body)
    }

    /// Adds a section that an earlier minor version may pass over.
    pub(super) fn optional(self, id: SectionId, body: &impl Serialize) -> Result<Self, MetadataError> {
        self.write(id, 0, body)
    }

    fn write(mut self, id: SectionId, flags: u16, body: &impl Serialize) -> Result<Self, MetadataError> {
        let body = postcard::to_allocvec(body).map_err(|_| MetadataError::Body(id as u16))?;
        let len = u32::try_from(body.len()).map_err(|_| MetadataError::Body(id as u16))?;
        self.0.extend_from_slice(&(id as u16).to_le_bytes());
        self.0.extend_from_slice(&flags.to_le_bytes());
        self.0.extend_from_slice(&len.to_le_bytes());
        self.0.extend_from_slice(&body);
        Ok(self)
    }

    pub(super) fn finish(mut self) -> Result<Vec<u8>, MetadataError> {
        let len = u32::try_from(self.0.len() - HEADER_LEN).map_err(|_| MetadataError::Body(0))?;
        self.0[8..12].copy_from_slice(&len.to_le_bytes());
        let checksum = checksum(&self.0);
        self.0[12..16].copy_from_slice(&checksum.to_le_bytes());
        Ok(self.0)
    }
}

fn checksum(blob: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&blob[..CHECKED_HEADER]), &blob[HEADER_LEN..])
}

/// The sections of a blob that was checked as a whole.
#[derive(Debug)]
pub(super) struct Reader<'a>(Vec<(u16, &'a [u8])>);

impl<'a> Reader<'a> {
    pub(super) fn open(blob: &'a [u8]) -> Result<Self, MetadataError> {
        let mut fields = Fields(blob);
        if fields.array::<4>()? != MAGIC {
            return Err(DecodeError::Magic("checkpoint").into());
        }
        let major = fields.u16()?;
        if major != MAJOR {
            return Err(MetadataError::Major { found: major });
        }
        let _minor = fields.u16()?;
        let len = fields.u32()? as usize;
        let stored = fields.u32()?;
        if fields.0.len() < len {
            return Err(DecodeError::Truncated { need: len, have: fields.0.len() }.into());
        }
        if fields.0.len() > len {
            return Err(DecodeError::Trailing(fields.0.len() - len).into());
        }
        let computed = checksum(blob);
        if stored != computed {
            return Err(DecodeError::Checksum { stored, computed }.into());
        }
        Self::sections(fields).map(Self)
    }

    fn sections(mut fields: Fields<'a>) -> Result<Vec<(u16, &'a [u8])>, MetadataError> {
        let mut sections = Vec::new();
        while !fields.0.is_empty() {
            let (id, flags, len) = (fields.u16()?, fields.u16()?, fields.u32()?);
            let body = fields.take(len as usize)?;
            if KNOWN.iter().any(|known| *known as u16 == id) {
                sections.push((id, body));
            } else if flags & REQUIRED != 0 {
                return Err(MetadataError::UnknownSection(id));
            }
        }
        Ok(sections)
    }

    /// A section that an earlier minor version did not write.
    pub(super) fn optional<T: DeserializeOwned>(&self, id: SectionId) -> Result<Option<T>, MetadataError> {
        match self.section(id) {
            Err(MetadataError::MissingSection(_)) => Ok(None),
            found => found.map(Some),
        }
    }

    pub(super) fn section<T: DeserializeOwned>(&self, id: SectionId) -> Result<T, MetadataError> {
        let id = id as u16;
        let (_, body) = self.0.iter().find(|(found, _)| *found == id).ok_or(MetadataError::MissingSection(id))?;
        let (value, rest) = postcard::take_from_bytes(body).map_err(|_| MetadataError::Body(id))?;
        if rest.is_empty() { Ok(value) } else { Err(MetadataError::Body(id)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_optional_sections_are_skipped_and_required_ones_refused() {
        let mut blob = Writer::new().section(SectionId::Identity, &7_u32).unwrap().0;
        let unknown = blob.len();
        blob.extend_from_slice(&[99, 0, 0, 0, 2, 0, 0, 0, 1, 2]);
        let optional = Writer(blob.clone()).finish().unwrap();
        assert_eq!(Reader::open(&optional).unwrap().section::<u32>(SectionId::Identity).unwrap(), 7);
        blob[unknown + 2] = 1;
        let required = Writer(blob).finish().unwrap();
        assert_eq!(Reader::open(&required).unwrap_err(), MetadataError::UnknownSection(99));
    }

    #[test]
    fn another_major_version_is_refused_by_name() {
        let mut blob = Writer::new().finish().unwrap();
        blob[4] = 2;
        assert_eq!(Reader::open(&blob).unwrap_err(), MetadataError::Major { found: 2 });
    }
}
