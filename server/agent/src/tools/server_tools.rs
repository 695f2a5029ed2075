//! The tools that come and go with the servers that bring them along.

use std::sync::{Arc, Mutex, PoisonError};

use super::list_mcp_resources::ListMcpResources;
use super::read_mcp_resource::ReadMcpResource;
use super::server_tool::OutsideTool;
use super::{Equipment, Tool};
use crate::{Offering, Scratch, Servers};

/// Characters of one text that a model is shown, unless the settings say otherwise.
const LONGEST_OUTPUT: usize = 40_000;

/// The tools of all servers, made anew when what is offered has changed.
pub(super) struct ServerTools {
    means: Means,
    made: Mutex<Made>,
}

/// The tools that were made of an offering.
#[derive(Default)]
struct Made {
    of: Arc<Offering>,
    tools: Vec<Arc<dyn Tool>>,
}

/// What tools of servers work with.
#[derive(Clone)]
pub(super) struct Means {
    pub(super) servers: Arc<dyn Servers>,
    pub(super) scratch: Option<Arc<dyn Scratch>>,
    /// Characters; nothing is cut at 0.
    pub(super) longest_output: usize,
}

impl ServerTools {
    pub(super) fn new(equipment: &Equipment) -> Option<Self> {
        let shell = equipment.shell.as_ref();
        Some(Self {
            means: Means {
                servers: Arc::clone(equipment.servers.as_ref()?),
                scratch: equipment.scratch.clone(),
                longest_output: shell.map_or(LONGEST_OUTPUT, |shell| shell.longest_output),
            },
            made: Mutex::default(),
        })
    }

    pub(super) fn servers(&self) -> &Arc<dyn Servers> {
        &self.means.servers
    }

    /// Those that are there now.
    pub(super) fn now(&self) -> Vec<Arc<dyn Tool>> {
        let offering = self.means.servers.offering();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&made.of, &offering) {
            let tools = self.make(&offering);
            *made = Made {
                of: offering,
                tools,
            };
        }
        made.tools.clone()
    }

    fn make(&self, offering: &Offering) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        if !offering.resources.is_empty() {
            tools.push(Arc::new(ReadMcpResource(self.means.clone())));
            tools.push(Arc::new(ListMcpResources(Arc::clone(&self.means.servers))));
        }
        for tool in &offering.tools {
            tools.push(Arc::new(OutsideTool {
                tool: Arc::clone(tool),
                means: self.means.clone(),
            }));
        }
        tools
    }
}
