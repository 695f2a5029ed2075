//! Programs that are servers: started behind a guard, talked to over their standard input and output.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(super) use unix::{Process, run};

#[cfg(not(unix))]
pub(super) use nowhere::{Process, run};

/// Where no program can be started yet.
#[cfg(not(unix))]
mod nowhere {
    use pollux_exec::{ServerError, ServerExit, ServerProgram};

    use crate::connect::Means;
    use crate::connect::link::{LinkError, Service};
    use crate::connect::listener::Listener;

    pub(in crate::connect) enum Process {}

    pub(in crate::connect) async fn run(
        _: ServerProgram<'_>,
        _: &Means,
        _: Listener,
    ) -> Result<(Service, Process), LinkError> {
        Err(LinkError::Failed(ServerError::Unsupported.to_string()))
    }

    impl Process {
        pub(in crate::connect) async fn ended(&mut self) -> ServerExit {
            match *self {}
        }

        pub(in crate::connect) async fn after_its_output(self) -> String {
            match self {}
        }

        pub(in crate::connect) async fn last_words(self, _: ServerExit) -> String {
            match self {}
        }
    }
}
