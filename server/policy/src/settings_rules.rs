//! Rules that follow from settings.

use crate::names::{INVOKE_AGENT, SHELL, SHELL_FORMERLY};
use crate::pattern::{Pattern, escape};
use crate::rule::Condition;
use crate::stable_json::quoted;
use crate::{ApprovalMode, Decision, Presence, Rule, Tier, ToolPattern};

#[cfg(test)]
mod tests;

/// The settings that say what may be done, as plain lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsRules {
    /// `tools.exclude`
    pub exclude: Vec<String>,
    /// `tools.confirmationRequired`
    pub confirmation_required: Vec<String>,
    /// `tools.allowed` and `--allowed-tools`
    pub allowed: Vec<String>,
    /// `tools.core`; empty where it is not set.
    pub core: Vec<String>,
    /// `mcp.excluded`
    pub excluded_servers: Vec<String>,
    /// `mcp.allowed`
    pub allowed_servers: Vec<String>,
    /// Servers with `trust: true`.
    pub trusted_servers: Vec<String>,
    /// `mcp.autoAllowInHeadless`
    pub headless_servers: HeadlessServers,
    /// Sub-agents that run elsewhere and are asked for each time.
    pub remote_agents: Vec<String>,
}

/// Whether tools of MCP servers run when nobody can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadlessServers {
    #[default]
    Judged,
    Allowed,
}

const EXCLUDED_SERVER: u32 = 900;
const EXCLUDED: u32 = 400;
const CONFIRMED: u32 = 350;
const ALLOWED: u32 = 300;
/// Who allows `run_shell_command(git)` means: and no other command.
const NARROWED: u32 = 290;
const CORE: u32 = 250;
const NOT_CORE: u32 = 240;
const TRUSTED_SERVER: u32 = 200;
const ALLOWED_SERVER: u32 = 100;
/// In the tier of the shipped rules.
const REMOTE_AGENT: u32 = 130;

impl SettingsRules {
    pub(crate) fn rules(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        for server in &self.excluded_servers {
            let tools = ToolPattern::server(server);
            rules.push(rule(tools, Decision::Deny, EXCLUDED_SERVER, "mcp.excluded"));
        }
        for entry in &self.exclude {
            rules.push(Entry::read(entry).rule(Decision::Deny, EXCLUDED, "tools.exclude"));
        }
        for entry in &self.confirmation_required {
            let entry = Entry::read(entry);
            rules.push(entry.rule(Decision::Ask, CONFIRMED, "tools.confirmationRequired"));
        }
        self.allowed_rules(&mut rules);
        self.core_rules(&mut rules);
        for server in &self.trusted_servers {
            let tools = ToolPattern::server(server);
            let source = format!("mcpServers.{server}.trust");
            rules.push(outside_plan(rule(
                tools,
                Decision::Allow,
                TRUSTED_SERVER,
                &source,
            )));
        }
        for server in &self.allowed_servers {
            let tools = ToolPattern::server(server);
            let allow = rule(tools, Decision::Allow, ALLOWED_SERVER, "mcp.allowed");
            rules.push(outside_plan(allow));
        }
        if self.headless_servers == HeadlessServers::Allowed {
            let tools = ToolPattern::server("*");
            let source = "mcp.autoAllowInHeadless";
            let mut allow = rule(tools, Decision::Allow, ALLOWED_SERVER, source);
            allow.scope.presence = Some(Presence::Headless);
            rules.push(allow);
        }
        rules.extend(
            self.remote_agents
                .iter()
                .filter_map(|agent| remote_agent(agent)),
        );
        rules
    }

    fn allowed_rules(&self, rules: &mut Vec<Rule>) {
        let mut narrowed = false;
        for entry in &self.allowed {
            let entry = Entry::read(entry);
            narrowed |= entry.prefix.is_some();
            rules.push(entry.rule(Decision::Allow, ALLOWED, "tools.allowed"));
        }
        if narrowed {
            let shell = ToolPattern::tool(SHELL);
            rules.push(rule(shell, Decision::Deny, NARROWED, "tools.allowed"));
        }
    }

    fn core_rules(&self, rules: &mut Vec<Rule>) {
        if self.core.is_empty() {
            return;
        }
        let entries: Vec<Entry<'_>> = self.core.iter().map(|entry| Entry::read(entry)).collect();
        for entry in &entries {
            rules.push(outside_plan(entry.rule(
                Decision::Allow,
                CORE,
                "tools.core",
            )));
        }
        let nothing_else = || {
            rule(
                ToolPattern::tool("*"),
                Decision::Deny,
                NOT_CORE,
                "tools.core",
            )
        };
        rules.push(outside_plan(nothing_else()));
        // In plan mode the list still limits, and what is in it is up to the rules of that mode.
        let mut in_plan = nothing_else();
        in_plan.scope.modes = Some(vec![ApprovalMode::Plan]);
        in_plan.scope.except = entries
            .iter()
            .map(|entry| ToolPattern::tool(entry.tool))
            .collect();
        rules.push(in_plan);
    }
}

/// `name` or `run_shell_command(prefix)`. What stands in brackets after any other name is ignored.
struct Entry<'a> {
    tool: &'a str,
    prefix: Option<&'a str>,
}

impl<'a> Entry<'a> {
    fn read(entry: &'a str) -> Self {
        let entry = entry.trim();
        let (tool, inner) = match entry.split_once('(') {
            Some((tool, inner)) => (tool.trim(), Some(inner.strip_suffix(')').unwrap_or(inner))),
            None => (entry, None),
        };
        let tool = if tool == SHELL_FORMERLY { SHELL } else { tool };
        Self {
            tool,
            prefix: inner
                .map(str::trim)
                .filter(|inner| tool == SHELL && !inner.is_empty()),
        }
    }

    fn rule(&self, decision: Decision, priority: u32, setting: &str) -> Rule {
        let mut rule = rule(ToolPattern::tool(self.tool), decision, priority, setting);
        if let Some(prefix) = self.prefix {
            rule.condition = Condition::Prefix(prefix.to_owned());
        }
        rule
    }
}

fn rule(tools: ToolPattern, decision: Decision, priority: u32, setting: &str) -> Rule {
    Rule::new(
        tools,
        decision,
        Tier::User,
        priority,
        &format!("settings: {setting}"),
    )
}

fn outside_plan(mut rule: Rule) -> Rule {
    rule.scope.modes = Some(ApprovalMode::Default.and_freer());
    rule
}

fn remote_agent(agent: &str) -> Option<Rule> {
    let pair = format!("\"agent_name\":{}", quoted(agent));
    let pattern = Pattern::args(&format!(r"\x00{}\x00", escape(&pair))).ok()?;
    let source = format!("settings: remote agent {agent}");
    let tools = ToolPattern::tool(INVOKE_AGENT);
    let mut rule = Rule::new(tools, Decision::Ask, Tier::Default, REMOTE_AGENT, &source);
    rule.condition = Condition::Args(pattern);
    Some(rule)
}
