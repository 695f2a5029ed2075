use super::*;

fn page() -> Deed {
    Deed::Open {
        url: "https://example.com".to_owned(),
    }
}

async fn answer(attendance: &mut Attendance, done: Done) -> Errand {
    let errand = attendance.next().await.unwrap();
    let (unused, _nobody) = oneshot::channel();
    let Errand {
        folder,
        deed,
        done: reply,
    } = errand;
    reply.send(done).unwrap();
    Errand {
        folder,
        deed,
        done: unused,
    }
}

#[tokio::test]
async fn the_newest_editor_that_can_does_it() {
    let errands = Errands::default();
    let mut first = errands.attend();
    let mut second = errands.attend();
    let mut third = errands.attend();
    let folder = Path::new("/f");
    let deed = page();
    let (done, one, two) = tokio::join!(
        errands.run(folder, &deed),
        answer(&mut third, Done::NotHere),
        answer(&mut second, Done::Yes),
    );
    assert_eq!(done, Done::Yes);
    assert_eq!((one.folder, one.deed), (folder.to_owned(), page()));
    assert_eq!(two.deed, page());
    assert!(first.waiting.try_recv().is_err());
}

#[tokio::test]
async fn where_nobody_is_nothing_is_done() {
    let errands = Errands::default();
    let folder = Path::new("/f");
    assert_eq!(errands.run(folder, &page()).await, Done::NotHere);
    drop(errands.attend());
    assert_eq!(errands.run(folder, &page()).await, Done::NotHere);
    // Who leaves with an errand in hand was not there.
    let mut leaving = errands.attend();
    let deed = page();
    let leaves = async move {
        drop(leaving.next().await);
    };
    let (done, ()) = tokio::join!(errands.run(folder, &deed), leaves);
    assert_eq!(done, Done::NotHere);
}
