use expect_test::expect;

use super::*;

fn variables(list: &[(&str, &str)]) -> Vec<Variable> {
    let pair = |(name, value): &(&str, &str)| (name.into(), value.into());
    list.iter().map(pair).collect()
}

fn show(variables: &[Variable]) -> String {
    let mut lines: Vec<String> = variables
        .iter()
        .map(|(name, value)| format!("{}={}\n", name.display(), value.display()))
        .collect();
    lines.sort();
    lines.concat()
}

fn redaction() -> Redaction {
    Redaction::On {
        allowed: vec![],
        blocked: vec![],
    }
}

#[test]
fn a_command_gets_the_environment_without_questions() {
    let environment = variables(&[
        ("PATH", "/bin"),
        ("PAGER", "less"),
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_1", "http.extraHeader"),
        ("GIT_CONFIG_VALUE_1", "xoxb-secret"),
        ("GIT_CONFIG_KEY_0", "user.name"),
        ("GIT_CONFIG_VALUE_0", "Ada"),
        ("SOME_SECRET", "1234"),
    ]);
    let options = EnvironmentOptions {
        redaction: redaction(),
        ..EnvironmentOptions::default()
    };
    expect![[r#"
        DBUS_SESSION_BUS_ADDRESS=
        DISPLAY=
        GCM_INTERACTIVE=never
        GEMINI_CLI=1
        GH_PROMPT_DISABLED=1
        GIT_ASKPASS=
        GIT_CONFIG_COUNT=9
        GIT_CONFIG_GLOBAL=/dev/null
        GIT_CONFIG_KEY_0=user.name
        GIT_CONFIG_KEY_1=credential.helper
        GIT_CONFIG_KEY_2=core.fsmonitor
        GIT_CONFIG_KEY_3=core.hooksPath
        GIT_CONFIG_KEY_4=core.sshCommand
        GIT_CONFIG_KEY_5=core.editor
        GIT_CONFIG_KEY_6=sequence.editor
        GIT_CONFIG_KEY_7=diff.external
        GIT_CONFIG_KEY_8=core.pager
        GIT_CONFIG_NOSYSTEM=1
        GIT_CONFIG_SYSTEM=/dev/null
        GIT_CONFIG_VALUE_0=Ada
        GIT_CONFIG_VALUE_1=
        GIT_CONFIG_VALUE_2=
        GIT_CONFIG_VALUE_3=
        GIT_CONFIG_VALUE_4=
        GIT_CONFIG_VALUE_5=
        GIT_CONFIG_VALUE_6=
        GIT_CONFIG_VALUE_7=
        GIT_CONFIG_VALUE_8=cat
        GIT_PAGER=cat
        GIT_TERMINAL_PROMPT=0
        PAGER=cat
        PATH=/bin
        SSH_ASKPASS=
        TERM=xterm-256color
    "#]]
    .assert_eq(&show(&sanitised(environment, &options)));
}

#[test]
fn without_redaction_everything_is_handed_on() {
    let environment = variables(&[("SOME_TOKEN", "1"), ("HOME", "/h")]);
    assert_eq!(redacted(environment.clone(), &Redaction::Off), environment);
}

#[test]
fn secrets_are_not_handed_on() {
    let environment = variables(&[("SOME_TOKEN", "1"), ("HOME", "/h"), ("EDITOR", "vi")]);
    let kept = redacted(environment, &redaction());
    assert_eq!(kept, variables(&[("HOME", "/h"), ("EDITOR", "vi")]));
}

#[test]
fn a_build_machine_hands_on_only_what_is_well_known() {
    let environment = variables(&[("GITHUB_SHA", "f00"), ("HOME", "/h"), ("EDITOR", "vi")]);
    let kept = redacted(environment, &Redaction::Off);
    assert_eq!(kept, variables(&[("HOME", "/h")]));
}
