use super::*;

fn scout() -> String {
    "scout".to_owned()
}

#[test]
fn words_become_orders() {
    let table = [
        ("", Some(AgentOrder::List)),
        ("list", Some(AgentOrder::List)),
        ("refresh", Some(AgentOrder::Reload)),
        ("enable scout", Some(AgentOrder::Enable(scout()))),
        ("disable scout", Some(AgentOrder::Disable(scout()))),
        ("acknowledge scout", Some(AgentOrder::Acknowledge(scout()))),
        ("acknowledge all", Some(AgentOrder::AcknowledgeAll)),
    ];
    for (words, wanted) in table {
        assert_eq!(order(words), wanted, "{words}");
    }
}

#[test]
fn what_is_no_order_changes_nothing() {
    for words in [
        "enable",
        "acknowledge",
        "disable one two",
        "reload now",
        "burn",
        "list all",
    ] {
        assert_eq!(order(words), None, "{words}");
    }
}
