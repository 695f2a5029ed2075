//! What went along with a prompt, in the protocol's words.

use pollux_agent::api::{Attachment, AttachmentKind, SentItem, SentKind};

use crate::protocol::{AttachedKind, AttachedLabel, ContextItem, ContextKind};
use crate::uri;

pub(super) fn label(attached: &Attachment) -> AttachedLabel {
    AttachedLabel {
        kind: match attached.kind {
            AttachmentKind::Image => AttachedKind::Image,
            AttachmentKind::Text => AttachedKind::Text,
        },
        label: attached.label.clone(),
    }
}

pub(super) fn item(sent: &SentItem) -> ContextItem {
    ContextItem {
        kind: match sent.kind {
            SentKind::ActiveFile => ContextKind::ActiveFile,
            SentKind::Selection => ContextKind::Selection,
            SentKind::OpenFiles => ContextKind::OpenFiles,
            SentKind::Diagnostics => ContextKind::Diagnostics,
            SentKind::File => ContextKind::File,
            SentKind::Folder => ContextKind::Folder,
            SentKind::Attachment => ContextKind::Attachment,
            SentKind::Memory => ContextKind::Memory,
        },
        label: sent.label.clone(),
        uri: sent.path.as_deref().map(uri::from_path),
        range: sent.range.map(Into::into),
        bytes: sent.bytes as u64,
    }
}
