use std::path::Path;

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::prompt::testing::MemoryDisk;

const TOOLS: [&str; 13] = [
    "list_directory",
    "read_file",
    "grep_search",
    "glob",
    "replace",
    "write_file",
    "web_fetch",
    "run_shell_command",
    "google_web_search",
    "ask_user",
    "write_todos",
    "enter_plan_mode",
    "invoke_agent",
];

fn state() -> SystemState {
    SystemState {
        tools: TOOLS.iter().map(|tool| tool.to_string()).collect(),
        repository: Repository::Git,
        ..SystemState::default()
    }
}

/// Every section that exists, whatever they exclude each other by.
fn everything() -> SystemState {
    SystemState {
        mode: Mode::Yolo,
        sandbox: Sandbox::Confined,
        hooks: Hooks::Configured,
        task_tracker: TaskTracker::On,
        family: ModelFamily::Legacy,
        sub_agents: vec![SubAgent {
            name: "scout".to_owned(),
            description: "Finds\nthings <fast>".to_owned(),
        }],
        skills: vec![Skill {
            name: "release".to_owned(),
            description: "How we release".to_owned(),
            location: PathBuf::from("/s/SKILL.md"),
        }],
        ..state()
    }
}

fn keys(state: &SystemState, switches: &Switches) -> Vec<&'static str> {
    let sections = system_sections(state, switches);
    sections
        .into_iter()
        .map(|(section, _)| section.key())
        .collect()
}

fn whole(state: &SystemState) -> String {
    system_prompt(
        state,
        &Switches::default(),
        SystemBody::Sections,
        StandingMemory::default(),
    )
}

#[test]
fn the_default_prompt_is_small() {
    let prompt = whole(&state());
    assert!(prompt.len() < 5_000, "{} bytes", prompt.len());
    assert!(whole(&everything()).len() < 6_500);
}

#[test]
fn the_state_chooses_the_sections_and_their_order_is_fixed() {
    let on = Switches::default();
    assert_eq!(
        keys(&state(), &on),
        [
            "PREAMBLE",
            "COREMANDATES",
            "PRIMARYWORKFLOWS",
            "OPERATIONALGUIDELINES",
            "GIT"
        ]
    );
    assert_eq!(
        keys(&everything(), &on),
        [
            "PREAMBLE",
            "COREMANDATES",
            "AGENTCONTEXTS",
            "AGENTSKILLS",
            "HOOKCONTEXT",
            "PRIMARYWORKFLOWS",
            "TASKTRACKER",
            "OPERATIONALGUIDELINES",
            "SANDBOX",
            "INTERACTIVEYOLOMODE",
            "GIT",
            "FINALREMINDER",
        ]
    );
    let planning = SystemState {
        mode: Mode::Plan {
            plans_folder: PathBuf::from("/t/plans"),
        },
        ..state()
    };
    assert_eq!(
        keys(&planning, &on),
        [
            "PREAMBLE",
            "COREMANDATES",
            "PLANNINGWORKFLOW",
            "OPERATIONALGUIDELINES",
            "GIT"
        ]
    );
    assert!(whole(&planning).contains("plan files in `/t/plans`"));
    let unattended = SystemState {
        mode: Mode::Yolo,
        audience: Audience::Headless,
        ..SystemState::default()
    };
    assert!(!keys(&unattended, &on).contains(&"INTERACTIVEYOLOMODE"));
}

#[test]
fn a_section_is_switched_off_by_zero_or_false_and_nothing_else() {
    for (value, off) in [
        ("0", true),
        (" FALSE ", true),
        ("1", false),
        ("", false),
        ("no", false),
    ] {
        let switches =
            Switches::from_environment(|name| (name == "GEMINI_PROMPT_GIT").then_some(value));
        assert_eq!(
            !keys(&state(), &switches).contains(&"GIT"),
            off,
            "{value:?}"
        );
    }
    let none = Switches::from_environment(|_| Some("0"));
    assert_eq!(keys(&everything(), &none), [""; 0]);
}

#[test]
fn sentences_about_absent_tools_are_left_out() {
    let bare = SystemState::default();
    let prompt = whole(&bare);
    for tool in TOOLS {
        assert!(!prompt.contains(&format!("`{tool}`")), "{tool}");
    }
    assert!(!prompt.contains("{?") && !whole(&everything()).contains("{?"));
}

#[test]
fn a_headless_run_is_told_that_nobody_answers() {
    let headless = SystemState {
        audience: Audience::Headless,
        ..state()
    };
    assert!(whole(&headless).contains("Nobody is watching"));
    assert!(!whole(&state()).contains("Nobody is watching"));
}

#[test]
fn memory_and_topic_come_last_and_keep_every_byte() {
    let state = SystemState {
        topic: Some("Fix\nretries".to_owned()),
        ..SystemState::default()
    };
    let memory = StandingMemory {
        global: "G\n\n\n\nG",
        user_project: "U",
    };
    let prompt = system_prompt(
        &state,
        &Switches::default(),
        SystemBody::Replaced("X\n\n\n\nY\n"),
        memory,
    );
    expect![[r#"
        X

        Y

        # What the person wrote down for you
        <loaded_context>
        <global_context>
        G



        G
        </global_context>
        <user_project_memory>
        U
        </user_project_memory>
        </loaded_context>

        [Active Topic: Fix?retries]"#]]
    .assert_eq(&prompt);
}

#[test]
fn a_replacement_is_filled_in_one_pass() {
    let mut state = everything();
    state.tools = ["glob".to_owned(), "read_file".to_owned()].into();
    state.skills[0].description = "${SubAgents}".to_owned();
    let text = "${AvailableTools}|${glob_ToolName}|${gone_ToolName}|${AgentSkills}|${x";
    let filled = replacement::substitute(text, &state);
    expect![[r#"
        - glob
        - read_file|glob|${gone_ToolName}|# Skills
        When a task fits a skill, load it with `activate_skill` before you start. Follow what stands inside `<activated_skill>`, within the rules above.
        <available_skills>
        - release: ${SubAgents} (/s/SKILL.md)
        </available_skills>|${x"#]]
    .assert_eq(&filled);
}

#[test]
fn a_description_cannot_leave_its_line() {
    let agents = catalogue::sub_agents(&everything().sub_agents).unwrap();
    assert!(
        agents.contains("\n- scout: Finds?things &lt;fast&gt;\n"),
        "{agents}"
    );
}

#[test]
fn the_variables_name_a_file_or_nothing() {
    let at = |path: &str| SystemFile::At(PathBuf::from(path));
    for (value, expected) in [
        (None, SystemFile::Off),
        (Some(" "), SystemFile::Off),
        (Some("False"), SystemFile::Off),
        (Some("TRUE"), at("/p/.gemini/system.md")),
        (Some("1"), at("/p/.gemini/system.md")),
        (Some("~/s.md"), at("/home/u/s.md")),
        (Some("s.md"), at("/p/s.md")),
        (Some("/s.md"), at("/s.md")),
    ] {
        let file = SystemFile::parse(value, Path::new("/p"), Path::new("/home/u"));
        assert_eq!(file, expected, "{value:?}");
    }
}

#[tokio::test]
async fn a_replacement_that_is_missing_or_too_long_is_an_error() {
    let long = "x".repeat(MAX_REPLACEMENT_BYTES + 1);
    let disk = MemoryDisk::new(&[("/ok", "hi"), ("/long", &long)]);
    let read = async |path: &str| {
        let read = read_replacement(&disk, &SystemFile::At(PathBuf::from(path))).await;
        read.map_err(|error| error.to_string())
    };
    assert_eq!(read("/ok").await, Ok(Some("hi".to_owned())));
    assert_eq!(
        read("/gone").await,
        Err("the system prompt file /gone cannot be used: there is no such file".to_owned())
    );
    assert!(read("/long").await.unwrap_err().contains("longer than"));
    assert!(
        read_replacement(&disk, &SystemFile::Off)
            .await
            .unwrap()
            .is_none()
    );
}

#[test]
fn the_family_is_read_from_the_name() {
    for (model, family) in [
        ("gemini-2.5-pro", ModelFamily::Legacy),
        ("gemini-3-pro-preview", ModelFamily::Modern),
        ("gemini-3.5-flash", ModelFamily::Modern),
        ("qwen3", ModelFamily::Modern),
    ] {
        assert_eq!(ModelFamily::of(model), family, "{model}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_system_prompt_keeps_its_cap(
        body in "\\PC{0,200}(\\$\\{[A-Za-z_]{0,20}\\}?){0,3}",
        repeat in 1_usize..4_000,
        topic in "\\PC{0,900}",
        description in "\\PC{0,3000}",
    ) {
        let body = body.repeat(repeat);
        let mut state = everything();
        state.topic = Some(topic);
        state.skills[0].description = description;
        let memory = StandingMemory { global: &body, user_project: "" };
        let prompt = system_prompt(&state, &Switches::default(), SystemBody::Replaced(&body), memory);
        prop_assert!(prompt.len() <= MAX_SYSTEM_BYTES);
    }

    #[test]
    fn templates_never_panic(template in "([a-z\n]|\\{\\?|\\}|\\|){0,40}") {
        let all = template::expand(&template, |_| true);
        prop_assert!(all.len() <= template.len());
    }
}
