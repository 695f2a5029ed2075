//! The names that people use for models, and the models behind them.
//!
//! These are the newest names of the twin with its remote flags off: neither `gemini-3.1-pro-preview` for the
//! preview of pro, nor `gemini-3.8-flash`, nor `gemini-3.5-flash-lite`. Whether an account may use previews is not
//! known here; it is the [`Previews`] argument. Without access, every preview becomes the stable model of its size.

pub(crate) const PREVIEW_PRO: &str = "gemini-3-pro-preview";
pub(super) const PREVIEW_PRO_3_1: &str = "gemini-3.1-pro-preview";
pub(super) const PREVIEW_PRO_3_1_CUSTOM_TOOLS: &str = "gemini-3.1-pro-preview-customtools";
pub(crate) const PREVIEW_FLASH: &str = "gemini-3-flash-preview";
pub(crate) const STABLE_PRO: &str = "gemini-2.5-pro";
pub(crate) const STABLE_FLASH: &str = "gemini-3.5-flash";
pub(crate) const FLASH_LITE: &str = "gemini-3.1-flash-lite";
const EMBEDDING: &str = "gemini-embedding-001";

/// Whether the account may use preview models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Previews {
    Allowed,
    Denied,
}

/// What rules a model's history and prompt follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Gemini2,
    Gemini3,
    /// Gemini, but of no generation that has rules of its own.
    OtherGemini,
    /// Not a Gemini model.
    Custom,
}

/// The model that a name stands for; a name that is none of ours is a model already.
pub fn concrete_model(name: &str, previews: Previews) -> &str {
    match (name, previews) {
        ("auto" | "auto-gemini-3" | "pro", Previews::Allowed) => PREVIEW_PRO,
        ("flash", Previews::Allowed) => PREVIEW_FLASH,
        ("auto" | "auto-gemini-3" | "pro", Previews::Denied) => STABLE_PRO,
        ("flash", Previews::Denied) => STABLE_FLASH,
        ("auto-gemini-2.5", _) => STABLE_PRO,
        ("flash-lite", _) => FLASH_LITE,
        (PREVIEW_PRO | PREVIEW_PRO_3_1 | PREVIEW_PRO_3_1_CUSTOM_TOOLS, Previews::Denied) => {
            STABLE_PRO
        }
        (PREVIEW_FLASH, Previews::Denied) => STABLE_FLASH,
        (model, _) => model,
    }
}

/// Whether the name leaves the choice of the model to us.
pub fn is_auto(name: &str) -> bool {
    matches!(name, "auto" | "auto-gemini-3" | "auto-gemini-2.5")
}

pub fn family(model: &str) -> Family {
    let Some(rest) = model.strip_prefix("gemini-") else {
        return Family::Custom;
    };
    let generation = |digit: char| rest.strip_prefix(digit);
    if generation('3').is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-'])) {
        return Family::Gemini3;
    }
    if generation('2').is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
        return Family::Gemini2;
    }
    Family::OtherGemini
}

pub fn stable_pro() -> &'static str {
    STABLE_PRO
}

pub fn stable_flash() -> &'static str {
    STABLE_FLASH
}

pub fn embedding_model() -> &'static str {
    EMBEDDING
}
