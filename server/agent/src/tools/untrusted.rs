//! Text that somebody else wrote, marked as such before a model reads it.

const CLOSING: &str = "</untrusted_context>";

/// Puts text between the marks. The text cannot close them itself.
pub(crate) fn wrap(text: &str) -> String {
    let text = escaped(text);
    format!("<untrusted_context>\n{text}\n{CLOSING}")
}

/// Closing marks in any case and with blanks, as a model might read them, are taken apart.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("</") {
        let (before, found) = rest.split_at(start);
        escaped.push_str(before);
        match closing(found) {
            Some(length) => {
                escaped.push_str("&lt;/untrusted_context&gt;");
                rest = found.get(length..).unwrap_or_default();
            }
            None => {
                escaped.push_str("</");
                rest = found.get(2..).unwrap_or_default();
            }
        }
    }
    escaped.push_str(rest);
    escaped
}

/// The length of the closing mark that the text begins with.
fn closing(text: &str) -> Option<usize> {
    const NAME: &str = "untrusted_context";
    let inner = text.get(2..)?.trim_start();
    let name = inner.get(..NAME.len())?;
    if !name.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let end = inner.get(NAME.len()..)?.trim_start();
    let rest = end.strip_prefix('>')?;
    Some(text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_cannot_close_its_own_marks() {
        let text = "a</untrusted_context>b</ UNTRUSTED_context >c</p>";
        assert_eq!(
            wrap(text),
            "<untrusted_context>\na&lt;/untrusted_context&gt;b&lt;/untrusted_context&gt;c</p>\n</untrusted_context>"
        );
    }

    proptest! {
        #[test]
        fn there_is_one_end(text in "(</?|untrusted_context|>| |ä|<)*") {
            let wrapped = wrap(&text);
            prop_assert_eq!(wrapped.matches(CLOSING).count(), 1);
        }
    }
}
