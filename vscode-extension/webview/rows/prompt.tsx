// What the person said, with the context that really went with it.
import type { PromptRow } from "../state/model";
import { Icon, IconButton } from "../parts/icon";
import { t } from "../strings";
import { sentComments, type SentComment } from "../words/comments";
import { visible } from "../words/visible";
import type { RowProps } from "./row";

const ICONS: Record<string, string> = {
  activeFile: "file",
  selection: "list-selection",
  openFiles: "files",
  diagnostics: "warning",
  file: "file",
  folder: "folder",
  attachment: "attach",
  image: "file-media",
  text: "attach",
  memory: "book",
};

/** A pasted file is no reading: this much shows what it was. */
const LONGEST = 4_000;

export function Prompt({ row, store }: RowProps<PromptRow>) {
  const chips = row.sent ?? row.attachments;
  const cut = row.text.length > LONGEST;
  const asked = row.how === "asked";
  const comments = cut ? undefined : sentComments(row.text);
  return (
    <div class="prompt" role="group" aria-label={asked ? t("you") : t("youSteered")}>
      <div class="prompt-text">
        {!asked && <Icon name="arrow-right" />}
        {comments === undefined ? visible(row.text.slice(0, LONGEST)) : <Comments comments={comments} />}
        {cut && (
          <button type="button" class="link" onClick={() => store.post({ kind: "openText", title: t("you"), language: "markdown", text: row.text })}>
            {t("showAllText")}
          </button>
        )}
      </div>
      {chips.length > 0 && (
        <div class="chips">
          {chips.map((chip, place) => (
            <span key={place} class="chip" title={visible(chip.label)}>
              <Icon name={ICONS[chip.kind] ?? "file"} />
              <span class="chip-label">{visible(chip.label)}</span>
            </span>
          ))}
        </div>
      )}
      {asked && (
        <div class="hover-actions">
          <IconButton icon="eye" label={t("whatWasSent")} onClick={() => store.post({ kind: "showSent", turn: row.turn })} />
          <IconButton icon="discard" label={t("undoTurn")} onClick={() => store.post({ kind: "undoTurn", turn: row.turn })} />
          <IconButton icon="edit" label={t("editPrompt")} onClick={() => store.post({ kind: "rewind", turn: row.turn })} />
        </div>
      )}
    </div>
  );
}

function Comments({ comments }: { comments: SentComment[] }) {
  return (
    <ul class="sent-comments">
      {comments.map((comment, place) => (
        <li key={place}>
          <Icon name="comment" />
          <code title={visible(comment.quoted)}>{visible(`${comment.path}:${comment.line}`)}</code> {visible(comment.text)}
        </li>
      ))}
    </ul>
  );
}
