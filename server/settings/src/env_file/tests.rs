use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

struct Tree {
    dir: TempDir,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["home", "outer/work"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self { dir }
    }

    /// The chosen file and the variables that were not there before.
    fn load(&self, settings: Value, folder: Folder, set: &[(&str, &str)]) -> (String, Vec<String>) {
        let home = self.dir.path().join("home");
        let before: Environment = [("GEMINI_CLI_HOME", home.to_str().unwrap())]
            .into_iter()
            .chain(set.iter().copied())
            .collect();
        let Value::Object(mut values) = settings else {
            panic!("settings are an object");
        };
        let mut layered = crate::schema::defaults();
        crate::merge::merge(&mut layered, &std::mem::take(&mut values));
        let work = self.dir.path().join("outer/work");
        let locations = Locations::new(&before, &work);
        let applied = apply(&before, &locations, &work, &Settings::new(layered), folder);
        let file = applied.file.map_or("none".to_owned(), |path| {
            let path = path.strip_prefix(self.dir.path()).unwrap().to_owned();
            path.to_str().unwrap().to_owned()
        });
        let added = applied
            .environment
            .iter()
            .filter(|(name, value)| before.get(name) != Some(value))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        (file, added)
    }
}

const NEAREST_FIRST: &[(&str, &str)] = &[
    ("outer/work/.gemini/.env", "A=1"),
    ("outer/work/.env", "A=2"),
    ("outer/.gemini/.env", "A=3"),
    ("outer/.env", "A=4"),
    ("home/.gemini/.env", "A=5"),
    ("home/.env", "A=6"),
];

fn order(settings: &Value, folder: Folder) -> Vec<String> {
    (0..=NEAREST_FIRST.len())
        .map(|skipped| {
            Tree::new(&NEAREST_FIRST[skipped..])
                .load(settings.clone(), folder, &[])
                .0
        })
        .collect()
}

#[test]
fn settings_11_the_nearest_file_wins_and_the_twins_own_goes_first() {
    expect![[r#"
        outer/work/.gemini/.env
        outer/work/.env
        outer/.gemini/.env
        outer/.env
        home/.gemini/.env
        home/.env
        none"#]]
    .assert_eq(&order(&json!({}), Folder::Trusted).join("\n"));
}

#[test]
fn without_trust_the_twins_own_files_are_passed_over() {
    expect![[r#"
        outer/work/.env
        outer/work/.env
        outer/.env
        outer/.env
        home/.env
        home/.env
        none"#]]
    .assert_eq(&order(&json!({}), Folder::Untrusted).join("\n"));
}

#[test]
fn ignore_local_env_leaves_the_twins_own_files_and_home() {
    let settings = json!({"advanced": {"ignoreLocalEnv": true}});
    expect![[r#"
        outer/work/.gemini/.env
        outer/.gemini/.env
        outer/.gemini/.env
        home/.gemini/.env
        home/.gemini/.env
        home/.env
        none"#]]
    .assert_eq(&order(&settings, Folder::Trusted).join("\n"));
}

#[test]
fn what_is_set_is_not_overridden() {
    let tree = Tree::new(&[("outer/work/.env", "A=file\nB=file")]);
    let (_, added) = tree.load(json!({}), Folder::Trusted, &[("A", "shell")]);
    assert_eq!(added, ["B=file"]);
    let (_, added) = tree.load(json!({}), Folder::Trusted, &[("A", "")]);
    assert_eq!(added, ["B=file"]);
}

#[test]
fn settings_10_an_untrusted_folder_sets_keys_only_and_only_harmless_characters_of_them() {
    let tree = Tree::new(&[(
        "outer/work/.env",
        "FOO=1\nGEMINI_API_KEY=a;b$c\nGOOGLE_CLOUD_LOCATION='us-east1 `id`'\nPATH=/evil",
    )]);
    let (_, added) = tree.load(json!({}), Folder::Untrusted, &[]);
    assert_eq!(
        added,
        ["GEMINI_API_KEY=abc", "GOOGLE_CLOUD_LOCATION=us-east1id"]
    );
}

#[test]
fn settings_11_excluded_names_are_skipped_except_in_the_twins_own_file() {
    let text = "DEBUG=1\nMINE=2\nGEMINI_CLI_IDE_SERVER_STDIO_COMMAND=x\nKEPT=3";
    let settings = json!({"advanced": {"excludedEnvVars": ["MINE"]}});
    let (_, added) =
        Tree::new(&[("outer/work/.env", text)]).load(settings.clone(), Folder::Trusted, &[]);
    assert_eq!(added, ["KEPT=3"]);
    let (_, added) =
        Tree::new(&[("outer/work/.gemini/.env", text)]).load(settings, Folder::Trusted, &[]);
    assert_eq!(
        added,
        [
            "DEBUG=1",
            "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND=x",
            "KEPT=3",
            "MINE=2"
        ]
    );
}

#[test]
fn cloud_shell_has_a_project_of_its_own() {
    let shell = [("CLOUD_SHELL", "true"), ("GOOGLE_CLOUD_PROJECT", "mine")];
    let plain = Tree::new(&[]);
    let (_, added) = plain.load(json!({}), Folder::Trusted, &shell);
    assert_eq!(
        added,
        [
            "GOOGLE_CLOUD_PROJECT=cloudshell-gca",
            "_GEMINI_USER_GCP_PROJECT=mine"
        ]
    );
    let vertex = json!({"security": {"auth": {"selectedType": "vertex-ai"}}});
    let (_, added) = plain.load(vertex, Folder::Trusted, &shell);
    assert_eq!(added, ["_GEMINI_USER_GCP_PROJECT=mine"]);
    let named = Tree::new(&[("outer/work/.env", "GOOGLE_CLOUD_PROJECT=file")]);
    let (_, added) = named.load(json!({}), Folder::Trusted, &shell);
    assert_eq!(
        added,
        ["GOOGLE_CLOUD_PROJECT=file", "_GEMINI_USER_GCP_PROJECT=mine"]
    );
}
