// One row of the conversation. Drawn again only when it has changed.
import { Component } from "preact";
import type { Row } from "../state/model";
import type { Store } from "../store";
import { Agent } from "./agent";
import { CommandAnswer } from "./commandAnswer";
import { Edits } from "./edits";
import { Failure } from "./failure";
import { Note } from "./note";
import { Code, Prose } from "./prose";
import { Prompt } from "./prompt";
import { QuestionCard } from "./question";
import { Sources } from "./sources";
import { Thought } from "./thought";
import { Tool } from "./tool";

export interface RowProps<R extends Row> {
  row: R;
  store: Store;
}

interface Props extends RowProps<Row> {
  /** The props are the same object while the row changes: these tell whether it has. */
  version: number;
  open: boolean | undefined;
  answering: boolean;
}

export class RowView extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const { row, version, open, answering } = this.props;
    return row !== next.row || version !== next.version || open !== next.open || answering !== next.answering;
  }

  override render({ row, store }: Props) {
    switch (row.kind) {
      case "prompt":
        return <Prompt row={row} store={store} />;
      case "prose":
        return <Prose row={row} store={store} />;
      case "code":
        return <Code row={row} store={store} />;
      case "thought":
        return <Thought row={row} store={store} />;
      case "tool":
        return row.activity === "agent" || row.inside.length > 0 ? <Agent row={row} store={store} /> : <Tool row={row} store={store} />;
      case "edits":
        return <Edits row={row} store={store} />;
      case "question":
        return <QuestionCard row={row} store={store} />;
      case "note":
        return <Note row={row} store={store} />;
      case "sources":
        return <Sources row={row} store={store} />;
      case "commandAnswer":
        return <CommandAnswer row={row} store={store} />;
      case "error":
        return <Failure row={row} store={store} />;
    }
  }
}
