// Prompts that wait for their turn: edited, moved and taken back where they stand.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { QueuedPrompt } from "../state/model";
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { Icon, IconButton } from "./icon";

export function Queue({ store }: { store: Store }) {
  const { queue, running } = store.session;
  if (queue.length === 0) return null;
  return (
    <div class="queue" role="list" aria-label={t("queued")}>
      {queue.map((prompt, place) => (
        <Waiting key={prompt.id} store={store} prompt={prompt} place={place} last={queue.length - 1} />
      ))}
      {running === undefined && (
        <button type="button" class="action" onClick={() => store.post({ kind: "releaseQueue" })}>
          {t("sendQueued", queue.length)}
        </button>
      )}
    </div>
  );
}

interface Props {
  store: Store;
  prompt: QueuedPrompt;
  place: number;
  last: number;
}

function Waiting({ store, prompt, place, last }: Props) {
  const [editing, setEditing] = useState(false);
  const move = (to: number): void => store.post({ kind: "moveQueued", id: prompt.id, place: to });
  if (editing) return <Edit store={store} prompt={prompt} leave={() => setEditing(false)} />;
  return (
    <div class="queued" role="listitem" title={t("queued")}>
      <Icon name="clock" />
      <span class="line-text">{oneLine(prompt.text, 200)}</span>
      {place > 0 && <IconButton icon="arrow-up" label={t("moveUp")} onClick={() => move(place - 1)} />}
      {place < last && <IconButton icon="arrow-down" label={t("moveDown")} onClick={() => move(place + 1)} />}
      <IconButton icon="edit" label={t("editQueued")} onClick={() => setEditing(true)} />
      <IconButton icon="close" label={t("unqueue")} onClick={() => store.post({ kind: "unqueue", id: prompt.id })} />
    </div>
  );
}

function Edit({ store, prompt, leave }: { store: Store; prompt: QueuedPrompt; leave: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const done = (text: string): void => {
    if (text.trim() !== "" && text !== prompt.text) store.post({ kind: "editQueued", id: prompt.id, text });
    leave();
  };
  return (
    <textarea
      ref={field}
      class="field"
      rows={3}
      aria-label={t("editQueued")}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Escape") leave();
        else if (event.key === "Enter" && !event.shiftKey) done(event.currentTarget.value);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onBlur={(event) => done(event.currentTarget.value)}
    >
      {prompt.text}
    </textarea>
  );
}
