//! Outside servers as tools of the agent.
//!
//! Each server has one task that owns its connection: it connects in the background, says how it stands, connects
//! anew when the server has gone, and ends with the workspace. Nobody ever waits for a server that was not asked.

mod arguments;
mod auth;
mod authorization;
mod board;
mod catalogue;
mod config;
mod connections;
mod elicitation;
mod environment;
mod gates;
mod google;
mod link;
mod listener;
mod lists;
#[cfg(unix)]
mod measured;
mod pace;
mod patience;
mod plan;
mod program;
mod results;
mod schema;
mod server;
mod sse;

pub use auth::{Consent, Credentials, Invitation, OAuth, Occasion, Person, Shown, Token, Vault};
pub use authorization::{Authorization, NoAuthorization, SignedIn};
pub use config::{
    ConfigError, Fallback, Provider, Reach, ServerConfig, ToolFilter, merged_with_extension,
};
pub use connections::{Connections, Means, Pauses, ServerSource, Switch};
pub use environment::{HandedOn, expanded, is_refused, server_variables};
pub use gates::{Block, Gates, Trusted};
pub use google::{Google, GoogleAddresses, GoogleIdentity};
pub use plan::{Planned, Setup, plan};
