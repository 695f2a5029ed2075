// What the model thought: one line, until somebody wants to know.
import type { ThoughtRow } from "../state/model";
import { Markdown } from "../parts/markdown";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { Fold } from "./fold";
import type { RowProps } from "./row";

const LONGEST = 20_000;

export function Thought({ row, store }: RowProps<ThoughtRow>) {
  const open = store.isOpen(row.key) ?? false;
  const line = (
    <span class="line-text quiet">
      {t("thought")} · {oneLine(row.subject, 160)}
    </span>
  );
  return (
    <Fold open={open} onToggle={(now) => store.fold(row, now)} line={line} class="thought">
      {() => <Markdown text={row.text.slice(-LONGEST)} store={store} />}
    </Fold>
  );
}
