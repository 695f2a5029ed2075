//! The extension that lets Zed start `pollux lsp`. Everything that an agent does happens in that program; this says where
//! it is, and hands on what the settings say.
//!
//! `extension` answers Zed and `install` has effects. The other modules only decide, and are tested without an editor.

mod command;
mod extension;
mod install;
mod manifest;
mod missing;
mod release;

zed_extension_api::register_extension!(extension::Pollux);
