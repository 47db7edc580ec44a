//! Bounds-checked access to little-endian fields.

use crate::error::{Error, Problem};

/// A part of a file with its offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    pub(crate) data: &'a [u8],
    /// The offset of the first byte in the file, in bytes.
    pub(crate) start: u64,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(data: &'a [u8], start: u64) -> Self {
        Bytes { data, start }
    }

    /// Returns the `length` bytes at `offset`; `what` names them in the error if the data is too short.
    pub(crate) fn part(self, offset: u64, length: u64, what: &'static str) -> Result<Bytes<'a>, Error> {
        let available = (self.data.len() as u64).saturating_sub(offset);
        let bounds = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        let data = bounds
            .and_then(|(offset, length)| Some((offset, offset.checked_add(length)?)))
            .and_then(|(from, to)| self.data.get(from..to));
        let start = self.start.saturating_add(offset);
        match data {
            Some(data) => Ok(Bytes { data, start }),
            None => Err(Error::new(start, Problem::Truncated { what, needed: length, available })),
        }
    }

    pub(crate) fn u16(self, offset: u64, what: &'static str) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array(offset, what)?))
    }

    pub(crate) fn u32(self, offset: u64, what: &'static str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(offset, what)?))
    }

    pub(crate) fn u64(self, offset: u64, what: &'static str) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(offset, what)?))
    }

    fn array<const N: usize>(self, offset: u64, what: &'static str) -> Result<[u8; N], Error> {
        let part = self.part(offset, N as u64, what)?;
        let mut array = [0; N];
        array.copy_from_slice(part.data);
        Ok(array)
    }
}
