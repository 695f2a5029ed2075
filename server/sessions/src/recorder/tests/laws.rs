//! What is recorded is what is read, for any sequence of records.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Prompt(String),
    Answer(String, String),
    Calls(u8, Option<String>),
    Note(String),
    Rewind(u8),
    Replace(Vec<String>),
    Set(String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        any::<String>().prop_map(Step::Prompt),
        (any::<String>(), any::<String>()).prop_map(|(text, thought)| Step::Answer(text, thought)),
        (0..3_u8, any::<Option<String>>()).prop_map(|(id, result)| Step::Calls(id, result)),
        any::<String>().prop_map(Step::Note),
        (0..8_u8).prop_map(Step::Rewind),
        prop::collection::vec(any::<String>(), 0..3).prop_map(Step::Replace),
        any::<String>().prop_map(Step::Set),
    ];
    prop::collection::vec(step, 0..14)
}

/// The conversation as a list that is changed in place: nothing of a file in it.
#[derive(Default)]
struct Mirror {
    messages: Vec<Message>,
    summary: Option<String>,
}

impl Mirror {
    fn put(&mut self, message: Message) {
        match self.messages.iter_mut().find(|seen| seen.id == message.id) {
            Some(seen) => *seen = message,
            None => self.messages.push(message),
        }
    }
}

fn record(recorder: &mut Recorder, mirror: &mut Mirror, step: Step, now: SystemTime) {
    let spoken_by = |kind, id: &str, text: &str| {
        Message::new(MessageId::new(id), kind, RecordedContent::text(text), now)
    };
    match step {
        Step::Prompt(text) => drop(say(recorder, now, &text)),
        Step::Answer(text, thought) => {
            let thoughts = [Thought {
                subject: thought,
                description: text.clone(),
            }];
            let spoken = Answer {
                text: &text,
                thoughts: &thoughts,
                ..Answer::default()
            };
            drop(recorder.answer(now, &spoken).unwrap());
        }
        Step::Calls(id, result) => {
            let mut made = call(&format!("c{id}"), CallStatus::Success);
            made.result = result.map(Value::from);
            drop(recorder.tool_calls(now, vec![made]).unwrap());
        }
        Step::Note(text) => {
            let note = RecordedContent::text(text);
            drop(recorder.note(now, NoteKind::Error, note).unwrap());
        }
        Step::Rewind(number) => {
            let id = MessageId::new(format!("m{number}"));
            assert_eq!(recorder.rewind_to(now, &id).unwrap(), Recorded::Kept);
            let place = mirror.messages.iter().position(|message| message.id == id);
            mirror.messages.truncate(place.unwrap_or(0));
        }
        Step::Replace(texts) => {
            let numbered = texts.iter().enumerate();
            mirror.messages = numbered
                .map(|(n, text)| spoken_by(MessageKind::User, &format!("r{n}"), text))
                .collect();
            let replaced = recorder.replace_messages(now, &mirror.messages);
            assert_eq!(replaced.unwrap(), Recorded::Kept);
        }
        Step::Set(summary) => {
            let fields = Map::from_iter([("summary".to_owned(), Value::from(summary.clone()))]);
            assert_eq!(recorder.set(fields).unwrap(), Recorded::Kept);
            mirror.summary = Some(summary);
        }
    }
    if let Some(last) = &recorder.last {
        mirror.put(last.clone());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn records_that_were_written_are_read_as_the_same_conversation(steps in steps()) {
        let sandbox = Sandbox::new();
        let mut recorder = sandbox.recorder(id('1'), at(0));
        let mut mirror = Mirror::default();
        let prompt = Step::Prompt("so that there is a file".to_owned());
        for (number, step) in std::iter::once(prompt).chain(steps).enumerate() {
            record(&mut recorder, &mut mirror, step, at(number as u64));
        }
        let read = read_session(recorder.path()).unwrap();
        prop_assert_eq!(read.unreadable_lines, 0);
        prop_assert_eq!(read.metadata.as_map().get("summary").cloned(), mirror.summary.map(Value::from));
        prop_assert_eq!(&read.messages, &mirror.messages);

        // A file that is written from what was read says the same.
        let copy = sandbox.project.chats().join("session-copy.jsonl");
        drop(Recorder::restore(&copy, &read, at(0), counted()).unwrap());
        prop_assert_eq!(read_session(&copy).unwrap(), read);
    }
}
