use super::*;

const ASKED: DoorId = DoorId::new(1);
const OTHER: DoorId = DoorId::new(2);

fn refused() -> EditorAnswer {
    EditorAnswer::Refused("no".to_owned())
}

#[test]
fn only_the_door_that_was_asked_answers_and_once() {
    let mut queries = Queries::default();
    let (reply, mut answer) = oneshot::channel();
    let id = queries.begin(ASKED, reply).unwrap();
    queries.answered(OTHER, id, refused());
    queries.answered(ASKED, QueryId(id.0 + 1), refused());
    answer.try_recv().unwrap_err();
    queries.answered(ASKED, id, EditorAnswer::Places(Vec::new()));
    queries.answered(ASKED, id, refused());
    assert_eq!(answer.try_recv(), Ok(EditorAnswer::Places(Vec::new())));
}

#[test]
fn who_asks_an_editor_that_leaves_hears_so_at_once() {
    let mut queries = Queries::default();
    let (reply, mut gone) = oneshot::channel();
    queries.begin(ASKED, reply);
    let (reply, mut stays) = oneshot::channel();
    queries.begin(OTHER, reply);
    queries.door_left(ASKED);
    assert_eq!(gone.try_recv(), Err(oneshot::error::TryRecvError::Closed));
    assert_eq!(stays.try_recv(), Err(oneshot::error::TryRecvError::Empty));
}

#[test]
fn questions_are_bounded_and_those_that_were_given_up_do_not_count() {
    let mut queries = Queries::default();
    let ask = |queries: &mut Queries| {
        let (reply, answer) = oneshot::channel();
        queries.begin(ASKED, reply).map(|_| answer)
    };
    let waiting: Vec<_> = (0..MOST_OPEN).map(|_| ask(&mut queries)).collect();
    assert!(waiting.iter().all(Option::is_some));
    assert!(ask(&mut queries).is_none());
    drop(waiting);
    assert!(ask(&mut queries).is_some());
}
