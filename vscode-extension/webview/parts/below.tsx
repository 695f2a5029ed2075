// Between the conversation and the composer: the steps, what waits, and what happens now.
import { useEffect, useState } from "preact/hooks";
import type { TodoItem } from "../../src/protocol";
import type { Doing, RetryWait } from "../state/model";
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { Icon, IconButton } from "./icon";
import { Queue } from "./queue";

export function Below({ store }: { store: Store }) {
  const { session } = store;
  const waits = session.questions.length > 0;
  return (
    <div class="below">
      <Todos todos={session.todos} running={session.running !== undefined ? "running" : "idle"} />
      <Queue store={store} />
      {session.retry && !waits && <Retrying retry={session.retry} store={store} />}
      {session.doing && (!session.retry || waits) && <Activity doing={waits ? { what: "waiting", words: "", serial: -1 } : session.doing} />}
      {store.connection.state !== "ready" && <Lost store={store} />}
      {store.failure !== undefined && (
        <div class="problem" role="alert">
          <Icon name="warning" />
          <span class="note-text">{oneLine(store.failure)}</span>
          <IconButton
            icon="close"
            label={t("remove")}
            onClick={() => {
              store.failure = undefined;
              store.changed();
            }}
          />
        </div>
      )}
    </div>
  );
}

const BOXES: Record<TodoItem["status"], string> = {
  completed: "pass",
  inProgress: "record",
  pending: "circle-large",
  cancelled: "circle-slash",
  blocked: "warning",
};

function Todos({ todos, running }: { todos: TodoItem[]; running: "running" | "idle" }) {
  const [open, setOpen] = useState(false);
  const done = todos.filter((todo) => todo.status === "completed" || todo.status === "cancelled").length;
  // Steps that are all done are no news once the turn is over.
  if (todos.length === 0 || (running === "idle" && done === todos.length)) return null;
  const now = todos.find((todo) => todo.status === "inProgress") ?? todos.find((todo) => todo.status === "pending");
  return (
    <div class="todos">
      <button type="button" class="fold-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "chevron-down" : "chevron-right"} />
        <span class="line-text">{open || !now ? t("todo") : oneLine(now.description, 120)}</span>
        <span class="line-end">{t("steps", done, todos.length)}</span>
      </button>
      {open && (
        <ul class="todo-list">
          {todos.map((todo, place) => (
            <li key={place} class={`todo ${todo.status}`}>
              <Icon name={BOXES[todo.status]} />
              <span>{oneLine(todo.description)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Says what happens, and for how long: never a bare spinner. */
function Activity({ doing }: { doing: Doing }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    const started = performance.now();
    const timer = setInterval(() => setSeconds(Math.round((performance.now() - started) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, [doing.serial]);
  const words = activityWords(doing);
  return (
    <div class="activity">
      <span class="pulse" aria-hidden="true" />
      <span class="line-text">{seconds === 0 || doing.what === "waiting" ? words : t("seconds", words, seconds)}</span>
    </div>
  );
}

/** Why and how long the request waits, and what may be done meanwhile. */
function Retrying({ retry, store }: { retry: RetryWait; store: Store }) {
  const [left, setLeft] = useState(secondsLeft(retry));
  useEffect(() => {
    setLeft(secondsLeft(retry));
    const timer = setInterval(() => setLeft(secondsLeft(retry)), 250);
    return () => clearInterval(timer);
  }, [retry]);
  const reason = oneLine(retry.reason, 300);
  return (
    <div class="problem retrying">
      <Icon name="sync" />
      <span class="note-text">
        {left === undefined ? t("retryWaits", retry.attempt, retry.attempts, reason) : t("retryIn", left, retry.attempt, retry.attempts, reason)}
      </span>
      <button type="button" class="action" onClick={() => store.post({ kind: "retryNow" })}>
        {t("retryNow")}
      </button>
      <button type="button" class="action" onClick={() => store.post({ kind: "stop" })}>
        {t("stop")}
      </button>
    </div>
  );
}

function secondsLeft({ at }: RetryWait): number | undefined {
  return at === undefined ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

function activityWords(doing: Doing): string {
  switch (doing.what) {
    case "tool":
      return oneLine(doing.words, 80);
    case "thinking":
      return doing.words === "" ? t("thinking") : oneLine(doing.words, 80);
    case "writing":
      return t("writing");
    case "retrying":
      return t("retrying");
    case "waiting":
      return t("waiting");
  }
}

function Lost({ store }: { store: Store }) {
  const { state, message } = store.connection;
  if (state === "starting") {
    return (
      <div class="activity">
        <span class="pulse" aria-hidden="true" />
        <span class="line-text">{t("connecting")}</span>
      </div>
    );
  }
  return (
    <div class="problem lost" role="alert">
      <Icon name="warning" />
      <span class="note-text">
        {state === "missing" ? t("missing") : t("ended")} {oneLine(message)}
      </span>
      <button type="button" class="action" onClick={() => store.post({ kind: "go", place: state === "missing" ? "settings" : "restart" })}>
        {state === "missing" ? t("openSettings") : t("restart")}
      </button>
    </div>
  );
}
