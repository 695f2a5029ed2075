// A proposed edit, hunk by hunk. Each can be decided here as well as in the file.
import type { HunkDecision, ProposedEdit, ProposedHunk } from "../../src/protocol";
import { Icon, IconButton } from "../parts/icon";
import { Lines } from "../parts/stats";
import type { QuestionRow } from "../state/model";
import { countLines } from "../state/rows";
import { openHunks } from "../state/questions";
import type { Store } from "../store";
import { t } from "../strings";
import { grouped } from "../words/numbers";
import { decisionOf } from "../words/keyboard";
import { commonIndent } from "../words/indent";
import { outputLines } from "../words/visible";

/** Of all hunks together; the rest is a click away, in the file. */
const MOST_LINES = 40;

/** So many hunks have a key that rejects them: most of an edit is right, and the rest is kept by Enter. */
const DIGITS = 9;

type DiffLine = { kind: "added" | "removed"; text: string };

interface Props {
  row: QuestionRow;
  edit: ProposedEdit;
  store: Store;
}

export function EditBody({ row, edit, store }: Props) {
  const hunks = edit.hunks.map((hunk) => ({ hunk, lines: diffLines(hunk) }));
  const all = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  let room = MOST_LINES;
  const shown = hunks.map(({ hunk, lines }) => {
    const part = lines.slice(0, Math.max(room, 0));
    room -= lines.length;
    return { hunk, lines: part };
  });
  return (
    <div class="diff">
      {hunks.length === 0 && <div class="quiet">{t("emptyFile")}</div>}
      {shown.map(({ hunk, lines }, place) => (
        <div
          key={place}
          class={`diff-hunk ${stateOf(row, place)}`}
          role="group"
          aria-label={t("hunkAt", place + 1, edit.hunks.length, hunk.baseLine + 1)}
          onKeyDown={(event) => decideByKey(event, row, place, store)}
        >
          <HunkHead row={row} edit={edit} store={store} hunk={hunk} place={place} />
          {lines.length > 0 && (
            <pre tabIndex={0}>
              {lines.map((line, at) => (
                <div key={at} class={`diff-line ${line.kind}`}>
                  {line.text}
                </div>
              ))}
            </pre>
          )}
        </div>
      ))}
      {all > MOST_LINES && (
        <button type="button" class="link show-all" onClick={() => store.post({ kind: "openHunk", path: edit.path })}>
          {t("showAll", grouped(all))}
        </button>
      )}
    </div>
  );
}

function HunkHead({ row, edit, store, hunk, place }: Props & { hunk: ProposedHunk; place: number }) {
  const state = stateOf(row, place);
  const decide = (decision: HunkDecision) => (): void => store.decide(row, [place], decision);
  return (
    <div class="diff-head">
      <button type="button" class="link" title={t("openThere")} onClick={() => store.post({ kind: "openFile", path: edit.path, line: hunk.baseLine + 1 })}>
        {t("line", hunk.baseLine + 1)}
      </button>
      <Lines added={countLines(hunk.added)} removed={countLines(hunk.removed)} />
      <span class="space" />
      {/* What stands alone is decided by the buttons below. */}
      {edit.hunks.length > 1 && state === "open" && (
        <>
          <IconButton icon="check" label={t("keepHunk")} onClick={decide("keep")} />
          <IconButton icon="close" label={place < DIGITS ? t("rejectHunkKey", place + 1) : t("rejectHunk")} onClick={decide("reject")} />
          {place < DIGITS && <kbd aria-hidden="true">{place + 1}</kbd>}
        </>
      )}
      {state !== "open" && (
        <span class="diff-state">
          {state !== "decided" && <Icon name={state === "reject" ? "close" : "check"} />}
          {t(state === "keep" ? "hunkKept" : state === "reject" ? "hunkRejected" : "hunkDecided")}
        </span>
      )}
    </div>
  );
}

/** The one that has the focus. Where there is only one, the card itself decides. */
function decideByKey(event: KeyboardEvent, row: QuestionRow, place: number, store: Store): void {
  const decision = decisionOf(event);
  if (decision === undefined || row.question.kind !== "edit" || row.question.edit.hunks.length < 2) return;
  if (stateOf(row, place) === "open" && !store.answering.has(row.question.number)) store.decide(row, [place], decision);
  event.preventDefault();
  event.stopPropagation();
}

type HunkState = HunkDecision | "open" | "decided";

function stateOf(row: QuestionRow, hunk: number): HunkState {
  return row.decisions.get(hunk) ?? (openHunks(row).includes(hunk) ? "open" : "decided");
}

/** Without the indentation that all lines have: it would push them out of a narrow view. */
function diffLines(hunk: ProposedHunk): DiffLine[] {
  const removed = outputLines(hunk.removed).lines;
  const added = outputLines(hunk.added).lines;
  const indent = commonIndent([...removed, ...added]).length;
  return [
    ...removed.map((text): DiffLine => ({ kind: "removed", text: `− ${text.slice(indent)}` })),
    ...added.map((text): DiffLine => ({ kind: "added", text: `+ ${text.slice(indent)}` })),
  ];
}
