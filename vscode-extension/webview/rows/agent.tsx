// A sub-agent at work: who it is, what it thinks about, how far it may still go, and everything that it does on the
// way. Once it has ended one line is left, and what still wants a person.
import type { Row, ToolRow } from "../state/model";
import { isShown } from "../state/rows";
import type { Store } from "../store";
import { Icon } from "../parts/icon";
import { Markdown } from "../parts/markdown";
import { t } from "../strings";
import { agentJob, agentName, agentReport, wholeJob } from "../words/agents";
import { duration, grouped } from "../words/numbers";
import { lastLines, oneLine, visible } from "../words/visible";
import { Fold } from "./fold";
import { RowView, type RowProps } from "./row";
import { stopButton, stopByKey } from "./stop";
import { StateIcon } from "./tool";

/** Of what it does while it works, this much is seen: the rest is a click away. */
const LATEST = 6;
const WORDS = 3;
const LONGEST_REPORT = 20_000;

export function Agent({ row, store }: RowProps<ToolRow>) {
  const running = row.state === "running";
  const open = store.isOpen(row.key) ?? (running || row.state === "failed");
  const name = oneLine(agentName(row.title), 60);
  const done = row.inside.filter(isShown);
  const urgent = open ? [] : done.filter(wantsSomebody);
  return (
    <div class={`tool agent ${row.state}`} onKeyDown={(event) => stopByKey(event, row, store)}>
      <Fold open={open} onToggle={(now) => store.fold(row, now)} line={<Line row={row} name={name} store={store} />} beside={stopButton(row, store)}>
        {() => (
          <>
            {running && (
              <div class="agent-thought">
                <Icon name="lightbulb" />
                <span class="line-text">{row.progress === "" ? t("thinking") : oneLine(row.progress, 160)}</span>
              </div>
            )}
            <Inside rows={done} row={row} name={name} store={store} />
            {running ? <Words text={row.output} /> : <Outcome row={row} store={store} />}
          </>
        )}
      </Fold>
      {urgent.length > 0 && (
        <div class="fold-body">
          <Rows rows={urgent} store={store} />
        </div>
      )}
    </div>
  );
}

function Line({ row, name, store }: RowProps<ToolRow> & { name: string }) {
  const job = oneLine(agentJob(row.title));
  return (
    <>
      <StateIcon row={row} />
      <span class="line-text" title={oneLine(row.title)}>
        <span class="agent-name">{name}</span> {job}
      </span>
      <span class="line-end">{ending(row, store)}</span>
    </>
  );
}

function ending(row: ToolRow, store: Store): string {
  if (row.state === "running") {
    if (store.stopping.has(row.call)) return t("stopping");
    if (!row.turns) return "";
    return row.turns.most === undefined ? String(row.turns.used) : t("agentTurns", row.turns.used, row.turns.most);
  }
  if (row.state === "failed") return t("failedWord");
  if (row.state === "cancelled") return t("cancelledWord");
  const calls = row.inside.filter(({ kind }) => kind === "tool").length;
  const counted = calls === 0 ? "" : calls === 1 ? t("oneCall") : t("calls", grouped(calls));
  return [counted, row.durationMs === undefined ? "" : duration(row.durationMs)].filter((part) => part !== "").join(" · ");
}

/** What nobody has decided about yet is seen however the card is folded. */
function wantsSomebody(row: Row): boolean {
  if (row.kind === "question") return row.state === "waiting" || row.conflict === "open";
  return row.kind === "edits" && row.files.some((file) => file.pending + file.proposed + file.conflicts > 0);
}

function Inside({ rows, row, name, store }: { rows: Row[]; row: ToolRow; name: string; store: Store }) {
  // Whoever has unfolded the card wants all of it; so does whoever asked for it below.
  const whole = row.state !== "running" || store.wholeAgents.has(row.key);
  const from = whole ? 0 : Math.max(0, rows.length - LATEST);
  const before = rows.slice(0, from);
  const shown = rows.filter((one, place) => place >= from || wantsSomebody(one));
  if (rows.length === 0) return null;
  return (
    <div class="inside" role="group" aria-label={t("agentDoes", name)}>
      {before.length > 0 && (
        <button type="button" class="link show-all" onClick={() => store.showWholeAgent(row)}>
          {t("agentBefore", grouped(before.length))}
        </button>
      )}
      <Rows rows={shown} store={store} />
    </div>
  );
}

function Rows({ rows, store }: { rows: Row[]; store: Store }) {
  return (
    <>
      {rows.map((row) => (
        <div key={row.key} class={`row-${row.kind}`}>
          <RowView
            row={row}
            version={row.version}
            store={store}
            open={store.isOpen(row.key)}
            answering={row.kind === "question" && store.answering.has(row.question.number)}
          />
        </div>
      ))}
    </>
  );
}

/** The end of what it says; a screen reader gets its result. */
function Words({ text }: { text: string }) {
  const { lines } = lastLines(text.trimEnd(), WORDS);
  if (lines.length === 0) return null;
  return (
    <div class="agent-words" aria-hidden="true">
      {lines.join("\n")}
    </div>
  );
}

function Outcome({ row, store }: RowProps<ToolRow>) {
  const job = wholeJob(row.input) ?? row.input;
  const report = agentReport(row.output);
  const cut = report.length > LONGEST_REPORT || report.includes(" bytes left out …\n");
  return (
    <>
      {job !== "" && (
        <>
          <div class="caption">{t("agentJob")}</div>
          <pre class="agent-job" tabIndex={0}>
            {visible(job)}
          </pre>
        </>
      )}
      {row.state === "failed" && row.message !== "" && <div class="problem">{visible(row.message.slice(0, 2_000))}</div>}
      {row.state === "succeeded" && report.trim() !== "" && (
        <>
          <div class="caption">{t("agentResult")}</div>
          <Markdown text={report.slice(0, LONGEST_REPORT)} store={store} />
        </>
      )}
      {cut && (
        <button type="button" class="link show-all" onClick={() => store.post({ kind: "openOutput", call: row.call, title: oneLine(row.title, 60) })}>
          {t("showAll", grouped(row.outputLines))}
        </button>
      )}
    </>
  );
}
