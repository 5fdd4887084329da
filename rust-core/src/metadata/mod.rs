// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the runtime itself remembers in a checkpoint, beside the connector's state.
//!
//! A blob is a header and sections; all numbers are little-endian.
//!
//! | offset | bytes | field | |
//! | ---: | ---: | --- | --- |
//! | 0 | 4 | magic | `FBMD` |
//! | 4 | 2 | major version | 1; another one is refused |
//! | 6 | 2 | minor version | 1; a higher one may have sections that are not known here |
//! | 8 | 4 | length | bytes of all sections |
//! | 12 | 4 | checksum | CRC32C of bytes 0 to 11 and of all sections |
//! | 16 | | sections | |
//!
//! | offset in section | bytes | field | |
//! | ---: | ---: | --- | --- |
//! | 0 | 2 | id | see [`SectionId`] |
//! | 2 | 2 | flags | bit 0: required, a release that does not know the section refuses the blob |
//! | 4 | 4 | length | bytes of the body |
//! | 8 | | body | postcard 1, as the types of this module say |
//!
//! Pure functions, any thread. Lengths are checked against what is there before anything is allocated.

mod blob;
mod model;

pub use blob::MetadataError;
pub use model::{
    AssignmentRecord, Channel, CoordinatorMetadata, EnumeratorState, Identity, Lane, ReaderMetadata, STATE_VERSION,
};
