//! UTF-16 and UTF-32. Only valid ones, so that text gives the same bytes back.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Two,
    Four,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// The text; nothing when any of it is invalid.
pub(super) fn decode(bytes: &[u8], width: Width, order: Order) -> Option<String> {
    match width {
        Width::Two => {
            let (units, rest) = bytes.as_chunks::<2>();
            let units = units.iter().map(|unit| match order {
                Order::Little => u16::from_le_bytes(*unit),
                Order::Big => u16::from_be_bytes(*unit),
            });
            let text = char::decode_utf16(units).collect::<Result<String, _>>();
            text.ok().filter(|_| rest.is_empty())
        }
        Width::Four => {
            let (units, rest) = bytes.as_chunks::<4>();
            let units = units.iter().map(|unit| match order {
                Order::Little => u32::from_le_bytes(*unit),
                Order::Big => u32::from_be_bytes(*unit),
            });
            let text = units.map(char::from_u32).collect::<Option<String>>();
            text.filter(|_| rest.is_empty())
        }
    }
}

pub(super) fn encode(bytes: &mut Vec<u8>, text: &str, width: Width, order: Order) {
    match (width, order) {
        (Width::Two, Order::Little) => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
        (Width::Two, Order::Big) => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        (Width::Four, Order::Little) => {
            bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes()));
        }
        (Width::Four, Order::Big) => {
            bytes.extend(text.chars().flat_map(|c| u32::from(c).to_be_bytes()));
        }
    }
}
