// The answer: prose as Markdown, and code with what one does with code.
import { useMemo, useState } from "preact/hooks";
import type { ProseRow } from "../state/model";
import { Icon, IconButton } from "../parts/icon";
import { Markdown } from "../parts/markdown";
import { highlighted } from "../markdown/highlight";
import { t } from "../strings";
import { grouped } from "../words/numbers";
import { outputLines, visible, wholeWords } from "../words/visible";
import type { RowProps } from "./row";

export function Prose({ row, store }: RowProps<ProseRow>) {
  return <Markdown text={row.open ? shownSoFar(row) : row.text} store={store} />;
}

/** A line that may become a fence is held back until it is known. */
function shownSoFar(row: ProseRow): string {
  return /^\s*[`~]{1,}[\w-]*$/.test(row.tail) ? row.text : row.text + wholeWords(row.tail);
}

const MOST_LINES = 300;
/** While code streams in, colours of more than this would be worked out anew in every frame. */
const LONGEST_COLOURED_LIVE = 4_000;

export function Code({ row, store }: RowProps<ProseRow>) {
  const text = row.text + row.tail;
  const { lines, shortened } = outputLines(text);
  const cut = lines.length > MOST_LINES || shortened;
  const shown = lines.slice(0, MOST_LINES).join("\n");
  const coloured = !row.open || text.length < LONGEST_COLOURED_LIVE;
  const html = useMemo(() => (coloured ? highlighted(shown, row.language) : ""), [shown, coloured, row.language]);
  const openAll = () => store.post({ kind: "openText", title: row.language || t("output"), language: row.language, text });
  return (
    <div class="code">
      <div class="code-head">
        <span class="language">{visible(row.language)}</span>
        <span class="code-actions">
          <CopyButton text={text} copy={(all) => store.post({ kind: "copy", text: all })} />
          <IconButton icon="insert" label={t("insert")} onClick={() => store.post({ kind: "insert", text })} />
          <IconButton icon="go-to-file" label={t("open")} onClick={openAll} />
        </span>
      </div>
      <pre tabIndex={0}>{html === "" ? <code>{shown}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}</pre>
      {cut && (
        <button type="button" class="link show-all" onClick={openAll}>
          {t("showAll", grouped(lines.length))}
        </button>
      )}
    </div>
  );
}

function CopyButton({ text, copy }: { text: string; copy: (text: string) => void }) {
  const [done, setDone] = useState(false);
  const label = done ? t("copied") : t("copy");
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={label}
      onClick={() => {
        copy(text);
        setDone(true);
      }}
      onPointerLeave={() => setDone(false)}
    >
      <Icon name={done ? "check" : "copy"} />
    </button>
  );
}
