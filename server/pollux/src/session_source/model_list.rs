//! What may answer, for somebody who wants to choose.

use pollux_model::{concrete_model, known_token_limit};
use pollux_workspace::{Adjustable, ModelLine, ModelList};

use super::models::{Chosen, DEMO, OLLAMA, PREVIEWS, Service};

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

/// What can be asked for by its id, at any time: also after another one was chosen.
pub(super) fn list(chosen: &Chosen, local: Vec<String>) -> ModelList {
    let current = chosen.voices.requested().to_owned();
    let mut models: Vec<ModelLine> = match chosen.service {
        Service::Demo(_) | Service::ChatCompletions => Vec::new(),
        Service::Gemini(_) => GEMINI.iter().map(gemini).collect(),
    };
    models.extend(local.iter().map(|id| ollama(id)));
    if !matches!(chosen.service, Service::Demo(_)) && !models.iter().any(|line| line.id == current)
    {
        let voice = chosen.voices.voice(&current, None).ok();
        let line = ModelLine {
            context_window: voice.and_then(|voice| voice.model.known_token_limit()),
            ..plain(&current)
        };
        models.insert(0, line);
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

pub(super) fn demo_only(local: Vec<String>) -> ModelList {
    let mut models: Vec<ModelLine> = local.iter().map(|id| ollama(id)).collect();
    models.push(demo());
    ModelList {
        models,
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

fn ollama(id: &str) -> ModelLine {
    ModelLine {
        label: id.strip_prefix(OLLAMA).unwrap_or(id).to_owned(),
        description: Some("On this machine, by Ollama".to_owned()),
        ..plain(id)
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
