//! Git's index: which files git has, and how they looked when it last compared them.
//!
//! Read here and not by git, which would look at every file once more and may write the index while it does.

#[cfg(test)]
mod tests;

/// The name of an object, in hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Oid {
    bytes: [u8; 32],
    format: ObjectFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    Sha1,
    Sha256,
}

/// A file as the index has it.
pub(super) struct Tracked<'a> {
    /// From the root of the work tree, with slashes.
    pub(super) name: &'a [u8],
    pub(super) oid: Oid,
    pub(super) modified: Time,
    pub(super) size: u32,
    /// Zero where whoever wrote it does not know.
    pub(super) inode: u32,
    pub(super) mode: u32,
    /// Other than zero in a conflict.
    pub(super) stage: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) seconds: u32,
    /// Zero where only seconds are known.
    pub(super) nanoseconds: u32,
}

/// Why an index cannot be used. Then nothing counts as tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Damaged, or of a kind that is not known.
    Unreadable,
    /// It is only the difference to another one.
    Split,
}

const FIXED: usize = 40;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// Hands out every entry, in the order of the index.
pub(super) fn read(
    bytes: &[u8],
    format: ObjectFormat,
    mut entry: impl FnMut(Tracked<'_>),
) -> Result<(), Unusable> {
    let mut rest = Reader(bytes);
    if rest.take(4) != Some(b"DIRC") {
        return Err(Unusable::Unreadable);
    }
    let version = rest.number().filter(|version| (2..=4).contains(version));
    let version = version.ok_or(Unusable::Unreadable)?;
    let count = rest.number().ok_or(Unusable::Unreadable)?;
    let mut name = Vec::new();
    for _ in 0..count {
        let read = read_entry(&mut rest, version, format, &mut name, &mut entry);
        read.ok_or(Unusable::Unreadable)?;
    }
    // What follows is extensions and a checksum.
    while rest.0.len() > format.length() {
        let (Some(signature), Some(length)) = (rest.take(4), rest.number()) else {
            return Err(Unusable::Unreadable);
        };
        if signature == b"link" {
            return Err(Unusable::Split);
        }
        let length = usize::try_from(length).map_err(|_| Unusable::Unreadable)?;
        rest.take(length).ok_or(Unusable::Unreadable)?;
    }
    Ok(())
}

fn read_entry(
    rest: &mut Reader<'_>,
    version: u32,
    format: ObjectFormat,
    name: &mut Vec<u8>,
    entry: &mut impl FnMut(Tracked<'_>),
) -> Option<()> {
    let start = rest.0.len();
    let mut fixed = Reader(rest.take(FIXED)?);
    let _changed = (fixed.number()?, fixed.number()?);
    let modified = Time {
        seconds: fixed.number()?,
        nanoseconds: fixed.number()?,
    };
    let (_device, inode, mode) = (fixed.number()?, fixed.number()?, fixed.number()?);
    let (_user, _group, size) = (fixed.number()?, fixed.number()?, fixed.number()?);
    let oid = Oid::new(rest.take(format.length())?, format)?;
    let flags = rest.short()?;
    if version >= 3 && flags & EXTENDED != 0 {
        rest.short()?;
    }
    match version {
        4 => {
            let kept = name.len().checked_sub(rest.offset()?)?;
            name.truncate(kept);
            name.extend_from_slice(rest.until_zero()?);
        }
        _ => {
            name.clear();
            match flags & NAME_LENGTH {
                NAME_LENGTH => {
                    name.extend_from_slice(rest.until_zero()?);
                    // The zero that was taken is the first of the padding.
                    let used = start - rest.0.len() - 1;
                    rest.take(8 - used % 8 - 1)?;
                }
                length => {
                    name.extend_from_slice(rest.take(usize::from(length))?);
                    let used = start - rest.0.len();
                    rest.take(8 - used % 8)?;
                }
            }
        }
    }
    entry(Tracked {
        name,
        oid,
        modified,
        size,
        inode,
        mode,
        stage: flags >> 12 & 3,
    });
    Some(())
}

impl ObjectFormat {
    fn length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

impl Oid {
    fn new(name: &[u8], format: ObjectFormat) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        Some(Self { bytes, format })
    }
}

impl std::fmt::Display for Oid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.bytes.iter().take(self.format.length());
        bytes
            .into_iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The bytes that are left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        let (taken, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*taken))
    }

    fn short(&mut self) -> Option<u16> {
        let (taken, rest) = self.0.split_first_chunk::<2>()?;
        self.0 = rest;
        Some(u16::from_be_bytes(*taken))
    }

    /// Up to a zero, which is taken too.
    fn until_zero(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.0)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }

    /// A number of any length, as git writes how far back something is.
    fn offset(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let [byte] = *self.take(1)? else {
                return None;
            };
            value = value
                .checked_mul(128)?
                .checked_add(usize::from(byte & 127))?;
            if byte & 128 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
        }
    }
}
