use super::*;

fn price(input: f64, cached_input: Option<f64>, output: f64, currency: &str) -> Price {
    Price {
        input,
        cached_input,
        output,
        currency: currency.to_owned(),
    }
}

const USED: Usage = Usage {
    prompt_tokens: 1_000_000,
    cached_tokens: 400_000,
    answer_tokens: 100_000,
    thought_tokens: 300_000,
    tool_tokens: 200_000,
    total_tokens: 1_600_000,
};

#[test]
fn every_kind_of_token_is_paid_once() {
    // 600,000 that are new and 200,000 of tools, 400,000 from the cache, and 400,000 that were thought or said.
    assert_eq!(price(1.0, Some(0.25), 10.0, "USD").of(USED), 4.9);
    assert_eq!(price(1.0, None, 10.0, "USD").of(USED), 5.2);
    assert_eq!(price(0.0, None, 0.0, "USD").of(USED), 0.0);
    // A provider that counts more from its cache than was sent does not pay us back.
    let odd = Usage {
        prompt_tokens: 10,
        cached_tokens: 20,
        ..Usage::default()
    };
    assert_eq!(price(1_000_000.0, None, 1.0, "USD").of(odd), 10.0);
}

#[test]
fn a_model_costs_what_the_longest_name_says_that_it_begins_with() {
    let prices: Prices = [
        ("gemini-".to_owned(), price(1.0, None, 1.0, "USD")),
        ("gemini-2.5-pro".to_owned(), price(2.0, None, 2.0, "USD")),
        ("".to_owned(), price(9.0, None, 9.0, "USD")),
    ]
    .into_iter()
    .collect();
    let input = |model: &str| prices.of(model).map(|price| price.input);
    assert_eq!(input("gemini-2.5-pro"), Some(2.0));
    assert_eq!(input("gemini-2.5-flash"), Some(1.0));
    assert_eq!(input("other"), Some(9.0));
    assert_eq!(Prices::default().of("other"), None);
}

#[test]
fn turns_begin_at_nothing_and_sessions_go_on() {
    let prices = [
        ("a".to_owned(), price(1.0, None, 1.0, "USD")),
        ("b".to_owned(), price(1.0, None, 1.0, "EUR")),
    ];
    let before = Spent::from([("USD".to_owned(), 1.0)]);
    let meter = Meter::new(prices.into_iter().collect(), before);
    let used = |tokens: u64| Usage {
        prompt_tokens: tokens,
        ..Usage::default()
    };
    let cost = |turn: f64, session: f64, currency: &str| {
        Some(Cost {
            turn,
            session,
            currency: currency.to_owned(),
        })
    };
    assert_eq!(meter.spent_in_turn(), None);
    assert_eq!(meter.add("a", used(500_000)), cost(0.5, 1.5, "USD"));
    assert_eq!(meter.add("a", used(500_000)), cost(1.0, 2.0, "USD"));
    // Currencies are not added up.
    assert_eq!(meter.add("b", used(250_000)), cost(0.25, 0.25, "EUR"));
    assert_eq!(meter.add("c", used(1)), None);
    let spent = Spent::from([("EUR".to_owned(), 0.25), ("USD".to_owned(), 2.0)]);
    assert_eq!(meter.spent_in_turn(), Some(spent));
    meter.begin_turn();
    assert_eq!(meter.spent_in_turn(), None);
    assert_eq!(meter.add("a", used(250_000)), cost(0.25, 2.25, "USD"));
}
