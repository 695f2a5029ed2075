// The sessions of this workspace: found by words, opened, renamed, deleted.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionEntry } from "../../src/chat/messages";
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { TitleField } from "./header";
import { IconButton } from "./icon";

/** More than anybody scrolls through; the search finds the rest. */
const MOST = 200;

export function Sessions({ store, now }: { store: Store; now: number }) {
  const [words, setWords] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const found = matching(store.sessions ?? [], words);
  return (
    <div
      class="sessions"
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Escape") store.showChat();
        else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
      }}
    >
      <input
        ref={field}
        class="field"
        type="search"
        value={words}
        placeholder={t("searchSessions")}
        aria-label={t("searchSessions")}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <ul class="session-list" aria-label={t("history")}>
        {found.slice(0, MOST).map((entry) => (
          <Entry key={entry.session} entry={entry} store={store} now={now} />
        ))}
      </ul>
      {store.sessions && found.length === 0 && <p class="quiet">{words === "" ? t("noSessions") : t("noMatch")}</p>}
    </div>
  );
}

function matching(sessions: SessionEntry[], words: string): SessionEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return sessions
    .filter(({ title }) => wanted.every((word) => title.toLowerCase().includes(word)))
    .sort((one, other) => other.updated - one.updated);
}

/** Arrow keys go from entry to entry; only one of them is in the tab order at a time. */
function step(event: KeyboardEvent): void {
  const box = event.currentTarget;
  if (!(box instanceof HTMLElement)) return;
  const stops = [...box.querySelectorAll<HTMLElement>(".field, .session-open")];
  const here = stops.findIndex((stop) => stop === document.activeElement);
  const next = stops[here + (event.key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function Entry({ entry, store, now }: { entry: SessionEntry; store: Store; now: number }) {
  const [part, setPart] = useState<"line" | "rename" | "delete">("line");
  const title = oneLine(entry.title === "" ? t("untitled") : entry.title, 160);
  if (part === "rename") {
    const rename = (text: string): void => {
      setPart("line");
      if (text.trim() !== "") store.post({ kind: "renameSession", session: entry.session, title: text.trim() });
    };
    return (
      <li class="session-entry">
        <TitleField title={entry.title} rename={rename} leave={() => setPart("line")} />
      </li>
    );
  }
  if (part === "delete") {
    return (
      <li class="session-entry sure">
        <span class="session-title">{title}</span>
        <button type="button" class="action" onClick={() => store.post({ kind: "deleteSession", session: entry.session })}>
          {t("deleteSure")}
        </button>
        <button type="button" class="action" onClick={() => setPart("line")}>
          {t("cancel")}
        </button>
      </li>
    );
  }
  return (
    <li class={entry.session === store.sessionId ? "session-entry current" : "session-entry"}>
      <button type="button" class="session-open" onClick={() => store.post({ kind: "openSession", session: entry.session })}>
        <span class="session-title">{title}</span>
        <span class="session-detail">{detail(entry, now)}</span>
      </button>
      <span class="session-actions">
        <IconButton icon="edit" label={t("renameSession")} onClick={() => setPart("rename")} />
        <IconButton icon="trash" label={t("deleteSession")} onClick={() => setPart("delete")} />
      </span>
    </li>
  );
}

function detail(entry: SessionEntry, now: number): string {
  const parts = [ago(now - entry.updated)];
  if (entry.messages !== undefined) parts.push(t("messages", entry.messages));
  if (entry.state === "running") parts.push(t("stateRunning"));
  return parts.join(" · ");
}

function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return t("justNow");
  if (minutes < 60) return t("minutesAgo", minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? t("hoursAgo", hours) : t("daysAgo", Math.floor(hours / 24));
}
