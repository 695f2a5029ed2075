//! The list of our methods, for everything that is generated from it.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{
    DocumentParams, DocumentResult, EditorStateParams, ResyncParams, SnapshotParams,
    SnapshotResult, method,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ClientToServer,
    ServerToClient,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Notification,
    /// A request; the name is its result's definition.
    Request {
        result: String,
    },
}

#[derive(Clone, Debug)]
pub struct Method {
    pub name: &'static str,
    pub direction: Direction,
    pub kind: Kind,
    /// One sentence for the reference.
    pub summary: &'static str,
    /// The name of the parameters' definition.
    pub params: String,
}

pub struct Catalogue {
    pub methods: Vec<Method>,
    /// JSON Schema of every type, by name.
    pub definitions: Map<String, Value>,
}

pub fn catalogue() -> Catalogue {
    let mut list = List::default();
    list.notification::<EditorStateParams>(
        method::EDITOR_STATE,
        Direction::ClientToServer,
        "What the person is looking at: active file, cursor, selections, visible ranges, trust and problem counts. Optional: a client that never sends it still works.",
    );
    list.request::<SnapshotParams, SnapshotResult>(
        method::SNAPSHOT,
        Direction::ClientToServer,
        "The room as the server sees it, at once or as soon as it has changed.",
    );
    list.request::<DocumentParams, DocumentResult>(
        method::DOCUMENT,
        Direction::ClientToServer,
        "The text the room holds for an open file.",
    );
    list.notification::<ResyncParams>(
        method::RESYNC,
        Direction::ServerToClient,
        "A change did not fit; the client sends the whole text. Sent only to clients that set `capabilities.experimental.pollux.resync`.",
    );
    Catalogue {
        definitions: list.generator.take_definitions(true),
        methods: list.methods,
    }
}

#[derive(Default)]
struct List {
    generator: SchemaGenerator,
    methods: Vec<Method>,
}

impl List {
    fn notification<P: JsonSchema>(
        &mut self,
        name: &'static str,
        direction: Direction,
        summary: &'static str,
    ) {
        let params = self.define::<P>();
        self.methods.push(Method {
            name,
            direction,
            kind: Kind::Notification,
            summary,
            params,
        });
    }

    fn request<P: JsonSchema, R: JsonSchema>(
        &mut self,
        name: &'static str,
        direction: Direction,
        summary: &'static str,
    ) {
        let params = self.define::<P>();
        let kind = Kind::Request {
            result: self.define::<R>(),
        };
        self.methods.push(Method {
            name,
            direction,
            kind,
            summary,
            params,
        });
    }

    fn define<T: JsonSchema>(&mut self) -> String {
        self.generator.subschema_for::<T>();
        T::schema_name().into_owned()
    }
}
