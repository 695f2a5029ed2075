//! pollux-agent.
