//! What is neither an answer nor a call: commands, models that fail, conversations that are made shorter.

use agent_client_protocol_schema::v1::{
    CompactionStatus, CompactionUpdate, Notice, NoticeSeverity, SessionUpdate,
};
use pollux_agent::api::{CompressionStatus, Event, utc_time};

use super::{Telling, Told, Whose, update};

impl Telling {
    pub(super) fn remark_on(&mut self, event: &Event) -> Vec<Told> {
        match event {
            Event::CommandAnswered { text, .. } => {
                self.messages += 1;
                let answer = self.message(text.as_str());
                self.messages += 1;
                vec![answer]
            }
            Event::ModelChanged {
                from, to, reason, ..
            } => {
                let title = format!("{from} does not answer; {to} goes on");
                vec![self.worth_a_line(NoticeSeverity::Warning, title, reason)]
            }
            Event::AnswerDiscarded { reason } => {
                let title = "The answer was of no use; the model is asked again".to_owned();
                vec![self.worth_a_line(NoticeSeverity::Warning, title, reason)]
            }
            Event::NotRemembered { message } => {
                let title = "This holds for once only".to_owned();
                vec![self.worth_a_line(NoticeSeverity::Warning, title, message)]
            }
            Event::RecordingStopped { reason, .. } => {
                let title = "From here on the conversation is not recorded".to_owned();
                vec![self.worth_a_line(NoticeSeverity::Warning, title, reason)]
            }
            Event::HookSaid { message } => {
                let title = "A hook says".to_owned();
                vec![self.worth_a_line(NoticeSeverity::Info, title, message)]
            }
            Event::RequestRetried(retry) => {
                let (failed, all) = (retry.attempt, retry.attempts);
                let when = match retry.at {
                    Some(at) => format!("Trying again at {}", utc_time(at)),
                    None => "Trying again later".to_owned(),
                };
                let title = format!("{when} (attempt {failed} of {all} failed)");
                let reason = format!("{}. Type /retry to try now.", retry.error);
                vec![self.worth_a_line(NoticeSeverity::Info, title, &reason)]
            }
            Event::HistoryCompressed {
                before,
                after,
                status,
            } => self.compressed(*before, *after, *status),
            Event::Rewound { turn } if self.prompt == Whose::Own => {
                let text = format!("The conversation goes on from before turn {turn}.");
                vec![self.remark_aloud(&text)]
            }
            _ => Vec::new(),
        }
    }

    /// A sentence of ours in the conversation.
    pub(crate) fn remark_aloud(&mut self, text: &str) -> Told {
        self.messages += 1;
        let said = self.message(format!("_{}_", text.trim()));
        self.messages += 1;
        said
    }

    /// As a notice where the client shows any, and else in the conversation: losing it would hurt.
    fn worth_a_line(&mut self, severity: NoticeSeverity, title: String, reason: &str) -> Told {
        match self.notice(severity, title.clone(), reason) {
            Some(notice) => notice,
            None => self.remark_aloud(&format!("{title}: {reason}")),
        }
    }

    fn notice(&self, severity: NoticeSeverity, title: String, reason: &str) -> Option<Told> {
        let notice = Notice::new(severity, title).description(reason.to_owned());
        let shown = self.traits.notices;
        shown.then(|| update(SessionUpdate::Notice(notice)))
    }

    fn compressed(&mut self, before: u64, after: u64, status: CompressionStatus) -> Vec<Told> {
        self.compressions += 1;
        if self.traits.compaction {
            let id = format!("c{}", self.compressions);
            let done = match status {
                CompressionStatus::Compressed
                | CompressionStatus::ContentTruncated
                | CompressionStatus::Noop => CompactionStatus::Completed,
                CompressionStatus::FailedInflated
                | CompressionStatus::FailedTokenCountError
                | CompressionStatus::FailedEmptySummary => CompactionStatus::Failed,
            };
            let told = CompactionUpdate::new(id, done);
            return vec![update(SessionUpdate::CompactionUpdate(told))];
        }
        // Whoever has asked for it wants to know; nobody else has to.
        match self.prompt {
            Whose::Others => Vec::new(),
            Whose::Own => {
                let text = match status {
                    CompressionStatus::Compressed | CompressionStatus::ContentTruncated => {
                        format!("The conversation has {after} tokens now; it had {before}.")
                    }
                    _ => format!("The conversation stays as it is ({}).", status.name()),
                };
                vec![self.remark_aloud(&text)]
            }
        }
    }
}
