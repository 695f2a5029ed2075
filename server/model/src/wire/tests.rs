//! Faults, pauses and cancellation, for both protocols.

mod cancelling;
mod faults;
mod pauses;
mod secrets;
