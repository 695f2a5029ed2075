// A tool call: one line with what it does and how it went, its output while it runs, and all of it when opened.
import type { ToolRow } from "../state/model";
import { Icon } from "../parts/icon";
import { t } from "../strings";
import { duration, grouped } from "../words/numbers";
import { lastLines, oneLine, outputLines, visible } from "../words/visible";
import { Fold } from "./fold";
import { stopButton, stopByKey } from "./stop";
import type { RowProps } from "./row";

const SHOWN = 5;
const ICONS: Record<ToolRow["activity"], string> = {
  read: "file",
  search: "search",
  edit: "edit",
  command: "terminal",
  fetch: "globe",
  think: "lightbulb",
  agent: "agent",
  other: "tools",
};

/** Of every call, and of what a sub-agent does alike. */
export function Tool({ row, store }: RowProps<ToolRow>) {
  const running = row.state === "running";
  const failed = row.state === "failed";
  const open = store.isOpen(row.key) ?? failed;
  return (
    <div class={`tool ${row.state}`} onKeyDown={(event) => stopByKey(event, row, store)}>
      <Fold open={open} onToggle={(now) => store.fold(row, now)} line={<Line row={row} store={store} />} beside={stopButton(row, store)}>
        {() => <Details row={row} store={store} />}
      </Fold>
      {running && !open && row.output !== "" && (
        <pre class="live" aria-hidden="true">
          {lastLines(row.output, SHOWN).lines.join("\n")}
        </pre>
      )}
    </div>
  );
}

/** What a call does, or how it went. */
export function StateIcon({ row }: { row: ToolRow }) {
  if (row.state === "running") return <Icon name="loading" spin="spinning" />;
  return <Icon name={row.state === "failed" ? "error" : row.state === "cancelled" ? "circle-slash" : ICONS[row.activity]} />;
}

function Line({ row, store }: RowProps<ToolRow>) {
  return (
    <>
      <StateIcon row={row} />
      <span class="line-text" title={oneLine(row.title)}>
        {oneLine(row.title)}
      </span>
      <span class="line-end">{store.stopping.has(row.call) && row.state === "running" ? t("stopping") : ending(row)}</span>
    </>
  );
}

function ending(row: ToolRow): string {
  if (row.state === "running") return oneLine(row.progress, 40);
  if (row.state === "failed") return t("failedWord");
  if (row.state === "cancelled") return t("cancelledWord");
  return row.durationMs === undefined ? "" : duration(row.durationMs);
}

function Details({ row, store }: RowProps<ToolRow>) {
  const output = row.output === "" ? row.message : row.output;
  const { lines, shortened } = row.state === "running" ? lastLines(output, SHOWN) : outputLines(output.slice(0, 20_000));
  const all = Math.max(row.outputLines, lines.length);
  const cut = shortened || all > SHOWN;
  const shown = row.state === "running" ? lines : lines.slice(0, SHOWN);
  return (
    <>
      {row.input !== "" && (
        <>
          <div class="caption">{t("input")}</div>
          <pre tabIndex={0}>{visible(row.input)}</pre>
        </>
      )}
      {shown.length > 0 && (
        <>
          <div class="caption">{t("output")}</div>
          <pre tabIndex={0}>{shown.join("\n")}</pre>
        </>
      )}
      {cut && (
        <button type="button" class="link show-all" onClick={() => store.post({ kind: "openOutput", call: row.call, title: oneLine(row.title, 60) })}>
          {t("showAll", grouped(all))}
        </button>
      )}
      {row.state === "failed" && row.output !== "" && row.message !== "" && <div class="problem">{visible(row.message.slice(0, 2_000))}</div>}
    </>
  );
}
