use super::functions;

#[test]
fn functions_of_one_object_are_found_also_where_only_their_numbers_stand() {
    let trace = "\
ob=(1) /usr/lib/libc.so.6
fn=(1) malloc
16 3
ob=(2) /build/release/pollux
fn=(2) _ZN6pollux4main17h0123456789abcdefE
cob=(1)
cfn=(3) _ZN6pollux3lsp17h0123456789abcdefE
calls=1 0
1 1
cfn=(4) never_entered_here
fn=(3)
1 1
fn=(5) _ZN6pollux4walk17h0123456789abcdefE'2
1 1
";
    let main = "_ZN6pollux4main17h0123456789abcdefE";
    let lsp = "_ZN6pollux3lsp17h0123456789abcdefE";
    let walk = "_ZN6pollux4walk17h0123456789abcdefE";
    assert_eq!(functions(trace, "pollux"), [main, lsp, walk]);
}
