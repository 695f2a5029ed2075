//! pollux-lsp.
