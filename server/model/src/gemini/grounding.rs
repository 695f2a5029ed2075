//! What the service says about its own searching and reading.

use serde::Deserialize;

use crate::{Grounding, Page, Retrieval, Source, Support};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    grounding_chunks: Option<Vec<Chunk>>,
    grounding_supports: Option<Vec<WireSupport>>,
}

#[derive(Deserialize)]
struct Chunk {
    web: Option<Web>,
}

#[derive(Deserialize)]
struct Web {
    title: Option<String>,
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireSupport {
    segment: Option<Segment>,
    grounding_chunk_indices: Option<Vec<usize>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Segment {
    end_index: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UrlContext {
    url_metadata: Option<Vec<UrlMetadata>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UrlMetadata {
    retrieved_url: Option<String>,
    url_retrieval_status: Option<String>,
}

/// Nothing when there is nothing in it: most answers rest on the model alone.
pub(super) fn read(metadata: Option<Metadata>, context: Option<UrlContext>) -> Option<Grounding> {
    let (chunks, supports) = match metadata {
        Some(metadata) => (metadata.grounding_chunks, metadata.grounding_supports),
        None => (None, None),
    };
    let pages = context.and_then(|context| context.url_metadata);
    let grounding = Grounding {
        sources: chunks.into_iter().flatten().map(source).collect(),
        supports: supports.into_iter().flatten().filter_map(support).collect(),
        pages: pages.into_iter().flatten().filter_map(page).collect(),
    };
    (grounding != Grounding::default()).then_some(grounding)
}

/// Sources are named by their place, so one that says nothing keeps it.
fn source(chunk: Chunk) -> Source {
    chunk.web.map_or_else(Source::default, |web| Source {
        title: web.title.filter(|title| !title.is_empty()),
        uri: web.uri.filter(|uri| !uri.is_empty()),
    })
}

fn support(support: WireSupport) -> Option<Support> {
    Some(Support {
        end: support.segment?.end_index?,
        sources: support.grounding_chunk_indices?,
    })
}

fn page(page: UrlMetadata) -> Option<Page> {
    Some(Page {
        url: page.retrieved_url?,
        retrieval: match page.url_retrieval_status.as_deref() {
            Some("URL_RETRIEVAL_STATUS_SUCCESS") => Retrieval::Succeeded,
            _ => Retrieval::Failed,
        },
    })
}
