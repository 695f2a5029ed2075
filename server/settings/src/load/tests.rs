use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::secure::tests::AllOfRoot;

/// A home, a workspace folder and a system folder, all empty.
struct Machine {
    dir: TempDir,
    variables: Vec<(String, String)>,
    editor: EditorTrust,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["home/.gemini", "work/.gemini", "etc"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let text = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let variables = vec![
            ("GEMINI_CLI_HOME".to_owned(), text("home")),
            (
                "GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(),
                text("etc/settings.json"),
            ),
        ];
        Self {
            dir,
            variables,
            editor: EditorTrust::Trusted,
        }
    }

    fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.dir.path().join(name), text).unwrap();
        self
    }

    fn user(self, settings: Value) -> Self {
        self.file("home/.gemini/settings.json", settings.to_string())
    }

    fn workspace(self, settings: Value) -> Self {
        self.file("work/.gemini/settings.json", settings.to_string())
    }

    fn system(self, settings: Value) -> Self {
        self.file("etc/settings.json", settings.to_string())
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn editor(mut self, editor: EditorTrust) -> Self {
        self.editor = editor;
        self
    }

    fn load(&self) -> Loaded {
        self.load_folder("work")
    }

    fn load_folder(&self, folder: &str) -> Loaded {
        let environment = Environment::from_iter(self.variables.iter().cloned());
        let folder = self.dir.path().join(folder);
        load_from(&AllOfRoot, &environment, &folder, self.editor)
    }

    fn get(&self, path: &str) -> Value {
        self.load().merged.get(path).cloned().unwrap_or_default()
    }

    /// States and problems, with the temporary folder written as `~`.
    fn check(&self, expected: Expect) {
        let loaded = self.load();
        let mut rows: Vec<String> = loaded
            .files
            .iter()
            .map(|file| format!("{:?} {:?}", file.scope, file.state))
            .collect();
        rows.extend(
            loaded
                .problems
                .iter()
                .map(|problem| format!("{:?} {problem}", problem.severity)),
        );
        let base = self.dir.path().to_str().unwrap();
        expected.assert_eq(&rows.join("\n").replace(base, "~"));
    }
}

#[test]
fn settings_1_system_overrides_workspace_overrides_user() {
    let theme = |name: &str| json!({"ui": {"theme": name}});
    let machine = Machine::new().user(theme("A")).workspace(theme("B"));
    assert_eq!(machine.get("ui.theme"), "B");
    let machine = machine.system(theme("C"));
    assert_eq!(machine.get("ui.theme"), "C");
    let machine = Machine::new()
        .file("etc/system-defaults.json", theme("low").to_string())
        .workspace(theme("B"))
        .editor(EditorTrust::Untrusted);
    assert_eq!(machine.get("ui.theme"), "low");
    let machine = machine.user(theme("A"));
    assert_eq!(machine.get("ui.theme"), "A");
}

#[test]
fn settings_2_3_6_8_lists_and_servers_combine_as_their_strategy_says() {
    let machine = Machine::new()
        .user(json!({
            "tools": {"exclude": ["a"]},
            "mcpServers": {"x": {"command": "a", "env": {"K": "1"}}},
            "hooks": {"BeforeTool": [{"from": "user"}]},
            "mcp": {"allowed": ["A", "b"]},
        }))
        .workspace(json!({
            "tools": {"exclude": ["a", "b"]},
            "mcpServers": {"x": {"command": "b"}},
            "hooks": {"BeforeTool": [{"from": "workspace"}]},
            "mcp": {"allowed": ["a"]},
        }));
    assert_eq!(machine.get("tools.exclude"), json!(["a", "b"]));
    assert_eq!(machine.get("mcpServers.x"), json!({"command": "b"}));
    assert_eq!(
        machine.get("hooks.BeforeTool"),
        json!([{"from": "user"}, {"from": "workspace"}])
    );
    assert_eq!(machine.get("mcp.allowed"), json!(["A"]));
}

#[test]
fn settings_4_variables_are_expanded_and_take_the_type_of_the_setting() {
    let machine = Machine::new()
        .user(json!({"model": {"maxSessionTurns": "${N:-7}", "name": "$UNSET"}, "ui": {"theme": "$T"}}))
        .variable("T", "dark");
    assert_eq!(machine.get("model.maxSessionTurns"), json!(7));
    assert_eq!(machine.get("model.name"), "$UNSET");
    assert_eq!(machine.get("ui.theme"), "dark");
    assert_eq!(machine.get("model.compressionThreshold"), json!(0.5));
}

#[test]
fn a_file_is_expanded_before_the_env_file_is_read() {
    let machine = Machine::new()
        .user(json!({"ui": {"theme": "$FROM_FILE"}}))
        .file("work/.env", "FROM_FILE=dark");
    let loaded = machine.load();
    assert_eq!(loaded.merged.get("ui.theme").unwrap(), "$FROM_FILE");
    assert_eq!(loaded.env.get("FROM_FILE"), Some("dark"));
}

#[test]
fn odd_lines_of_an_env_file_are_warned_about_by_number() {
    let machine = Machine::new().file("work/.env", "A=1\n\nnot an assignment\nB='open\n");
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Missing
        Workspace Missing
        System Missing
        Warning ~/work/.env:3:1: this line is skipped: it is not NAME=value
        Warning ~/work/.env:4:1: the quoted value does not end where its line does, so the quote is part of it"#]]);
    let loaded = machine.load();
    assert_eq!(loaded.env_file, Some(machine.dir.path().join("work/.env")));
    assert_eq!(loaded.env.get("A"), Some("1"));
}

#[test]
fn settings_5_comments_and_unknown_keys_are_no_problem() {
    let machine = Machine::new().file(
        "home/.gemini/settings.json",
        "// c\n{\"unknown\": {\"x\": 1} /* d */}",
    );
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Loaded
        Workspace Missing
        System Missing"#]]);
    assert_eq!(machine.get("unknown.x"), json!(1));
    assert!(!machine.load().has_errors());
}

#[test]
fn settings_5_a_broken_file_is_one_problem_and_the_others_still_count() {
    let machine = Machine::new()
        .file(
            "home/.gemini/settings.json",
            "{\n  \"ui\": {\"theme\": \"A\"}\n  \"model\": {}\n}",
        )
        .file("etc/system-defaults.json", "[]")
        .workspace(json!({"ui": {"theme": "B"}}));
    machine.check(expect![[r#"
        SystemDefaults Broken
        User Broken
        Workspace Loaded
        System Missing
        Error ~/etc/system-defaults.json:1:1: is not a valid JSON object: the top level is a list (put the settings between { and })
        Error ~/home/.gemini/settings.json:3:3: expected ',' or '}' (add the comma that is missing before this)"#]]);
    assert!(machine.load().has_errors());
    assert_eq!(machine.get("ui.theme"), "B");
}

#[test]
fn settings_5_values_of_wrong_types_are_warned_about_with_their_place() {
    let machine = Machine::new().file(
        "home/.gemini/settings.json",
        "{\n  // é\n  \"ui\": {\"theme\": 5, /* é */ \"hideTips\": \"maybe\"},\n  \"tools\": {\"core\": [\"a\", 2]},\n  \"model\": {\"name\": \"m\"}\n}",
    );
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Loaded
        Workspace Missing
        System Missing
        Warning ~/home/.gemini/settings.json:3:19: `ui.theme` must be a string, not a number
        Warning ~/home/.gemini/settings.json:3:42: `ui.hideTips` must be a boolean, not a string
        Warning ~/home/.gemini/settings.json:4:27: `tools.core[1]` must be a string, not a number"#]]);
    assert_eq!(machine.get("model.name"), "m");
    assert!(!machine.load().has_errors());
}

#[test]
fn only_the_first_five_problems_of_a_file_are_spelt_out() {
    let machine = Machine::new().user(json!({
        "ui": {"theme": 1, "hideTips": 2, "hideBanner": 3, "hideFooter": 4, "showSpinner": 5,
               "showLineNumbers": 6, "showCitations": 7},
    }));
    assert_eq!(machine.load().problems.len(), 6);
    assert_eq!(machine.load().problems[5].message, "and 2 more");
}

#[test]
fn settings_7_in_the_home_folder_the_file_is_read_once_as_the_users() {
    let machine = Machine::new().user(json!({"hooks": {"BeforeTool": [1]}}));
    let loaded = machine.load_folder("home");
    assert_eq!(loaded.merged.get("hooks.BeforeTool"), Some(&json!([1])));
    assert_eq!(
        loaded.files[2].state,
        crate::FileState::Skipped(SkipReason::FolderIsHome)
    );
}

#[test]
fn an_untrusted_folder_keeps_its_settings_to_itself() {
    let machine = Machine::new()
        .workspace(json!({"security": {"folderTrust": {"enabled": false}}}))
        .editor(EditorTrust::Unsaid);
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Missing
        Workspace Skipped(FolderNotTrusted)
        System Missing"#]]);
    assert_eq!(machine.get("security.folderTrust.enabled"), json!(true));
    assert!(!machine.load().trust.is_trusted());
}

#[test]
fn broken_trust_rules_mean_no_trust_and_an_error() {
    let machine = Machine::new()
        .file(
            "home/.gemini/trustedFolders.json",
            "{\"/\": \"TRUST_FOLDER\",}",
        )
        .editor(EditorTrust::Unsaid);
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Missing
        Workspace Missing
        System Missing
        Error ~/home/.gemini/trustedFolders.json:1:21: a comma may not stand before a closing bracket: comments are allowed here, trailing commas are not (remove the comma)"#]]);
    assert!(!machine.load().trust.is_trusted());
}

#[test]
fn trust_rules_let_a_folder_in() {
    let machine = Machine::new()
        .workspace(json!({"ui": {"theme": "B"}}))
        .editor(EditorTrust::Unsaid);
    assert_eq!(machine.get("ui.theme"), Value::Null);
    let rules = machine.dir.path().join("home/.gemini/trustedFolders.json");
    let folder = machine.dir.path().join("work");
    crate::record_trust(&rules, &folder, crate::TrustLevel::TrustFolder).unwrap();
    assert_eq!(machine.get("ui.theme"), "B");
    crate::record_trust(&rules, &folder, crate::TrustLevel::DoNotTrust).unwrap();
    assert_eq!(machine.get("ui.theme"), Value::Null);
}

#[test]
fn settings_12_admin_settings_in_a_file_are_ignored() {
    let machine = Machine::new().system(json!({"admin": {"mcp": {"enabled": false}}}));
    assert_eq!(machine.get("admin.mcp.enabled"), json!(true));
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Missing
        Workspace Missing
        System Loaded
        Warning ~/etc/settings.json:1:10: `admin` has no effect in a file: only remote controls set it (remove it)"#]]);
}

#[test]
fn settings_13_deprecated_keys_work_and_the_file_stays_as_it_is() {
    let text = "{ // mine\n  \"general\": {\"disableAutoUpdate\": true}\n}";
    let machine = Machine::new().file("home/.gemini/settings.json", text);
    assert_eq!(machine.get("general.enableAutoUpdate"), json!(false));
    assert_eq!(machine.get("general.disableAutoUpdate"), Value::Null);
    machine.check(expect![[r#"
        SystemDefaults Missing
        User Loaded
        Workspace Missing
        System Missing
        Warning ~/home/.gemini/settings.json:2:36: `general.disableAutoUpdate` is deprecated (use `general.enableAutoUpdate`, which means the opposite)"#]]);
    let after = std::fs::read_to_string(machine.dir.path().join("home/.gemini/settings.json"));
    assert_eq!(after.unwrap(), text);
}

#[test]
fn settings_14_a_file_cannot_choose_to_skip_approvals() {
    let machine = Machine::new()
        .user(json!({"general": {"defaultApprovalMode": "auto_edit"}}))
        .workspace(json!({"general": {"defaultApprovalMode": "yolo"}}));
    assert_eq!(machine.get("general.defaultApprovalMode"), "default");
    let machine = Machine::new().user(json!({"tools": {"approvalMode": "yolo"}}));
    assert_eq!(machine.get("general.defaultApprovalMode"), "default");
}

#[test]
fn settings_17_a_system_file_that_others_could_have_written_is_skipped() {
    struct OfUsers;
    impl Inspect for OfUsers {
        fn node(&self, _path: &Path) -> std::io::Result<secure::Node> {
            Ok(secure::tests::folder(1000, 0o644))
        }
        fn real(&self, path: &Path) -> std::io::Result<PathBuf> {
            std::fs::canonicalize(path)
        }
    }
    let machine = Machine::new()
        .user(json!({"ui": {"theme": "A"}}))
        .system(json!({"ui": {"theme": "C"}}));
    let environment = Environment::from_iter(machine.variables.iter().cloned());
    let folder = machine.dir.path().join("work");
    let loaded = load_from(&OfUsers, &environment, &folder, EditorTrust::Trusted);
    assert_eq!(loaded.merged.get("ui.theme").unwrap(), "A");
    assert_eq!(
        loaded.files[3].state,
        crate::FileState::Skipped(SkipReason::NotSecure)
    );
    assert_eq!(loaded.problems.len(), 1);
    assert_eq!(loaded.problems[0].severity, Severity::Warning);
}

#[test]
fn no_secret_leaves_through_debug_output_or_messages() {
    let machine = Machine::new()
        .user(json!({
            "mcpServers": {"x": {"env": {"T": "$TOKEN"}}, "y": "s3cret"},
            "ui": {"theme": ["s3cret"], "loadingPhrases": "$TOKEN", "hideTips": "s3cret"},
            "model": {"maxSessionTurns": "s3cret"},
        }))
        .file("work/.env", "KEY=s3cret\ns3cret\nOTHER=\"s3cret")
        .variable("TOKEN", "s3cret");
    let loaded = machine.load();
    assert_eq!(loaded.merged.get("mcpServers.x.env.T").unwrap(), "s3cret");
    assert_eq!(loaded.env.get("KEY"), Some("s3cret"));
    assert!(loaded.problems.len() > 6);
    assert!(!format!("{loaded:?}").contains("s3cret"));
    for problem in &loaded.problems {
        assert!(!problem.to_string().contains("s3cret"));
    }
}
