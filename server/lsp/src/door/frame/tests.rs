use proptest::prelude::*;

use super::*;

async fn read_all(bytes: &[u8]) -> Vec<Incoming> {
    let mut reader = FrameReader::new(bytes, MAX_FRAME);
    let mut all = Vec::new();
    while let Some(incoming) = reader.next().await.unwrap() {
        all.push(incoming);
    }
    all
}

fn frame(body: &str) -> Incoming {
    Incoming::Frame(Bytes::copy_from_slice(body.as_bytes()))
}

const BAD_HEADER: Incoming = Incoming::Bad(BadFrame::Header);

#[tokio::test]
async fn headers_may_be_written_in_every_usual_way() {
    let bytes = b"Content-Length: 2\r\n\r\n{}content-length:1\r\nContent-Type: x; charset=utf-8\r\n\r\n1Content-Length: 0\n\nContent-Length: 3\r\n\r\nabc";
    assert_eq!(
        read_all(bytes).await,
        [frame("{}"), frame("1"), frame(""), frame("abc")]
    );
}

#[tokio::test]
async fn a_message_behind_garbage_is_still_read() {
    for garbage in [
        "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "Content-Length: many\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "left over from a body that was too long}",
        "X: 1\r\n\r\n",
    ] {
        let bytes = format!("{garbage}Content-Length: 2\r\n\r\n{{}}");
        assert_eq!(
            read_all(bytes.as_bytes()).await,
            [BAD_HEADER, frame("{}")],
            "{garbage:?}"
        );
    }
}

#[tokio::test]
async fn endless_garbage_is_passed_over_in_pieces_and_not_kept() {
    let mut bytes = vec![b'x'; 1024 * 1024];
    bytes.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
    let mut reader = FrameReader::new(bytes.as_slice(), MAX_FRAME);
    let mut bad = 0;
    loop {
        match reader.next().await.unwrap().unwrap() {
            Incoming::Bad(_) => bad += 1,
            Incoming::Frame(body) => {
                assert_eq!(body, "{}");
                break;
            }
        }
        assert!(reader.buffer.len() < 64 * 1024);
    }
    assert!(bad > 0);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_passed_over_and_not_kept() {
    let length = MAX_FRAME + 1;
    let body = tokio::io::repeat(b'x').take(length as u64);
    let header = format!("Content-Length: {length}\r\n\r\n");
    let start = AsyncReadExt::chain(header.as_bytes(), body);
    let stream = AsyncReadExt::chain(start, b"Content-Length: 2\r\n\r\n{}".as_slice());
    let mut reader = FrameReader::new(stream, MAX_FRAME);
    assert_eq!(
        reader.next().await.unwrap(),
        Some(Incoming::Bad(BadFrame::TooLong {
            length,
            limit: MAX_FRAME
        }))
    );
    assert_eq!(reader.next().await.unwrap(), Some(frame("{}")));
    assert!(reader.buffer.capacity() < 1024 * 1024);
}

#[tokio::test]
async fn a_length_that_is_never_sent_costs_no_memory() {
    let mut reader = FrameReader::new(b"Content-Length: 60000000\r\n\r\n{".as_slice(), MAX_FRAME);
    assert_eq!(reader.next().await.unwrap(), None);
    assert!(reader.buffer.capacity() < 1024 * 1024);
}

fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"Content-Length: ".to_vec()),
        Just(b"Content-Length: 2\r\n\r\n{}".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"7".to_vec()),
        Just(b"99999999999999999999".to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Gives its bytes in pieces of the sizes asked for.
struct Pieces<'a> {
    bytes: &'a [u8],
    sizes: std::iter::Cycle<std::vec::IntoIter<usize>>,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        let size = self.sizes.next().unwrap().min(self.bytes.len());
        let (now, later) = self.bytes.split_at(size.min(buffer.remaining()));
        buffer.put_slice(now);
        self.bytes = later;
        std::task::Poll::Ready(Ok(()))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_bytes_in_any_pieces_give_the_same_frames(
        bytes in any_stream(),
        sizes in prop::collection::vec(1usize..9, 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let frames_only = |all: Vec<Incoming>| all
            .into_iter()
            .filter(|incoming| matches!(incoming, Incoming::Frame(_)))
            .collect::<Vec<_>>();
        let whole = frames_only(runtime.block_on(read_all(&bytes)));
        let in_pieces = frames_only(runtime.block_on(async {
            let mut reader = FrameReader::new(Pieces {
                bytes: &bytes,
                sizes: sizes.clone().into_iter().cycle(),
            }, MAX_FRAME);
            let mut all = Vec::new();
            while let Some(incoming) = reader.next().await.unwrap() {
                all.push(incoming);
            }
            all
        }));
        prop_assert_eq!(whole, in_pieces);
    }

    #[test]
    fn every_body_survives_being_framed(bodies in prop::collection::vec("\\PC{0,40}", 0..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bytes: Vec<u8> = bodies.iter().flat_map(|body| framed(body.as_bytes())).collect();
        let frames: Vec<Incoming> = bodies.iter().map(|body| frame(body)).collect();
        prop_assert_eq!(runtime.block_on(read_all(&bytes)), frames);
    }
}
