//! An address at which nobody listens.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// A port of this machine that refuses connections for as long as this value lives: it is bound,
/// so no other program gets it, but never listened on.
pub struct RefusedPort {
    socket: TcpSocket,
}

impl RefusedPort {
    /// # Panics
    /// When the machine has no free port.
    pub fn reserve() -> Self {
        let socket = TcpSocket::new_v4().expect("a TCP socket");
        socket
            .bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
            .expect("a free port");
        Self { socket }
    }

    /// # Panics
    /// Never: the socket is bound.
    pub fn address(&self) -> SocketAddr {
        self.socket.local_addr().expect("a bound socket")
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }
}
