//! What may answer, for somebody who wants to choose.

use pollux_model::{concrete_model, known_token_limit};
use pollux_workspace::{Adjustable, ModelLine, ModelList};

use super::models::{Chosen, DEMO, PREVIEWS, Service};

/// Names that stay when models come and go.
const GEMINI: [(&str, &str, &str); 4] = [
    (
        "auto",
        "Auto",
        "Chooses between the large and the fast one by the prompt",
    ),
    ("pro", "Pro", "The large one, for what is hard"),
    ("flash", "Flash", "The fast one"),
    ("flash-lite", "Flash Lite", "The smallest and fastest"),
];

pub(super) fn list(chosen: &Chosen) -> ModelList {
    let current = chosen.voices.requested().to_owned();
    let mut models = match chosen.service {
        Service::Demo(_) => Vec::new(),
        Service::ChatCompletions => vec![plain(&current)],
        Service::Gemini(_) => GEMINI.iter().map(gemini).collect(),
    };
    if !matches!(chosen.service, Service::Demo(_)) && !models.iter().any(|line| line.id == current)
    {
        models.insert(0, plain(&current));
    }
    models.push(demo());
    ModelList {
        models,
        current,
        thinking: match chosen.service {
            Service::Gemini(_) => Adjustable::Yes,
            Service::Demo(_) | Service::ChatCompletions => Adjustable::No,
        },
    }
}

pub(super) fn demo_only() -> ModelList {
    ModelList {
        models: vec![demo()],
        current: DEMO.to_owned(),
        thinking: Adjustable::No,
    }
}

fn gemini((id, label, description): &(&str, &str, &str)) -> ModelLine {
    let model = concrete_model(id, PREVIEWS);
    ModelLine {
        id: (*id).to_owned(),
        label: (*label).to_owned(),
        description: Some(format!("{description} ({model})")),
        context_window: known_token_limit(model),
    }
}

fn plain(model: &str) -> ModelLine {
    ModelLine {
        id: model.to_owned(),
        label: model.to_owned(),
        description: None,
        context_window: known_token_limit(model),
    }
}

fn demo() -> ModelLine {
    ModelLine {
        description: Some("Plays a part, offline and without a key".to_owned()),
        label: "Demo".to_owned(),
        ..plain(DEMO)
    }
}
