use pollux_model::{
    ApiKey, Chain, ChainMode, Gemini, GeminiApi, GeminiConfig, Http, Model, ModelError,
    NetworkOptions, Previews, RetryPolicy,
};
use serde_json::{Map, Value, json};

use crate::{Voice, Voices};

/// A Gemini model whose aliases search and read the web.
pub(crate) struct ServingVoices {
    base: String,
    tools: Tools,
}

#[derive(PartialEq, Eq)]
enum Tools {
    Served,
    None,
}

impl ServingVoices {
    pub(crate) fn new(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            tools: Tools::Served,
        }
    }

    pub(crate) fn without_tools(self) -> Self {
        Self {
            tools: Tools::None,
            ..self
        }
    }
}

impl Voices for ServingVoices {
    fn requested(&self) -> &str {
        "gemini-test"
    }

    fn chain(&self, active: &str, mode: ChainMode) -> Chain {
        Chain::new(active, active, Previews::Denied, mode)
    }

    fn voice(&self, model: &str, _: Option<u32>) -> Result<Voice, ModelError> {
        let config = GeminiConfig {
            base_url: self.base.clone(),
            retry: RetryPolicy::default().with_attempts(1),
            ..GeminiConfig::new(GeminiApi::Developer, model, ApiKey::new("a-key-of-a-test"))
        };
        let http = Http::new(NetworkOptions::default());
        Ok(Voice {
            model: Model::Gemini(Gemini::new(config, http)?),
            generation: Map::new(),
        })
    }

    fn utility(&self, alias: &str) -> Result<Voice, ModelError> {
        let mut voice = self.voice(alias, None)?;
        let tool = match alias {
            "web-search" => Some("googleSearch"),
            "web-fetch" => Some("urlContext"),
            _ => None,
        };
        if let Some(tool) = tool.filter(|_| self.tools == Tools::Served) {
            let tools: Value = json!([{ tool: {} }]);
            voice.generation.insert("tools".to_owned(), tools);
        }
        Ok(voice)
    }
}
