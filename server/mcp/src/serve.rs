//! What the editor knows, offered to any client.
