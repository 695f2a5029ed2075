/// Text that came from outside, marked so that a model does not take it for the person's words.
pub(super) fn untrusted(text: &str) -> String {
    let inner = text.replace("</untrusted_context>", "&lt;/untrusted_context&gt;");
    format!("<untrusted_context>\n{inner}\n</untrusted_context>")
}
