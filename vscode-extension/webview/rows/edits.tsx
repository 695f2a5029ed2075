// What a turn changed: a row per file, which opens at its first pending hunk.
import type { EditedFile, EditsRow } from "../state/model";
import { Dots, Lines } from "../parts/stats";
import { t } from "../strings";
import { decisionKeys, decisionOf } from "../words/keyboard";
import { oneLine } from "../words/visible";
import { Fold } from "./fold";
import type { RowProps } from "./row";

export function Edits({ row, store }: RowProps<EditsRow>) {
  const added = sum(row.files, (file) => file.added);
  const removed = sum(row.files, (file) => file.removed);
  const pending = sum(row.files, (file) => file.pending);
  const only = row.files.length === 1 ? row.files[0] : undefined;
  const line = (
    <>
      <span class="line-text">{words(row.files)}</span>
      <span class="line-end">
        <Lines added={added} removed={removed} />
      </span>
    </>
  );
  /** What the person sees as chosen: a file, or else all of what the turn changed. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const decision = decisionOf(event);
    if (decision === undefined || pending === 0 || !(event.target instanceof HTMLElement)) return;
    const path = event.target.closest<HTMLElement>("[data-path]")?.dataset["path"];
    if (path === undefined) store.post({ kind: "decideTurn", turn: row.turn, decision });
    else store.post({ kind: "decideFile", turn: row.turn, path, decision });
    event.preventDefault();
  };
  return (
    <div onKeyDown={onKeyDown}>
      <Fold open={store.isOpen(row.key) ?? true} onToggle={(now) => store.fold(row, now)} line={line} class="edits">
        {() => (
          <>
            {row.files.map((file) => (
              <button
                key={file.path}
                type="button"
                class="file"
                data-path={file.path}
                title={file.pending > 0 ? t("fileKeys", oneLine(file.path), ...decisionKeys()) : oneLine(file.path)}
                onClick={() => store.post({ kind: "openHunk", path: file.path })}
              >
                <span class="file-name">{oneLine(base(file.path), 80)}</span>
                <span class="file-folder">{oneLine(folder(file.path), 120)}</span>
                <Dots file={file} />
                {!only && <Lines added={file.added} removed={file.removed} />}
              </button>
            ))}
            {pending > 0 && (
              <div class="actions">
                <button type="button" class="action" onClick={() => store.post({ kind: "decideTurn", turn: row.turn, decision: "keep" })}>
                  {t("keepAll")}
                </button>
                <button type="button" class="action" onClick={() => store.post({ kind: "decideTurn", turn: row.turn, decision: "reject" })}>
                  {t("rejectAll")}
                </button>
                <button type="button" class="action" onClick={() => store.post({ kind: "reviewTurn", turn: row.turn })}>
                  {t("review")}
                </button>
              </div>
            )}
          </>
        )}
      </Fold>
    </div>
  );
}

/** What is only proposed has not happened yet, and what was turned down never will. */
function words(files: EditedFile[]): string {
  const [first] = files;
  const made = sum(files, ({ pending, conflicts, kept, rejected, agreed }) => pending + conflicts + kept + rejected + agreed);
  const state = made > 0 ? "edited" : sum(files, ({ proposed }) => proposed) > 0 ? "proposes" : sum(files, ({ declined }) => declined) > 0 ? "declined" : "edited";
  return first === undefined || files.length > 1 ? t(state, files.length) : t(`${state}One`, oneLine(base(first.path), 80));
}

function sum(files: EditedFile[], of: (file: EditedFile) => number): number {
  return files.reduce((all, file) => all + of(file), 0);
}

function base(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folder(path: string): string {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "" : path.slice(0, end);
}
