//! One client, as the protocol's library wants it served.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, ResourceContents, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

use super::follow::{Followed, Following, MOST_FOLLOWED, follow};
use super::front::Front;
use super::resources::{self, Address};
use super::tools;

const INSTRUCTIONS: &str = "These tools show what a person has in front of them in their editor. Texts are the editor's, \
    with what is typed and not saved. Files are changed by `propose_edit` and `rename` only: the person keeps or rejects each \
    hunk, and `wait_for_decision` tells what became of it.";

/// A client of a front.
pub(super) struct Client {
    front: Arc<Front>,
    followed: Arc<Followed>,
    following: Following,
}

impl Client {
    pub(super) fn new(front: Arc<Front>) -> Self {
        Self {
            front,
            followed: Arc::default(),
            following: Following::default(),
        }
    }

    fn address(uri: &str) -> Result<Address, ErrorData> {
        Address::parse(uri).ok_or_else(|| {
            ErrorData::resource_not_found(format!("there is no resource {uri:?}"), None)
        })
    }
}

impl ServerHandler for Client {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("pollux", env!("CARGO_PKG_VERSION")).with_title("Pollux"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (front, followed) = (Arc::downgrade(&self.front), Arc::clone(&self.followed));
        self.following.start(follow(front, followed, context.peer));
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams {
            name, arguments, ..
        } = request;
        let called = tools::call(&self.front, &name, arguments, &context).await;
        called.map(CallToolResponse::from)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let open = self.front.tell(resources::open).await;
        let open = open.unwrap_or_default();
        self.followed.listed(&open);
        let mut all = resources::fixed();
        all.extend(open);
        Ok(ListResourcesResult::with_all_items(all))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let address = Self::address(&request.uri)?;
        let Ok(_place) = self.front.calls.try_acquire() else {
            return Err(ErrorData::internal_error(
                "too many calls run at the same time",
                None,
            ));
        };
        let read = self.front.tell(move |sight| address.read(sight)).await;
        let contents = read
            .map_err(|blind| ErrorData::resource_not_found(blind.to_string(), None))?
            .map_err(|hidden| ErrorData::resource_not_found(hidden.to_string(), None))?;
        let contents =
            ResourceContents::text(contents.text, request.uri).with_mime_type(contents.kind);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let is_path =
            matches!(&request.r#ref, Reference::Resource(_)) && request.argument.name == "path";
        if !is_path {
            return Ok(CompleteResult::default());
        }
        let begun = request.argument.value;
        let found = self
            .front
            .tell(move |sight| resources::completions(sight, &begun, CompletionInfo::MAX_VALUES));
        let (values, total) = found.await.unwrap_or_default();
        let has_more = total > values.len();
        let completion =
            CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more)
                .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| Address::parse(uri).is_some());
            uris.truncate(MOST_FOLLOWED);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let followed = Arc::new(Followed::default());
        let uris = context.accepted().resource_subscriptions.clone();
        for uri in uris.unwrap_or_default() {
            if let Some(address) = Address::parse(&uri) {
                followed.add_unseen(uri, address);
            }
        }
        let front = Arc::downgrade(&self.front);
        tokio::select! {
            () = follow(front, followed, context.sink().clone()) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let address = Self::address(&request.uri)?;
        match self.followed.add(&self.front, request.uri, address).await {
            true => Ok(()),
            false => Err(ErrorData::invalid_params(
                format!("{MOST_FOLLOWED} resources are followed already"),
                None,
            )),
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.followed.remove(&request.uri);
        Ok(())
    }
}
