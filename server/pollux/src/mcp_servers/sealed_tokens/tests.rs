use proptest::prelude::*;

use super::*;

/// Written by Node.js, as the twin does it, with a beginning of 12 and of 16 bytes.
const BY_NODE: [&str; 2] = [
    "070707070707070707070707:02374366c9230ed792236968eacd0afd:f01893876c1f64169e4296c0f29e327bf3132e0483314d0f1ee674b28032c881463c1374e9c89e3190fd74c8d6edd8a2bc377c196aa74f6e21ede27e1408584fbe259a3ffc6ccb1f7d12161c443ccfb61e438fed60b6f0e446355005c6bbfc2dd8a0fca2ddfe76cd80d97842265dba0cda513dcf5deb2d78d6217a6ffeb89dbf2008d48cda421f550122158cb75a51601594ab87e8ee52438ed150aeca300d3d6d",
    "07070707070707070707070707070707:3086fbc7cf4437c6feddb593f3683679:a180eaf446a2e68437db0faefb742ae8867aad4b60ebcd7fc1641d1dde871afa31c393a51c807e4ddf6cfdb6696c066d45fb74ced5953f140b06db30760250cedc38f781df2f964e5bf513a1d2f2a2f7910a6dee8a1974a29d5ef2cac7c0cc9f7dc511874288a92fed592093761a9c5dc1d1bc07866e5b864989b8f62de59abb6cc5d1f91a1d129375ad46417df467f457cc59c17b98583ede1237200824270fec",
];

fn tokens(folder: &std::path::Path) -> SealedTokens {
    SealedTokens {
        folder: folder.to_owned(),
        path: folder.join("gemini-credentials.json"),
        salt: "host-me-gemini-cli".to_owned(),
        key: OnceLock::new(),
    }
}

#[test]
fn files_of_the_twin_are_read_and_what_is_not_ours_stays() {
    let folder = tempfile::tempdir().unwrap();
    // One for both: making a key takes seconds in a build without optimisation.
    let tokens = tokens(folder.path());
    for text in BY_NODE {
        std::fs::write(&tokens.path, text).unwrap();
        let mut found = tokens.load("my server").unwrap().unwrap();
        assert_eq!(found.token.access_token, "at");
        found.token.access_token = "new".to_owned();
        tokens.save(&found).unwrap();
        assert_eq!(tokens.load("my server").unwrap(), Some(found));
        assert_eq!(tokens.read().unwrap()["other"], json!({ "a": "b" }));
        tokens.delete("my server").unwrap();
        assert_eq!(tokens.load("my server").unwrap(), None);
        assert_eq!(tokens.read().unwrap()["other"], json!({ "a": "b" }));
    }
}

#[test]
fn nothing_can_be_read_or_changed_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = tokens(folder.path());
    tokens.key.set([7; 32]).unwrap();
    let changed = BY_NODE[0].replacen(":", ":0", 1);
    for text in ["", "x", "a:b:c", changed.as_str(), &BY_NODE[0][..80]] {
        std::fs::write(&tokens.path, text).unwrap();
        assert!(tokens.load("my server").is_err(), "{text}");
        assert!(tokens.delete("my server").is_err(), "{text}");
        assert_eq!(std::fs::read_to_string(&tokens.path).unwrap(), text);
    }
}

proptest! {
    #[test]
    fn whatever_is_sealed_can_be_opened_with_its_key_only(
        plain in proptest::collection::vec(any::<u8>(), 0..200),
        key in any::<[u8; 32]>(),
        other in any::<[u8; 32]>(),
    ) {
        let text = sealed(&key, &plain).unwrap();
        prop_assert_eq!(opened(&key, &text), Some(plain));
        prop_assume!(key != other);
        prop_assert_eq!(opened(&other, &text), None);
    }

    #[test]
    fn no_text_is_too_odd(text in ".{0,100}") {
        opened(&[0; 32], &text);
    }
}
