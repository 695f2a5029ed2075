mod effort;
mod execution;
mod oracle;
mod properties;
pub(crate) mod table;

use super::*;
