//! What the commands that talk to a person at a terminal have in common.

#[cfg(unix)]
mod hidden;
mod markdown;
mod output;
mod screen;

#[cfg(unix)]
pub(crate) use hidden::{Quiet, ask};
pub(crate) use output::{PlainOutput, complain, stderr, stdout};
pub(crate) use screen::{Colour, Screen, Style, cleaned_line};

use pollux_settings::Environment;

/// See <https://no-color.org>: any value but an empty one switches colours off.
pub(crate) fn colour(environment: &Environment) -> Colour {
    let refused = environment
        .get("NO_COLOR")
        .is_some_and(|value| !value.is_empty());
    if refused || environment.get("TERM") == Some("dumb") {
        Colour::Off
    } else {
        Colour::On
    }
}
