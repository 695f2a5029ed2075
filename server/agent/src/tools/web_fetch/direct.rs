//! `web_fetch` as `experimental.directWebFetch` has it: one page, as it is, without a model in between.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{InlineData, Part, ToolDeclaration, WebPage};
use serde_json::{Map, Value, json};

use super::html::Links;
use super::rate::Rate;
use super::{NAME, readable, urls};
use crate::Web;
use crate::api::Subject;
use crate::tools::params::Params;
use crate::tools::{Asks, Desk, ErrorKind, Tool, ToolError, ToolOutput};

/// Characters of a page.
const LONGEST: usize = 250_000;
/// Characters of a page that is an error.
const LONGEST_ERROR: usize = 10_000;

pub(in crate::tools) struct DirectFetch {
    web: Arc<dyn Web>,
    rate: Rate,
}

impl DirectFetch {
    pub(in crate::tools) fn new(web: Arc<dyn Web>) -> Self {
        Self {
            web,
            rate: Rate::default(),
        }
    }
}

impl Tool for DirectFetch {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Fetches a public web page, image or PDF.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "description": "Begins with http:// or https://." },
                },
                "required": ["url"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let url = Params::new(args).optional_string("url");
        format!("Fetch {}", url.unwrap_or_default())
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        let parsed = urls::parse(desk.params().string("url")?.trim());
        parsed.map(drop).map_err(ToolError::invalid)
    }

    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async {
            let prompt = desk.params().string("url")?.to_owned();
            let url = urls::parse(prompt.trim()).map_err(ToolError::invalid)?;
            let urls = vec![url];
            Ok(Asks::Person(Subject::Fetch {
                prompt,
                method: "GET",
                urls,
            }))
        }
        .boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let failed = |told: String| ToolError::new(ErrorKind::FetchProcessing, told);
            let url = desk.params().string("url")?.trim();
            let url = urls::parse(url).map_err(ToolError::invalid)?;
            self.rate.take(&url).map_err(failed)?;
            let fetched = desk.or_cancelled(self.web.get(&url)).await?;
            let page = fetched.map_err(|error| failed(format!("{url}: {error}")))?;
            output(desk, page)
        }
        .boxed()
    }
}

fn output(desk: &Desk<'_>, page: WebPage) -> Result<ToolOutput, ToolError> {
    let summary = match &page.content_type {
        Some(kind) => format!("{}, {kind}", page.status),
        None => page.status.to_string(),
    };
    if page.status >= 400 {
        let headers: Vec<String> = page
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let body = cut(&readable::decoded(&page), LONGEST_ERROR);
        let text = format!("Status {}\n{}\n\n{body}", page.status, headers.join("\n"));
        return Ok(ToolOutput::text(desk.untrusted(&text), summary));
    }
    let kind = page.content_type.clone().unwrap_or_default();
    if kind == "application/pdf" || kind.starts_with("image/") || kind.starts_with("video/") {
        let data = InlineData {
            mime_type: kind.clone(),
            data: STANDARD.encode(&page.body),
        };
        let told = format!("{} of type {kind} is attached.", page.url);
        return Ok(ToolOutput {
            attachments: vec![Part::InlineData(data)],
            ..ToolOutput::text(told, summary)
        });
    }
    match readable::text(&page, Links::Kept) {
        Some(text) => Ok(ToolOutput::text(
            desk.untrusted(&cut(&text, LONGEST)),
            summary,
        )),
        None => Err(ToolError::new(
            ErrorKind::FetchProcessing,
            format!("{} is of type {kind}, which cannot be shown", page.url),
        )),
    }
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((cut, _)) => format!("{}\n[Truncated]", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}
