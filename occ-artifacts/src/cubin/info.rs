//! The records of `.nv.info` sections and of `.nv.compat`.

use crate::bytes::Bytes;
use crate::error::{Error, Problem};

/// The codes of records, by their `EIATTR_` names.
pub(super) mod code {
    pub(crate) const MAX_THREADS: u8 = 0x05;
    pub(crate) const REQNTID: u8 = 0x10;
    pub(crate) const FRAME_SIZE: u8 = 0x11;
    pub(crate) const MIN_STACK_SIZE: u8 = 0x12;
    pub(crate) const MAXREG_COUNT: u8 = 0x1b;
    pub(crate) const REGCOUNT: u8 = 0x2f;
    pub(crate) const CUDA_API_VERSION: u8 = 0x37;
    pub(crate) const CTA_PER_CLUSTER: u8 = 0x3d;
    pub(crate) const EXPLICIT_CLUSTER: u8 = 0x3e;
    pub(crate) const MAX_CLUSTER_RANK: u8 = 0x3f;
    pub(crate) const NUM_BARRIERS: u8 = 0x4c;
    pub(crate) const TCGEN05_1CTA_USED: u8 = 0x51;
    pub(crate) const TCGEN05_2CTA_USED: u8 = 0x52;
    pub(crate) const REG_RECONFIG: u8 = 0x54;
    pub(crate) const BLOCKS_ARE_CLUSTERS: u8 = 0x5b;
}

/// A record.
pub(super) struct Record<'a> {
    pub(super) code: u8,
    /// The value of a record without a payload.
    pub(super) value: u16,
    payload: Bytes<'a>,
}

impl Record<'_> {
    /// Returns the number at `index` of the payload, in units of 4 bytes.
    pub(super) fn number(&self, index: u64) -> Result<u32, Error> {
        self.payload.u32(index * 4, "the payload of a `.nv.info` record")
    }

    pub(super) fn dimensions(&self) -> Result<[u32; 3], Error> {
        Ok([self.number(0)?, self.number(1)?, self.number(2)?])
    }

    /// Returns the offset of the payload in the file.
    pub(super) fn offset(&self) -> u64 {
        self.payload.start
    }
}

/// Returns the records of a section; the iterator ends after the first error.
pub(super) fn records(section: Bytes<'_>) -> impl Iterator<Item = Result<Record<'_>, Error>> {
    let mut rest = Some(section);
    std::iter::from_fn(move || {
        let bytes = rest.take().filter(|bytes| !bytes.data.is_empty())?;
        match first(bytes) {
            Ok((record, after)) => {
                rest = Some(after);
                Some(Ok(record))
            }
            Err(error) => Some(Err(error)),
        }
    })
}

/// Splits off the first record.
fn first(bytes: Bytes<'_>) -> Result<(Record<'_>, Bytes<'_>), Error> {
    const WHAT: &str = "a `.nv.info` record";
    const SIZED: u8 = 4;
    let [format, code] = bytes.u16(0, WHAT)?.to_le_bytes();
    let value = bytes.u16(2, WHAT)?;
    let length = match format {
        1..SIZED => 0,
        SIZED => u64::from(value),
        _ => {
            let what = "the format of a `.nv.info` record";
            let problem = Problem::Unexpected { what, expected: "1..=4", found: format.into() };
            return Err(Error::new(bytes.start, problem));
        }
    };
    let payload = bytes.part(4, length, "the payload of a `.nv.info` record")?;
    let read = 4 + length;
    let after = bytes.part(read, bytes.data.len() as u64 - read, WHAT)?;
    Ok((Record { code, value, payload }, after))
}
