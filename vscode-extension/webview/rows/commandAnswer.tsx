// What a slash command answered, without a model.
import type { AnswerRow } from "../state/model";
import { Markdown } from "../parts/markdown";
import { oneLine } from "../words/visible";
import type { RowProps } from "./row";

const LONGEST = 40_000;

export function CommandAnswer({ row, store }: RowProps<AnswerRow>) {
  return (
    <div class="command-answer">
      <div class="caption">/{oneLine(row.command.replace(/^\//, ""), 60)}</div>
      <Markdown text={row.text.slice(0, LONGEST)} store={store} />
    </div>
  );
}
