//! Names of the first, flat settings format.
//!
//! The twin stopped reading them, and so do we: reading them here only would make the two disagree. But
//! a silent setting is a riddle, so each is named together with its successor.

/// The present path of a top-level key of the old format.
pub(crate) fn former_name(key: &str) -> Option<&'static str> {
    FORMER
        .iter()
        .find(|(former, _)| *former == key)
        .map(|(_, present)| *present)
}

const FORMER: &[(&str, &str)] = &[
    ("accessibility", "ui.accessibility"),
    ("allowMCPServers", "mcp.allowed"),
    ("allowedTools", "tools.allowed"),
    (
        "autoConfigureMaxOldSpaceSize",
        "advanced.autoConfigureMemory",
    ),
    ("bugCommand", "advanced.bugCommand"),
    ("chatCompression", "model.compressionThreshold"),
    ("checkpointing", "general.checkpointing"),
    ("contextFileName", "context.fileName"),
    ("coreTools", "tools.core"),
    ("customThemes", "ui.customThemes"),
    ("customWittyPhrases", "ui.customWittyPhrases"),
    ("debugKeystrokeLogging", "general.debugKeystrokeLogging"),
    ("disableAutoUpdate", "general.enableAutoUpdate"),
    ("disableUpdateNag", "general.enableAutoUpdateNotification"),
    ("dnsResolutionOrder", "advanced.dnsResolutionOrder"),
    (
        "enableInteractiveShell",
        "tools.shell.enableInteractiveShell",
    ),
    ("enforcedAuthType", "security.auth.enforcedType"),
    ("excludeMCPServers", "mcp.excluded"),
    ("excludeTools", "tools.exclude"),
    ("excludedProjectEnvVars", "advanced.excludedEnvVars"),
    ("extensionManagement", "experimental.extensionManagement"),
    ("fileFiltering", "context.fileFiltering"),
    ("folderTrust", "security.folderTrust.enabled"),
    ("hasSeenIdeIntegrationNudge", "ide.hasSeenNudge"),
    ("hideBanner", "ui.hideBanner"),
    ("hideCWD", "ui.footer.hideCWD"),
    ("hideContextSummary", "ui.hideContextSummary"),
    ("hideFooter", "ui.hideFooter"),
    ("hideModelInfo", "ui.footer.hideModelInfo"),
    ("hideSandboxStatus", "ui.footer.hideSandboxStatus"),
    ("hideTips", "ui.hideTips"),
    ("hideWindowTitle", "ui.hideWindowTitle"),
    ("ideMode", "ide.enabled"),
    ("includeDirectories", "context.includeDirectories"),
    (
        "loadMemoryFromIncludeDirectories",
        "context.loadMemoryFromIncludeDirectories",
    ),
    ("maxSessionTurns", "model.maxSessionTurns"),
    ("mcpServerCommand", "mcp.serverCommand"),
    ("memoryDiscoveryMaxDirs", "context.discoveryMaxDirs"),
    ("memoryImportFormat", "context.importFormat"),
    ("preferredEditor", "general.preferredEditor"),
    ("retryFetchErrors", "general.retryFetchErrors"),
    ("sandbox", "tools.sandbox"),
    ("selectedAuthType", "security.auth.selectedType"),
    ("shellPager", "tools.shell.pager"),
    ("shellShowColor", "tools.shell.showColor"),
    ("showCitations", "ui.showCitations"),
    ("showLineNumbers", "ui.showLineNumbers"),
    ("showMemoryUsage", "ui.showMemoryUsage"),
    ("showStatusInTitle", "ui.showStatusInTitle"),
    ("skipNextSpeakerCheck", "model.skipNextSpeakerCheck"),
    ("summarizeToolOutput", "model.summarizeToolOutput"),
    ("theme", "ui.theme"),
    ("toolCallCommand", "tools.callCommand"),
    ("toolDiscoveryCommand", "tools.discoveryCommand"),
    ("usageStatisticsEnabled", "privacy.usageStatisticsEnabled"),
    ("useExternalAuth", "security.auth.useExternal"),
    ("useRipgrep", "tools.useRipgrep"),
    ("vimMode", "general.vimMode"),
];
