// The title of the session, which can be changed where it stands. The view's own buttons are in its title bar.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { Icon, IconButton } from "./icon";

export function Header({ store }: { store: Store }) {
  const [renaming, setRenaming] = useState(false);
  const { sessionId, session } = store;
  if (store.pane === "sessions") {
    return (
      <header class="header">
        <IconButton icon="arrow-left" label={t("back")} onClick={() => store.showChat()} />
        <span class="title-text">{t("history")}</span>
      </header>
    );
  }
  if (sessionId === null) return null;
  const title = session.title ?? t("untitled");
  const rename = (text: string): void => {
    setRenaming(false);
    if (text.trim() !== "" && text !== title) store.post({ kind: "renameSession", session: sessionId, title: text.trim() });
  };
  return (
    <header class="header">
      {renaming ? (
        <TitleField title={title} rename={rename} leave={() => setRenaming(false)} />
      ) : (
        <button type="button" class="title" title={t("history")} aria-haspopup="true" onClick={() => store.showSessions()}>
          <span class="title-text">{oneLine(title, 120)}</span>
          <Icon name="chevron-down" />
        </button>
      )}
      {!renaming && <IconButton icon="edit" label={t("renameSession")} onClick={() => setRenaming(true)} />}
    </header>
  );
}

interface TitleFieldProps {
  title: string;
  rename: (text: string) => void;
  leave: () => void;
}

export function TitleField({ title, rename, leave }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      class="field"
      defaultValue={title}
      aria-label={t("renameSession")}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") rename(event.currentTarget.value);
        else if (event.key === "Escape") leave();
        else if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        // No other key: those of the editor around have to get there.
        event.stopPropagation();
      }}
      onBlur={leave}
    />
  );
}
