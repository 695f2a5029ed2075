use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::{CallId, FunctionCall};

/// What a call without a name is called.
const NAMELESS: &str = "generic_tool";

/// Ids for function calls to which the model gave none. Shared by all calls of one provider, so no two are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallIds(Arc<AtomicU64>);

impl CallIds {
    /// Sees to it that a call has a name and an id.
    pub(crate) fn complete(
        &self,
        id: Option<String>,
        name: Option<String>,
        args: Map<String, Value>,
        signature: Option<String>,
    ) -> FunctionCall {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let name = given(name).unwrap_or_else(|| NAMELESS.to_owned());
        let id = given(id).unwrap_or_else(|| self.next(&name));
        FunctionCall {
            id: CallId::new(id),
            name,
            args,
            signature,
        }
    }

    /// The time keeps ids apart from those of an earlier process in a resumed session.
    fn next(&self, name: &str) -> String {
        let order = self.0.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let milliseconds = since.unwrap_or_default().as_millis();
        format!("{name}_{milliseconds}_{order}")
    }
}
