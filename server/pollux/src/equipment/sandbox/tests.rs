use serde_json::json;

use super::*;

#[test]
fn every_form_of_the_setting_is_understood() {
    let other = |program: &str| SandboxSetting::OtherProgram(program.to_owned());
    for (value, wanted) in [
        (json!(true), SandboxSetting::On),
        (json!(false), SandboxSetting::Off),
        (json!("true"), SandboxSetting::On),
        (json!("docker"), other("docker")),
        (json!("sandbox-exec"), other("sandbox-exec")),
        (json!({ "enabled": true }), SandboxSetting::On),
        (json!({ "allowedPaths": ["/data"] }), SandboxSetting::Off),
        (
            json!({ "enabled": true, "command": "podman" }),
            other("podman"),
        ),
        (json!({ "command": "runsc" }), other("runsc")),
        (
            json!({ "enabled": false, "command": "lxc" }),
            SandboxSetting::Off,
        ),
    ] {
        assert_eq!(from_value(&value), wanted, "{value}");
    }
}
