//! The parser's complaints in the words of someone who edits a settings file by hand.

/// What to say and, where there is an obvious one, the cure.
pub(super) struct Explanation {
    pub(super) message: String,
    pub(super) fix: Option<&'static str>,
}

/// `complaint` is serde_json's text without the position, `found` what stands at the position.
pub(super) fn explain(complaint: &str, found: Option<char>) -> Explanation {
    let (message, fix) = match (complaint, found) {
        ("trailing comma", _) => (
            "a comma may not stand before a closing bracket: comments are allowed here, trailing commas are not",
            Some("remove the comma"),
        ),
        ("key must be a string", _) => ("a key must be a string in double quotes", None),
        ("expected value", Some('\'')) => ("a string must be in double quotes", None),
        ("expected value", _) => ("expected a value", None),
        ("expected ident", _) => ("expected true, false or null", None),
        ("invalid escape", _) => (
            "unknown escape sequence in a string",
            Some(r"write a backslash as \\"),
        ),
        ("recursion limit exceeded", _) => ("nested deeper than 128 levels", None),
        ("trailing characters", _) => ("nothing may follow the settings object", None),
        ("expected `,` or `}`" | "expected `,` or `]`", Some('"' | '{' | '[')) => {
            return Explanation {
                message: complaint.replace('`', "'"),
                fix: Some("add the comma that is missing before this"),
            };
        }
        _ if complaint.starts_with("control character") => (
            "a string may not contain a line break or another control character",
            Some(r"close the quote, or write \n"),
        ),
        _ => {
            return Explanation {
                message: complaint.replace('`', "'"),
                fix: None,
            };
        }
    };
    Explanation {
        message: message.to_owned(),
        fix,
    }
}

/// What is still open when the text ends.
pub(super) fn explain_end(complaint: &str) -> Explanation {
    let (message, fix) = if complaint.ends_with("an object") {
        (
            "the file ends before an object is closed",
            Some("add the missing '}'"),
        )
    } else if complaint.ends_with("a list") {
        (
            "the file ends before a list is closed",
            Some("add the missing ']'"),
        )
    } else if complaint.ends_with("a string") {
        (
            "the file ends before a string is closed",
            Some("add the missing quote"),
        )
    } else {
        ("the file ends where a value is expected", None)
    };
    Explanation {
        message: message.to_owned(),
        fix,
    }
}
