use std::fmt;

/// Something that does not fit into a model's window. All figures are tokens, and most of them estimates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overflow {
    pub model: String,
    pub window: u64,
    pub added: Added,
    /// What is to be added has so many.
    pub estimated: u64,
    pub remaining: u64,
    /// What goes with every request: the instructions, and what the model is told about its tools.
    pub instructions: u64,
    pub tools: u64,
}

/// What was to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    Prompt,
    Results,
}

/// What does not fit, and what helps: that differs with what the room is taken by.
impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            model,
            window,
            estimated,
            remaining,
            instructions,
            tools,
            ..
        } = self;
        let every_request = instructions + tools;
        if every_request >= *window {
            write!(
                f,
                "{model} takes {window} tokens, and what goes with every prompt has about {every_request} already \
                 (instructions {instructions}, tools {tools}); choose a model with a larger window"
            )?;
            return match tools {
                0 => Ok(()),
                _ => f.write_str(", or give it fewer tools (tools.core in the settings)"),
            };
        }
        let (what, less) = match self.added {
            Added::Prompt => ("the prompt has", "send less"),
            Added::Results => ("what the tools returned has", "ask for less at once"),
        };
        if every_request + estimated > *window {
            return write!(
                f,
                "{what} about {estimated} tokens, and of the {window} that {model} takes, instructions and tools need \
                 about {every_request}; {less}, or choose a model with a larger window"
            );
        }
        write!(
            f,
            "{what} about {estimated} tokens, and of the {window} that {model} takes there is room for {remaining} \
             more; {less}, shorten the conversation with /compress, or begin a new session"
        )
    }
}
