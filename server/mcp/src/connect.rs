//! Outside servers as tools of the agent.
