use expect_test::{Expect, expect};

use super::*;

fn check(settings: Value, expected: Expect) {
    let Value::Object(mut settings) = settings else {
        panic!("settings are an object");
    };
    let findings: String = migrate(&mut settings)
        .iter()
        .map(|finding| {
            let fix = finding.fix.as_deref().unwrap_or_default();
            format!("{} ({fix})\n", finding.message)
        })
        .collect();
    expected.assert_eq(&format!("{}\n{findings}", Value::Object(settings)));
}

#[test]
fn switches_that_turned_around() {
    check(
        json!({
            "general": {"disableAutoUpdate": true, "disableUpdateNag": false},
            "context": {"fileFiltering": {"disableFuzzySearch": true}},
        }),
        expect![[r#"
            {"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":true},"context":{"fileFiltering":{"enableFuzzySearch":false}}}
            `general.disableAutoUpdate` is deprecated (use `general.enableAutoUpdate`, which means the opposite)
            `general.disableUpdateNag` is deprecated (use `general.enableAutoUpdateNotification`, which means the opposite)
            `context.fileFiltering.disableFuzzySearch` is deprecated (use `context.fileFiltering.enableFuzzySearch`, which means the opposite)
        "#]],
    );
}

#[test]
fn the_new_name_wins_over_the_old_one() {
    check(
        json!({"general": {"disableAutoUpdate": true, "enableAutoUpdate": true, "defaultApprovalMode": "plan"},
               "tools": {"approvalMode": "auto_edit"}}),
        expect![[r#"
            {"general":{"enableAutoUpdate":true,"defaultApprovalMode":"plan"},"tools":{}}
            `general.disableAutoUpdate` is deprecated (use `general.enableAutoUpdate`, which means the opposite)
            `tools.approvalMode` is deprecated (use `general.defaultApprovalMode`)
        "#]],
    );
}

#[test]
fn loading_phrases_that_were_off_stay_off() {
    check(
        json!({"ui": {"accessibility": {"disableLoadingPhrases": true}}}),
        expect![[r#"
            {"ui":{"accessibility":{"enableLoadingPhrases":false},"loadingPhrases":"off"}}
            `ui.accessibility.disableLoadingPhrases` is deprecated (use `ui.accessibility.enableLoadingPhrases`, which means the opposite)
        "#]],
    );
    check(
        json!({"ui": {"accessibility": {"enableLoadingPhrases": false}, "loadingPhrases": "tips"}}),
        expect![[r#"
            {"ui":{"accessibility":{"enableLoadingPhrases":false},"loadingPhrases":"tips"}}
        "#]],
    );
}

#[test]
fn settings_of_agents_move_to_their_overrides() {
    check(
        json!({
            "experimental": {
                "codebaseInvestigatorSettings": {
                    "enabled": false, "maxNumTurns": 3, "maxTimeMinutes": 4, "model": "m", "thinkingBudget": 5,
                },
                "cliHelpAgentSettings": {"enabled": false},
                "plan": false,
                "worktrees": true,
            },
        }),
        expect![[r#"
            {"experimental":{"worktrees":true},"general":{"plan":{"enabled":false}},"agents":{"overrides":{"codebase_investigator":{"enabled":false,"runConfig":{"maxTurns":3,"maxTimeMinutes":4},"modelConfig":{"model":"m","generateContentConfig":{"thinkingConfig":{"thinkingBudget":5}}}},"cli_help":{"enabled":false}}}}
            `experimental.plan` is deprecated (use `general.plan.enabled`)
            `experimental.codebaseInvestigatorSettings.enabled` is deprecated (use `agents.overrides.codebase_investigator.enabled`)
            `experimental.codebaseInvestigatorSettings.maxNumTurns` is deprecated (use `agents.overrides.codebase_investigator.runConfig.maxTurns`)
            `experimental.codebaseInvestigatorSettings.maxTimeMinutes` is deprecated (use `agents.overrides.codebase_investigator.runConfig.maxTimeMinutes`)
            `experimental.codebaseInvestigatorSettings.model` is deprecated (use `agents.overrides.codebase_investigator.modelConfig.model`)
            `experimental.codebaseInvestigatorSettings.thinkingBudget` is deprecated (use `agents.overrides.codebase_investigator.modelConfig.generateContentConfig.thinkingConfig.thinkingBudget`)
            `experimental.cliHelpAgentSettings.enabled` is deprecated (use `agents.overrides.cli_help.enabled`)
        "#]],
    );
}

#[test]
fn a_switch_that_is_no_switch_is_left_alone() {
    check(
        json!({"general": {"disableAutoUpdate": "perhaps"}, "ui": 5}),
        expect![[r#"
            {"general":{"disableAutoUpdate":"perhaps"},"ui":5}
        "#]],
    );
}
