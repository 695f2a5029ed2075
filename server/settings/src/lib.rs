//! pollux-settings.
