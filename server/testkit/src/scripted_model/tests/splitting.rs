//! However the bytes are cut, they are the same bytes.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        any::<String>().prop_map(Step::Text),
        any::<String>().prop_map(Step::Thought),
        any::<String>().prop_map(Step::RawEvent),
        any::<Vec<u8>>().prop_map(|bytes| Step::Base64(RawBytes(bytes))),
        Just(Step::Call(Call::new("tool", json!({ "ü": [1, null] })))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn splitting_a_reply_anywhere_delivers_the_same_bytes(
        steps in prop::collection::vec(any_step(), 0..6),
        split in 1_usize..40,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let reply = Reply { steps, ..Reply::new() }.finish("STOP");
        let (whole, pieces) = runtime.block_on(async {
            let script = Script::new().reply(reply.clone()).reply(reply.split(split));
            let server = ScriptedModel::start(script).await;
            (ask(&server, STREAM, "{}").await, ask(&server, STREAM, "{}").await)
        });
        prop_assert!(pieces.is_complete);
        prop_assert!(pieces.chunks.iter().all(|chunk| chunk.len() <= split));
        let [whole, pieces] = [whole.chunks.concat(), pieces.chunks.concat()]
            .map(|bytes| String::from_utf8_lossy(&bytes).replace("scripted-2", "scripted-1"));
        prop_assert_eq!(whole, pieces);
    }
}
