use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far a [`WebClient`](super::WebClient) may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// What everybody can reach.
    #[default]
    Public,
    /// Also this machine, but not the networks it is in. For what begins on this machine.
    PublicAndHere,
    /// Also this machine and the networks it is in. Not for addresses that a model came up with.
    Anywhere,
}

impl Reach {
    pub fn admits(self, address: IpAddr) -> bool {
        match self {
            Self::Anywhere => true,
            Self::PublicAndHere => address.is_loopback() || Self::Public.admits(address),
            Self::Public => match address {
                IpAddr::V4(address) => is_public_v4(address),
                IpAddr::V6(address) => is_public_v6(address),
            },
        }
    }

    /// Whether a name may be looked up at all.
    pub fn admits_name(self, name: &str) -> bool {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let is_local = ["localhost", "local", "internal"]
            .iter()
            .any(|end| name == *end || name.ends_with(&format!(".{end}")));
        match self {
            Self::Anywhere => true,
            Self::PublicAndHere if is_this_machine(&name) => true,
            Self::Public | Self::PublicAndHere => !is_local && !name.is_empty(),
        }
    }
}

/// Whether a name, in lower case and without its last dot, means the machine that asks.
fn is_this_machine(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = match (a, b, c) {
        // This network, and shared addresses behind a carrier.
        (0, _, _) | (100, 64..=127, _) => true,
        // Protocol assignments, documentation, relays, benchmarks.
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 18..=19, _) | (198, 51, 100) | (203, 0, 113) => {
            true
        }
        // Multicast, reserved, broadcast.
        (224..=255, _, _) => true,
        _ => false,
    };
    !(special || address.is_private() || address.is_loopback() || address.is_link_local())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded_v4(address) {
        return is_public_v4(inner);
    }
    let segments = address.segments();
    // Only 2000::/3 is handed out to the world. Of that, some is for documents.
    let [first, second, ..] = segments;
    let documentation =
        (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);
    // 2001::/23 is for protocols: Teredo and the like.
    let protocols = first == 0x2001 && second < 0x0200;
    (0x2000..0x4000).contains(&first) && !documentation && !protocols
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, translated by NAT64, or through 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let v4 = |high: u16, low: u16| {
        let [first, second] = high.to_be_bytes();
        let [third, fourth] = low.to_be_bytes();
        Ipv4Addr::new(first, second, third, fourth)
    };
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0 | 0xffff) | (0, 0, 0, 0, 0xffff, 0) | (0x64, 0xff9b, 0, 0, 0, 0) => {
            Some(v4(high, low))
        }
        (0x2002, ..) => Some(v4(b, c)),
        _ => None,
    }
}
