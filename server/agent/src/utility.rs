//! Errands: questions of our own to a model, beside the conversation. A summary, a judgement, a choice.
//!
//! Nothing of an errand enters the history. What it costs is told, like everything that costs.

mod generate;
mod json;

#[cfg(test)]
mod tests;

use pollux_model::{Content, CountError, Model, ModelError, Part, Request};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::turn::Events;
use crate::{Voices, history};
pub(crate) use generate::Asking;

/// Who runs errands.
#[derive(Clone, Copy)]
pub(crate) struct Utility<'turn> {
    pub(crate) voices: &'turn dyn Voices,
    pub(crate) events: &'turn Events,
    pub(crate) cancel: &'turn CancellationToken,
}

/// What is asked, and of whom.
#[derive(Clone, Debug)]
pub(crate) struct Errand<'a> {
    /// The name under which settings know the model for it.
    pub(crate) alias: &'a str,
    pub(crate) system: &'a str,
    /// As the session holds them: they are made presentable here.
    pub(crate) contents: Vec<Content>,
}

/// Why an errand brought nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UtilityError {
    #[error("it was stopped")]
    Cancelled,
    #[error(transparent)]
    Model(ModelError),
    #[error("the answer holds no JSON object")]
    NotJson,
    /// It is JSON, but not what was asked for.
    #[error("the answer lacks a usable {0:?}")]
    Missing(&'static str),
}

impl Utility<'_> {
    pub(crate) async fn text(&self, errand: Errand<'_>) -> Result<String, UtilityError> {
        self.run(errand, Map::new()).await
    }

    /// An object of this JSON schema, as far as the provider enforces it.
    pub(crate) async fn json(
        &self,
        errand: Errand<'_>,
        schema: Value,
    ) -> Result<Map<String, Value>, UtilityError> {
        let format = Map::from_iter([
            (
                "responseMimeType".to_owned(),
                Value::from("application/json"),
            ),
            ("responseJsonSchema".to_owned(), schema),
        ]);
        let text = self.run(errand, format).await?;
        json::object_in(&text).ok_or(UtilityError::NotJson)
    }

    /// The tokens of a conversation that holds images or documents, which cannot be estimated well. Nothing where the
    /// provider does not count, or not now.
    pub(crate) async fn count(
        &self,
        model: &Model,
        contents: Vec<Content>,
    ) -> Result<Option<u64>, UtilityError> {
        let is_data = |part: &Part| matches!(part, Part::InlineData(_));
        let mut parts = contents.iter().flat_map(|content| &content.parts);
        if !parts.any(is_data) {
            return Ok(None);
        }
        let request = Request {
            contents: history::prepare(contents),
            ..Request::default()
        };
        let counted = model.count_tokens(&request, self.cancel.clone());
        let counted = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(UtilityError::Cancelled),
            counted = counted => counted,
        };
        match counted {
            Ok(tokens) => Ok(Some(tokens)),
            Err(CountError::Model(ModelError::Cancelled)) => Err(UtilityError::Cancelled),
            Err(error) => {
                warn!(%error, "tokens are estimated");
                Ok(None)
            }
        }
    }

    async fn run(
        &self,
        errand: Errand<'_>,
        format: Map<String, Value>,
    ) -> Result<String, UtilityError> {
        let voice = self
            .voices
            .utility(errand.alias)
            .map_err(UtilityError::Model)?;
        let mut generation = voice.generation;
        generation.extend(format);
        let request = Request {
            system_instruction: Some(errand.system.to_owned()).filter(|text| !text.is_empty()),
            contents: history::prepare(errand.contents),
            tools: Vec::new(),
            generation,
        };
        let asking = Asking {
            task: errand.alias,
            events: self.events,
            cancel: self.cancel,
        };
        let answer = asking.generate(&voice.model, request).await;
        let answer = answer.map_err(|error| match error {
            ModelError::Cancelled => UtilityError::Cancelled,
            error => UtilityError::Model(error),
        })?;
        Ok(answer.text())
    }
}
