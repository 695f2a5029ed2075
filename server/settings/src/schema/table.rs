//! The settings of the twin, one row each: path, type, default, and how layers combine it if not by
//! replacing.

use super::Preset::{Decimal, EmptyObject, Flag, Integer, Nothing, Text, Texts};
use super::{Kind, Merge, Preset, Row};

const TELEMETRY: &[Kind] = &[
    Kind::Flag,
    Kind::StrictObject(&[
        "enabled",
        "target",
        "otlpEndpoint",
        "otlpProtocol",
        "traces",
        "logPrompts",
        "outfile",
        "useCollector",
        "useCliAuth",
    ]),
];

const SANDBOX: &[Kind] = &[
    Kind::Flag,
    Kind::Text,
    Kind::StrictObject(&[
        "enabled",
        "command",
        "image",
        "allowedPaths",
        "networkAccess",
    ]),
];

/// What a million tokens of a model cost.
const PRICE: &[&str] = &["input", "cachedInput", "output", "currency"];

/// More exact paths stand before paths with a `*`.
pub(super) const ROWS: &[Row] = &[
    // general
    choice(
        "general.preferredEditor",
        &[
            "vscode",
            "vscodium",
            "windsurf",
            "cursor",
            "zed",
            "antigravity",
            "sublimetext",
            "lapce",
            "nova",
            "bbedit",
            "vim",
            "neovim",
            "emacs",
            "hx",
            "emacsclient",
            "micro",
        ],
        Nothing,
    ),
    flag("general.openEditorInNewWindow", Flag(false)),
    flag("general.vimMode", Flag(false)),
    choice(
        "general.defaultApprovalMode",
        &["default", "auto_edit", "plan"],
        Text("default"),
    ),
    flag("general.devtools", Flag(false)),
    flag("general.enableAutoUpdate", Flag(true)),
    flag("general.enableAutoUpdateNotification", Flag(true)),
    flag("general.enableNotifications", Flag(false)),
    choice(
        "general.notificationMethod",
        &["auto", "osc9", "osc777", "bell"],
        Text("auto"),
    ),
    flag("general.checkpointing.enabled", Flag(false)),
    flag("general.plan.enabled", Flag(true)),
    text("general.plan.directory", Nothing),
    flag("general.plan.modelRouting", Flag(true)),
    flag("general.retryFetchErrors", Flag(true)),
    number("general.maxAttempts", Integer(10)),
    flag("general.debugKeystrokeLogging", Flag(false)),
    flag("general.sessionRetention.enabled", Flag(true)),
    text("general.sessionRetention.maxAge", Text("30d")),
    number("general.sessionRetention.maxCount", Nothing),
    text("general.sessionRetention.minRetention", Text("1d")),
    flag("general.topicUpdateNarration", Flag(true)),
    flag("general.logRagSnippets", Flag(false)),
    choice("output.format", &["text", "json"], Text("text")),
    // ui: mostly for terminals, kept so that mistakes are found in either twin
    text("ui.theme", Nothing),
    flag("ui.autoThemeSwitching", Flag(true)),
    number("ui.terminalBackgroundPollingInterval", Integer(60)),
    object("ui.customThemes", EmptyObject),
    object("ui.customThemes.*", Nothing),
    flag("ui.hideWindowTitle", Flag(false)),
    choice("ui.inlineThinkingMode", &["off", "full"], Text("off")),
    flag("ui.showStatusInTitle", Flag(false)),
    flag("ui.dynamicWindowTitle", Flag(true)),
    flag("ui.showHomeDirectoryWarning", Flag(true)),
    flag("ui.showCompatibilityWarnings", Flag(true)),
    flag("ui.hideTips", Flag(false)),
    flag("ui.escapePastedAtSymbols", Flag(false)),
    flag("ui.showShortcutsHint", Flag(true)),
    flag("ui.compactToolOutput", Flag(true)),
    flag("ui.hideBanner", Flag(false)),
    flag("ui.hideContextSummary", Flag(false)),
    texts("ui.footer.items", Nothing, Merge::Deep),
    flag("ui.footer.showLabels", Flag(true)),
    flag("ui.footer.hideCWD", Flag(false)),
    flag("ui.footer.hideSandboxStatus", Flag(false)),
    flag("ui.footer.hideModelInfo", Flag(false)),
    flag("ui.footer.hideContextPercentage", Flag(true)),
    flag("ui.hideFooter", Flag(false)),
    flag("ui.collapseDrawerDuringApproval", Flag(true)),
    flag("ui.showMemoryUsage", Flag(false)),
    flag("ui.showLineNumbers", Flag(true)),
    flag("ui.showCitations", Flag(false)),
    flag("ui.showModelInfoInChat", Flag(false)),
    flag("ui.showUserIdentity", Flag(true)),
    flag("ui.useAlternateBuffer", Flag(false)),
    flag("ui.renderProcess", Flag(true)),
    flag("ui.terminalBuffer", Flag(false)),
    flag("ui.useBackgroundColor", Flag(true)),
    flag("ui.incrementalRendering", Flag(true)),
    flag("ui.showSpinner", Flag(true)),
    choice(
        "ui.loadingPhrases",
        &["tips", "witty", "all", "off"],
        Text("off"),
    ),
    choice("ui.errorVerbosity", &["low", "full"], Text("low")),
    texts("ui.customWittyPhrases", Texts(&[]), Merge::Deep),
    flag("ui.accessibility.enableLoadingPhrases", Flag(true)),
    flag("ui.accessibility.screenReader", Flag(false)),
    // ide, privacy, telemetry, billing
    flag("ide.enabled", Flag(false)),
    flag("ide.hasSeenNudge", Flag(false)),
    flag("privacy.usageStatisticsEnabled", Flag(true)),
    one_of("telemetry", TELEMETRY),
    flag("telemetry.enabled", Nothing),
    flag("telemetry.traces", Nothing),
    flag("telemetry.logPrompts", Nothing),
    flag("telemetry.useCollector", Nothing),
    flag("telemetry.useCliAuth", Nothing),
    choice("telemetry.target", &["local", "gcp"], Nothing),
    text("telemetry.otlpEndpoint", Nothing),
    choice("telemetry.otlpProtocol", &["grpc", "http"], Nothing),
    text("telemetry.outfile", Nothing),
    choice(
        "billing.overageStrategy",
        &["ask", "always", "never"],
        Text("ask"),
    ),
    choice(
        "billing.vertexAi.requestType",
        &["dedicated", "shared"],
        Nothing,
    ),
    choice(
        "billing.vertexAi.sharedRequestType",
        &["priority", "flex"],
        Nothing,
    ),
    // model, agents
    text("model.name", Nothing),
    number("model.maxSessionTurns", Integer(-1)),
    object("model.summarizeToolOutput", Nothing),
    number("model.summarizeToolOutput.*.tokenBudget", Nothing),
    number("model.compressionThreshold", Decimal(0.5)),
    flag("model.disableLoopDetection", Flag(false)),
    flag("model.skipNextSpeakerCheck", Flag(true)),
    object("modelConfigs.aliases", Nothing),
    object("modelConfigs.customAliases", Nothing),
    object("modelConfigs.modelDefinitions", Nothing),
    object("modelConfigs.modelIdResolutions", Nothing),
    object("modelConfigs.classifierIdResolutions", Nothing),
    object("modelConfigs.modelChains", Nothing),
    list("modelConfigs.overrides"),
    list("modelConfigs.customOverrides"),
    object("agents.overrides", EmptyObject),
    object("agents.overrides.*", Nothing),
    flag("agents.overrides.*.enabled", Nothing),
    number("agents.overrides.*.runConfig.maxTimeMinutes", Nothing),
    number("agents.overrides.*.runConfig.maxTurns", Nothing),
    object("agents.overrides.*.modelConfig", Nothing),
    texts("agents.overrides.*.tools", Nothing, Merge::Deep),
    object("agents.overrides.*.mcpServers", Nothing),
    choice(
        "agents.browser.sessionMode",
        &["persistent", "isolated", "existing"],
        Text("persistent"),
    ),
    flag("agents.browser.headless", Flag(false)),
    text("agents.browser.profilePath", Nothing),
    text("agents.browser.visualModel", Nothing),
    texts(
        "agents.browser.allowedDomains",
        Texts(&["github.com", "*.google.com", "localhost"]),
        Merge::Deep,
    ),
    flag("agents.browser.disableUserInput", Flag(true)),
    number("agents.browser.maxActionsPerTask", Integer(100)),
    flag("agents.browser.confirmSensitiveActions", Flag(false)),
    flag("agents.browser.blockFileUploads", Flag(false)),
    // context
    one_of("context.fileName", &[Kind::Text, Kind::TextList]),
    choice("context.importFormat", &["tree", "flat"], Nothing),
    flag("context.includeDirectoryTree", Flag(true)),
    number("context.discoveryMaxDirs", Integer(200)),
    texts(
        "context.memoryBoundaryMarkers",
        Texts(&[".git"]),
        Merge::Deep,
    ),
    texts("context.includeDirectories", Texts(&[]), Merge::Concat),
    flag("context.loadMemoryFromIncludeDirectories", Flag(false)),
    flag("context.fileFiltering.respectGitIgnore", Flag(true)),
    flag("context.fileFiltering.respectGeminiIgnore", Flag(true)),
    flag("context.fileFiltering.enableFileWatcher", Flag(false)),
    flag(
        "context.fileFiltering.enableRecursiveFileSearch",
        Flag(true),
    ),
    flag("context.fileFiltering.enableFuzzySearch", Flag(true)),
    texts(
        "context.fileFiltering.customIgnoreFilePaths",
        Texts(&[]),
        Merge::Union,
    ),
    // tools
    one_of("tools.sandbox", SANDBOX),
    flag("tools.sandbox.enabled", Nothing),
    choice(
        "tools.sandbox.command",
        &["docker", "podman", "sandbox-exec", "runsc", "lxc"],
        Nothing,
    ),
    text("tools.sandbox.image", Nothing),
    texts("tools.sandbox.allowedPaths", Nothing, Merge::Deep),
    flag("tools.sandbox.networkAccess", Nothing),
    texts("tools.sandboxAllowedPaths", Texts(&[]), Merge::Deep),
    flag("tools.sandboxNetworkAccess", Flag(false)),
    flag("tools.shell.enableInteractiveShell", Flag(true)),
    choice(
        "tools.shell.backgroundCompletionBehavior",
        &["silent", "inject", "notify"],
        Text("silent"),
    ),
    text("tools.shell.pager", Text("cat")),
    flag("tools.shell.showColor", Flag(true)),
    number("tools.shell.inactivityTimeout", Integer(300)),
    flag("tools.shell.enableShellOutputEfficiency", Flag(true)),
    texts("tools.core", Nothing, Merge::Deep),
    texts("tools.allowed", Nothing, Merge::Deep),
    texts("tools.confirmationRequired", Nothing, Merge::Deep),
    texts("tools.exclude", Texts(&[]), Merge::Union),
    text("tools.discoveryCommand", Nothing),
    text("tools.callCommand", Nothing),
    flag("tools.useRipgrep", Flag(true)),
    number("tools.truncateToolOutputThreshold", Integer(40000)),
    flag("tools.disableLLMCorrection", Flag(true)),
    // mcp, policies
    text("mcp.serverCommand", Nothing),
    texts("mcp.allowed", Nothing, Merge::Deep),
    texts("mcp.excluded", Nothing, Merge::Deep),
    object("mcpServers", EmptyObject).merged(Merge::Shallow),
    object("mcpServers.*", Nothing),
    // ours, which the twin passes over
    object("pollux.contextWindows", Nothing),
    number("pollux.contextWindows.*", Nothing),
    object("pollux.prices", Nothing).merged(Merge::Shallow),
    row("pollux.prices.*", Kind::StrictObject(PRICE), Nothing),
    number("pollux.prices.*.input", Nothing),
    number("pollux.prices.*.cachedInput", Nothing),
    number("pollux.prices.*.output", Nothing),
    text("pollux.prices.*.currency", Nothing),
    flag("pollux.acp.clientTerminal", Flag(false)),
    flag("useWriteTodos", Flag(true)),
    texts("policyPaths", Texts(&[]), Merge::Union),
    texts("adminPolicyPaths", Texts(&[]), Merge::Union),
    // security, advanced
    flag("security.toolSandboxing", Flag(false)),
    flag("security.disableYoloMode", Flag(false)),
    flag("security.disableAlwaysAllow", Flag(false)),
    flag("security.enablePermanentToolApproval", Flag(false)),
    flag("security.autoAddToPolicyByDefault", Flag(false)),
    flag("security.blockGitExtensions", Flag(false)),
    texts("security.allowedExtensions", Texts(&[]), Merge::Deep),
    flag("security.folderTrust.enabled", Flag(true)),
    texts(
        "security.environmentVariableRedaction.allowed",
        Texts(&[]),
        Merge::Deep,
    ),
    texts(
        "security.environmentVariableRedaction.blocked",
        Texts(&[]),
        Merge::Deep,
    ),
    flag("security.environmentVariableRedaction.enabled", Flag(false)),
    text("security.auth.selectedType", Nothing),
    text("security.auth.enforcedType", Nothing),
    flag("security.auth.useExternal", Nothing),
    flag("security.enableConseca", Flag(false)),
    flag("advanced.autoConfigureMemory", Flag(true)),
    choice(
        "advanced.dnsResolutionOrder",
        &["ipv4first", "verbatim"],
        Nothing,
    ),
    texts(
        "advanced.excludedEnvVars",
        Texts(&["DEBUG", "DEBUG_MODE"]),
        Merge::Union,
    ),
    flag("advanced.ignoreLocalEnv", Flag(false)),
    text("advanced.bugCommand.urlTemplate", Nothing),
    // experimental
    flag("experimental.gemma", Flag(true)),
    flag("experimental.voiceMode", Flag(false)),
    choice(
        "experimental.voice.activationMode",
        &["push-to-talk", "toggle"],
        Nothing,
    ),
    choice(
        "experimental.voice.backend",
        &["gemini-live", "whisper"],
        Nothing,
    ),
    text("experimental.voice.whisperModel", Nothing),
    number("experimental.voice.stopGracePeriodMs", Integer(4000)),
    flag(
        "experimental.adk.agentSessionNoninteractiveEnabled",
        Flag(false),
    ),
    flag(
        "experimental.adk.agentSessionInteractiveEnabled",
        Flag(false),
    ),
    flag("experimental.adk.agentSessionSubagentEnabled", Flag(false)),
    flag("experimental.enableAgents", Flag(true)),
    flag("experimental.worktrees", Flag(false)),
    flag("experimental.extensionManagement", Flag(true)),
    flag("experimental.extensionConfig", Flag(true)),
    flag("experimental.extensionRegistry", Flag(false)),
    text(
        "experimental.extensionRegistryURI",
        Text("https://geminicli.com/extensions.json"),
    ),
    flag("experimental.extensionReloading", Flag(false)),
    flag("experimental.useOSC52Paste", Flag(false)),
    flag("experimental.useOSC52Copy", Flag(false)),
    flag("experimental.taskTracker", Flag(false)),
    flag("experimental.modelSteering", Flag(false)),
    flag("experimental.directWebFetch", Flag(false)),
    flag("experimental.dynamicModelConfiguration", Flag(false)),
    flag("experimental.gemmaModelRouter.enabled", Flag(false)),
    flag("experimental.gemmaModelRouter.autoStartServer", Flag(false)),
    text("experimental.gemmaModelRouter.binaryPath", Text("")),
    text(
        "experimental.gemmaModelRouter.classifier.host",
        Text("http://localhost:9379"),
    ),
    text(
        "experimental.gemmaModelRouter.classifier.model",
        Text("gemma3-1b-gpu-custom"),
    ),
    flag("experimental.stressTestProfile", Flag(false)),
    flag("experimental.powerUserProfile", Flag(false)),
    flag("experimental.generalistProfile", Flag(false)),
    flag("experimental.contextManagement", Flag(false)),
    flag("experimental.autoMemory", Flag(false)),
    flag("experimental.topicUpdateNarration", Flag(false)),
    // extensions, skills, hooks
    texts("extensions.disabled", Texts(&[]), Merge::Union),
    texts(
        "extensions.workspacesWithMigrationNudge",
        Texts(&[]),
        Merge::Union,
    ),
    flag("skills.enabled", Flag(true)),
    texts("skills.disabled", Texts(&[]), Merge::Union),
    flag("hooksConfig.enabled", Flag(true)),
    texts("hooksConfig.disabled", Texts(&[]), Merge::Union),
    flag("hooksConfig.notifications", Flag(true)),
    object("hooks", EmptyObject),
    list("hooks.*").merged(Merge::Concat),
    // contextManagement
    number("contextManagement.historyWindow.maxTokens", Integer(150000)),
    number(
        "contextManagement.historyWindow.retainedTokens",
        Integer(40000),
    ),
    number(
        "contextManagement.messageLimits.normalMaxTokens",
        Integer(2500),
    ),
    number(
        "contextManagement.messageLimits.retainedMaxTokens",
        Integer(12000),
    ),
    number(
        "contextManagement.messageLimits.normalizationHeadRatio",
        Decimal(0.25),
    ),
    number(
        "contextManagement.tools.distillation.maxOutputTokens",
        Integer(10000),
    ),
    number(
        "contextManagement.tools.distillation.summarizationThresholdTokens",
        Integer(20000),
    ),
    number(
        "contextManagement.tools.outputMasking.protectionThresholdTokens",
        Integer(50000),
    ),
    number(
        "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
        Integer(30000),
    ),
    flag(
        "contextManagement.tools.outputMasking.protectLatestTurn",
        Flag(true),
    ),
    // admin: set by remote controls; whatever a file says is dropped before the merge
    flag("admin.secureModeEnabled", Flag(false)),
    flag("admin.extensions.enabled", Flag(true)),
    flag("admin.mcp.enabled", Flag(true)),
    object("admin.mcp.config", EmptyObject),
    object("admin.mcp.requiredConfig", EmptyObject),
    flag("admin.skills.enabled", Flag(true)),
    // deprecated: typed here so that they are read well before `migrate` renames them
    flag("general.disableAutoUpdate", Nothing),
    flag("general.disableUpdateNag", Nothing),
    flag("ui.accessibility.disableLoadingPhrases", Nothing),
    flag("context.fileFiltering.disableFuzzySearch", Nothing),
    choice(
        "tools.approvalMode",
        &["default", "auto_edit", "plan"],
        Nothing,
    ),
    flag("experimental.plan", Nothing),
    flag("experimental.cliHelpAgentSettings.enabled", Nothing),
    flag("experimental.codebaseInvestigatorSettings.enabled", Nothing),
    number(
        "experimental.codebaseInvestigatorSettings.maxNumTurns",
        Nothing,
    ),
    number(
        "experimental.codebaseInvestigatorSettings.maxTimeMinutes",
        Nothing,
    ),
    text("experimental.codebaseInvestigatorSettings.model", Nothing),
    number(
        "experimental.codebaseInvestigatorSettings.thinkingBudget",
        Nothing,
    ),
];

const fn row(path: &'static str, kind: Kind, preset: Preset) -> Row {
    Row {
        path,
        kind,
        preset,
        merge: Merge::Deep,
    }
}

const fn flag(path: &'static str, preset: Preset) -> Row {
    row(path, Kind::Flag, preset)
}

const fn number(path: &'static str, preset: Preset) -> Row {
    row(path, Kind::Number, preset)
}

const fn text(path: &'static str, preset: Preset) -> Row {
    row(path, Kind::Text, preset)
}

const fn choice(path: &'static str, names: &'static [&'static str], preset: Preset) -> Row {
    row(path, Kind::Choice(names), preset)
}

const fn texts(path: &'static str, preset: Preset, merge: Merge) -> Row {
    row(path, Kind::TextList, preset).merged(merge)
}

const fn list(path: &'static str) -> Row {
    row(path, Kind::List, Nothing)
}

const fn object(path: &'static str, preset: Preset) -> Row {
    row(path, Kind::Object, preset)
}

const fn one_of(path: &'static str, kinds: &'static [Kind]) -> Row {
    row(path, Kind::OneOf(kinds), Nothing)
}

impl Row {
    const fn merged(self, merge: Merge) -> Self {
        Self { merge, ..self }
    }
}
