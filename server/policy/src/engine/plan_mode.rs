//! What no rule can allow in plan mode: a call that may change something besides the plan.
//!
//! Edits are not judged here. The tools that make them resolve every path to the folder of plans.

use crate::shell::{self, Place, Safety};
use crate::{ApprovalMode, Call, Context, Decision, Verdict};

/// What the names of a project's own tools begin with.
const DISCOVERED: &str = "discovered_tool_";

/// The verdict, or a denial where plan mode does not leave the call to rules.
pub(super) fn confine(
    verdict: Verdict,
    call: &Call<'_>,
    is_shell: bool,
    context: &Context<'_>,
) -> Verdict {
    if context.mode != ApprovalMode::Plan || verdict.decision == Decision::Deny {
        return verdict;
    }
    let may_change = if is_shell {
        !only_reads(call, context)
    } else if call.server.is_some() {
        !has_read_only_hint(call)
    } else {
        call.tool.starts_with(DISCOVERED)
    };
    if !may_change {
        return verdict;
    }
    let message = "Plan mode is read-only: look, ask, and write the plan; nothing else may change.";
    Verdict {
        decision: Decision::Deny,
        reason: "plan mode changes nothing but the plan, whatever the rules say".to_owned(),
        deny_message: Some(message.to_owned()),
        ..verdict
    }
}

fn only_reads(call: &Call<'_>, context: &Context<'_>) -> bool {
    let text = |name: &str| call.args.get(name).and_then(|value| value.as_str());
    let Some(Ok(script)) = text("command").map(shell::parse) else {
        return false;
    };
    let folder = context.cwd.join(text("dir_path").unwrap_or_default());
    let place = Place {
        cwd: &folder,
        roots: context.roots,
        view: context.view,
    };
    shell::judge(&script, &place) == Safety::KnownSafe
}

fn has_read_only_hint(call: &Call<'_>) -> bool {
    let hint = call.annotations.and_then(|hints| hints.get("readOnlyHint"));
    hint.and_then(|hint| hint.as_bool()) == Some(true)
}
