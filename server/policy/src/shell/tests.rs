mod execution;
mod oracle;
mod properties;
mod table;

use super::*;
