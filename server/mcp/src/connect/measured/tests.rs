use expect_test::{Expect, expect};
use proptest::prelude::*;
use tokio::io::AsyncReadExt;

use super::*;

/// What comes through of some lines if none may have more than 40 bytes, however they are cut.
fn check(lines: &str, wanted: Expect) {
    for size in [1, 3, 7, 1_000] {
        let through = through(lines.as_bytes(), size);
        wanted.assert_eq(&String::from_utf8_lossy(&through));
    }
}

fn through(lines: &[u8], size: usize) -> Vec<u8> {
    let mut pieces = in_pieces(lines, size);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let mut read = Vec::new();
        pieces.read_to_end(&mut read).await.unwrap();
        read
    })
}

/// Hands out so many bytes at a time.
fn in_pieces(lines: &[u8], size: usize) -> Measured<impl AsyncRead + Unpin> {
    struct Pieces(Vec<Vec<u8>>);
    impl AsyncRead for Pieces {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if let Some(mut piece) = self.0.pop() {
                let rest = piece.split_off(piece.len().min(buffer.remaining()));
                buffer.put_slice(&piece);
                if !rest.is_empty() {
                    self.0.push(rest);
                }
            }
            Poll::Ready(Ok(()))
        }
    }
    let mut pieces: Vec<Vec<u8>> = lines.chunks(size).map(<[u8]>::to_vec).collect();
    pieces.reverse();
    Measured::at_most(40, Pieces(pieces))
}

#[test]
fn short_lines_come_as_they_are() {
    check(
        "{\"id\":1,\"result\":{}}\n\n{\"method\":\"x\"}\nno json",
        expect![[r#"
            {"id":1,"result":{}}

            {"method":"x"}
            no json"#]],
    );
}

#[test]
fn a_long_answer_is_an_error_for_whoever_waits_for_it() {
    check(
        "{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{\"id\":8,\"text\":\"a \\\"b\\\" }, ,\\\\\"}}\n{\"id\":9}\n",
        expect![[r#"
            {"id":7,"jsonrpc":"2.0","result":{"id":8
            {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"its answer is longer than 16 MB"}}
            {"id":9}
        "#]],
    );
}

#[test]
fn whom_it_answers_may_stand_at_the_end() {
    check(
        "{ \"result\" : [\"0123456789012345678901234567890123\", {\"id\": 1}] , \"id\" : \"x\" }\nnext\n",
        expect![[r#"
            { "result" : ["0123456789012345678901234
            {"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"its answer is longer than 16 MB"}}
            next
        "#]],
    );
}

#[test]
fn a_long_request_or_notification_answers_nobody() {
    check(
        "{\"id\":7,\"method\":\"x\",\"params\":\"01234567890123456789\"}\n{\"params\":\"0123456789012345678901234567890123456\"}\n",
        expect![[r#"
            {"id":7,"method":"x","params":"012345678
            {"params":"01234567890123456789012345678
        "#]],
    );
}

#[test]
fn an_answer_without_an_end_is_an_error_at_once() {
    check(
        "{\"id\":7,\"result\":\"01234567890123456789012345678901234567890123456789",
        expect![[r#"
            {"id":7,"result":"0123456789012345678901
            {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"its answer is longer than 16 MB"}}
        "#]],
    );
}

proptest! {
    #[test]
    fn whatever_comes_has_short_lines(bytes in prop::collection::vec(any::<u8>(), 0..400), size in 1_usize..50) {
        for line in through(&bytes, size).split(|byte| *byte == b'\n') {
            let is_ours = line.starts_with(b"{\"jsonrpc\"");
            prop_assert!(line.len() <= 40 || is_ours);
        }
    }
}
