use expect_test::{Expect, expect};

use super::*;

fn check(server: &str, addresses: &[&str], expected: Expect) {
    let surroundings = Surroundings::of(&Url::parse(server).unwrap());
    let mut table = String::new();
    for address in addresses {
        let verdict = match surroundings.parse(address) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        };
        table.push_str(&format!("{address}: {verdict}\n"));
    }
    expected.assert_eq(&table);
}

const ADDRESSES: &[&str] = &[
    "https://auth.example.com/x",
    "http://auth.example.com/x",
    "https://127.0.0.1/x",
    "http://127.0.0.1:8/x",
    "http://[::1]:8/x",
    "http://localhost/x",
    "https://10.1.2.3/x",
    "https://192.168.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[::ffff:10.0.0.1]/x",
    "https://[fd00::1]/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://metadata.google.internal/x",
    "https://user:secret@auth.example.com/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "nonsense",
];

#[test]
fn a_server_elsewhere_sends_us_to_the_public_web_only() {
    check(
        "https://mcp.example.com/mcp",
        ADDRESSES,
        expect![[r#"
            https://auth.example.com/x: fine
            http://auth.example.com/x: auth.example.com is not reached by https
            https://127.0.0.1/x: 127.0.0.1 is not on the public web
            http://127.0.0.1:8/x: 127.0.0.1 is not on the public web
            http://[::1]:8/x: [::1] is not on the public web
            http://localhost/x: localhost is not on the public web
            https://10.1.2.3/x: 10.1.2.3 is not on the public web
            https://192.168.0.1/x: 192.168.0.1 is not on the public web
            https://169.254.169.254/latest/meta-data: 169.254.169.254 is not on the public web
            https://[::ffff:10.0.0.1]/x: [::ffff:a00:1] is not on the public web
            https://[fd00::1]/x: [fd00::1] is not on the public web
            https://2130706433/x: 127.0.0.1 is not on the public web
            https://0x7f.1/x: 127.0.0.1 is not on the public web
            https://metadata.google.internal/x: metadata.google.internal is not on the public web
            https://user:secret@auth.example.com/x: `auth.example.com` is no address
            file:///etc/passwd: `file:/etc/passwd` is no address
            javascript:alert(1): `javascript:alert(1)` is no address
            data:text/html,x: `data:text/html,x` is no address
            nonsense: `nonsense` is no address
        "#]],
    );
}

#[test]
fn a_server_on_this_machine_may_stay_on_it() {
    check(
        "http://localhost:3000/mcp",
        ADDRESSES,
        expect![[r#"
            https://auth.example.com/x: fine
            http://auth.example.com/x: auth.example.com is not reached by https
            https://127.0.0.1/x: fine
            http://127.0.0.1:8/x: fine
            http://[::1]:8/x: fine
            http://localhost/x: fine
            https://10.1.2.3/x: 10.1.2.3 is not on the public web
            https://192.168.0.1/x: 192.168.0.1 is not on the public web
            https://169.254.169.254/latest/meta-data: 169.254.169.254 is not on the public web
            https://[::ffff:10.0.0.1]/x: [::ffff:a00:1] is not on the public web
            https://[fd00::1]/x: [fd00::1] is not on the public web
            https://2130706433/x: fine
            https://0x7f.1/x: fine
            https://metadata.google.internal/x: metadata.google.internal is not on the public web
            https://user:secret@auth.example.com/x: `auth.example.com` is no address
            file:///etc/passwd: `file:/etc/passwd` is no address
            javascript:alert(1): `javascript:alert(1)` is no address
            data:text/html,x: `data:text/html,x` is no address
            nonsense: `nonsense` is no address
        "#]],
    );
}
