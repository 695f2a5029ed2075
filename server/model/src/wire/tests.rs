//! Faults, pauses and cancellation, for both protocols.

mod cancelling;
mod faults;
mod garbage;
mod pauses;
mod secrets;
