// Stops one call, and lets the turn go on.
import type { VNode } from "preact";
import type { ToolRow } from "../state/model";
import { callOf } from "../state/questions";
import type { Store } from "../store";
import { IconButton } from "../parts/icon";
import { t } from "../strings";
import { oneLine } from "../words/visible";

/** A call that waits for a person does not run yet: its question is what can be turned down. */
function canStop(row: ToolRow, store: Store): boolean {
  return row.state === "running" && !store.session.questions.some(({ question }) => callOf(question) === row.call);
}

export function stopButton(row: ToolRow, store: Store): VNode | undefined {
  if (!canStop(row, store)) return undefined;
  const stop = (event: MouseEvent): void => {
    // The button goes with the call, and the focus must not go with the button.
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.parentElement?.querySelector<HTMLElement>(".fold-line")?.focus();
    store.stopCall(row);
  };
  return <IconButton icon="stop-circle" label={t("stopCall", oneLine(row.title, 80))} onClick={stop} disabled={store.stopping.has(row.call)} />;
}

/** On the line of the call or its button. */
export function stopByKey(event: KeyboardEvent, row: ToolRow, store: Store): void {
  if (event.key !== "Delete" && event.key !== "Backspace") return;
  if (event.isComposing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const line = event.target instanceof HTMLElement ? event.target.closest(".fold-line, .icon-button") : null;
  if (!line || line.closest(".tool") !== event.currentTarget || !canStop(row, store)) return;
  store.stopCall(row);
  event.preventDefault();
}
