//! The language server door: wire order, one file per method, and the `pollux/*` payloads.

pub mod protocol;
