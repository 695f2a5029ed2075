// Where a person writes. Enter queues or sends, with Ctrl or Cmd it steers the running turn, Escape stops it.
import { Component, createRef } from "preact";
import type { Completion } from "../../src/chat/messages";
import type { SessionMode } from "../../src/protocol";
import { Icon, IconButton } from "../parts/icon";
import type { Store } from "../store";
import { t } from "../strings";
import { keyboard } from "../words/keyboard";
import { oneLine } from "../words/visible";
import { Chips } from "./chips";
import { imagesIn, pathsIn, readImage } from "./images";
import { Menu, MenuItems, stepOf } from "./menu";
import { Meter } from "./meter";
import { MODES, modeName } from "./modes";
import { replaced, triggerAt, type Trigger } from "./trigger";

interface Props {
  store: Store;
  version: number;
  walk: (step: -1 | 1) => void;
}

interface Suggesting {
  at: Trigger;
  id: number;
  place: number;
}

const COMPLETION_ICONS: Record<Completion["kind"], string> = {
  command: "symbol-event",
  file: "file",
  folder: "folder",
  symbol: "symbol-method",
};

export class Composer extends Component<Props, { suggesting: Suggesting | undefined }> {
  override state: { suggesting: Suggesting | undefined } = { suggesting: undefined };
  private readonly field = createRef<HTMLTextAreaElement>();
  private asked = 0;

  override shouldComponentUpdate(next: Props, state: { suggesting: Suggesting | undefined }): boolean {
    return next.version !== this.props.version || state !== this.state;
  }

  override componentDidMount(): void {
    this.grow();
  }

  override componentDidUpdate(): void {
    this.grow();
    const { store } = this.props;
    if (store.toInsert !== undefined) this.insert(store.toInsert);
    if (store.wantsFocus === "composer") {
      store.wantsFocus = undefined;
      this.focus();
    }
  }

  focus(): void {
    this.field.current?.focus();
  }

  private insert(text: string): void {
    const { store } = this.props;
    const field = this.field.current;
    store.toInsert = undefined;
    if (!field) return;
    const from = field.selectionStart;
    const before = store.draft.slice(0, from);
    const words = (before === "" || /\s$/.test(before) ? "" : " ") + text + " ";
    field.value = before + words + store.draft.slice(field.selectionEnd);
    field.setSelectionRange(from + words.length, from + words.length);
    store.setDraft(field.value);
  }

  private grow(): void {
    const field = this.field.current;
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, Math.max(120, window.innerHeight * 0.4))}px`;
  }

  private send(how: "queue" | "steer"): void {
    const { store } = this.props;
    const text = store.draft.trim();
    if (text === "" && store.attachments.length === 0) return;
    store.post({ kind: "prompt", how, text, attachments: [...store.attachments], context: store.context });
    if (store.attachments.length > 0) store.attach([]);
    store.askAgain();
    store.failure = undefined;
    this.setState({ suggesting: undefined });
    store.setDraft("");
  }

  private readonly onInput = (): void => {
    const field = this.field.current;
    if (!field) return;
    this.props.store.setDraft(field.value);
    this.suggest(field);
  };

  private suggest(field: HTMLTextAreaElement): void {
    const at = triggerAt(field.value, field.selectionStart);
    if (!at) {
      if (this.state.suggesting) this.setState({ suggesting: undefined });
      return;
    }
    this.asked += 1;
    this.setState({ suggesting: { at, id: this.asked, place: 0 } });
    this.props.store.post({ kind: "complete", id: this.asked, trigger: at.trigger, query: at.query });
  }

  /** Until the answer to the last letter comes, what still fits of the one before: Enter may be faster. */
  private suggestions(): Completion[] {
    const now = this.state.suggesting;
    if (!now) return [];
    const { id, items } = this.props.store.completions;
    const query = now.at.query.toLowerCase();
    return id === now.id ? items : items.filter((item) => item.insert.toLowerCase().includes(query));
  }

  private take(item: Completion | undefined): void {
    const field = this.field.current;
    const at = this.state.suggesting?.at;
    if (!field || !at || !item) return;
    const next = replaced(field.value, at, item.insert);
    field.value = next.text;
    field.setSelectionRange(next.cursor, next.cursor);
    this.props.store.completions = { id: 0, items: [] };
    this.setState({ suggesting: undefined });
    this.props.store.setDraft(next.text);
  }

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, its keys are its own.
    if (event.isComposing) return;
    if (this.suggestionKey(event) || this.ownKey(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  private suggestionKey(event: KeyboardEvent): boolean {
    const items = this.suggestions();
    const now = this.state.suggesting;
    if (!now || items.length === 0) return false;
    const step = stepOf(event.key);
    if (step !== 0) this.setState({ suggesting: { ...now, place: (now.place + step + items.length) % items.length } });
    else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey) || event.key === "Tab") this.take(items[now.place]);
    else if (event.key === "Escape") this.setState({ suggesting: undefined });
    else return false;
    return true;
  }

  private ownKey(event: KeyboardEvent): boolean {
    const { store, walk } = this.props;
    if (event.key === "Enter" && !event.shiftKey) this.send(event.ctrlKey || event.metaKey ? "steer" : "queue");
    else if (event.key === "Escape" && store.session.running !== undefined) store.post({ kind: "stop" });
    else if (event.altKey && stepOf(event.key) !== 0) walk(stepOf(event.key) === 1 ? 1 : -1);
    else if (event.key === "ArrowUp" && store.draft === "") return this.recall();
    else return false;
    return true;
  }

  /** A queued prompt is taken back to be edited; else the last one is written again. */
  private recall(): boolean {
    const { store } = this.props;
    const waiting = store.session.queue.at(-1);
    if (waiting) store.post({ kind: "unqueue", id: waiting.id });
    const last = store.session.lastPrompt;
    const wanted = waiting ?? last;
    if (wanted === undefined) return false;
    // Whoever looks at the last prompt twice does not attach everything twice.
    const isWanted = waiting !== undefined || store.attachments.length === 0;
    if (wanted.attachments.length > 0 && isWanted) {
      store.post({ kind: "attachAgain", prompt: waiting ? { kind: "queued", id: waiting.id } : { kind: "turn", turn: last?.turn ?? 0 } });
    }
    store.setDraft(wanted.text);
    return true;
  }

  private readonly onPaste = (event: ClipboardEvent): void => {
    const images = imagesIn(event.clipboardData);
    if (images.length === 0) return;
    event.preventDefault();
    void this.attach(images);
  };

  private readonly onDrop = (event: DragEvent): void => {
    const images = imagesIn(event.dataTransfer);
    const paths = pathsIn(event.dataTransfer);
    if (images.length === 0 && paths.length === 0) return;
    event.preventDefault();
    void this.attach(images);
    for (const path of paths) this.props.store.post({ kind: "mention", uri: path });
  };

  private async attach(images: File[]): Promise<void> {
    const { store } = this.props;
    for (const image of images) {
      const read = await readImage(image);
      if (typeof read !== "string") store.attach([...store.attachments, read]);
      else store.failure = t(read, oneLine(image.name, 60));
      store.changed();
    }
  }

  override render({ store }: Props) {
    const { session } = store;
    const running = session.running !== undefined;
    const items = this.suggestions();
    const steerKey = keyboard() === "mac" ? "⌘⏎" : "Ctrl+⏎";
    const empty = store.draft.trim() === "" && store.attachments.length === 0;
    return (
      <div class="composer" onDrop={this.onDrop} onDragOver={(event) => event.preventDefault()}>
        {this.pickers()}
        {items.length > 0 && (
          <div class="menu" id="suggestions" role="listbox" aria-label={t("completions")}>
            <MenuItems
              items={items.map((item, place) => ({ id: String(place), label: item.label, hint: item.detail, icon: COMPLETION_ICONS[item.kind] }))}
              place={this.state.suggesting?.place ?? 0}
              take={(id) => this.take(items[Number(id)])}
            />
          </div>
        )}
        <div class="composer-box">
          <Chips store={store} />
          <textarea
            ref={this.field}
            rows={1}
            value={store.draft}
            placeholder={running ? t("askRunning", steerKey) : t("ask")}
            aria-label={t("composer")}
            aria-autocomplete="list"
            aria-controls={items.length > 0 ? "suggestions" : undefined}
            aria-activedescendant={items.length > 0 ? `item-${this.state.suggesting?.place ?? 0}` : undefined}
            spellcheck={false}
            onInput={this.onInput}
            onKeyDown={this.onKeyDown}
            onPaste={this.onPaste}
            onBlur={() => this.setState({ suggesting: undefined })}
          />
          <div class="composer-foot">
            <PickerButton label={t("model")} text={session.model ?? t("model")} open={() => store.openPicker("model")} />
            <PickerButton label={t("mode")} text={modeName(session.mode)} open={() => store.openPicker("mode")} />
            <span class="space" />
            <Meter session={session} />
            {running && empty ? (
              <IconButton icon="debug-stop" label={t("stop")} onClick={() => store.post({ kind: "stop" })} />
            ) : (
              <IconButton icon="send" label={running ? t("queueIt") : t("send")} disabled={empty} onClick={() => this.send("queue")} />
            )}
          </div>
        </div>
      </div>
    );
  }

  private pickers() {
    const { store } = this.props;
    const leave = (): void => {
      store.openPicker(undefined);
    };
    const done = (): void => {
      store.wantsFocus = "composer";
      leave();
    };
    switch (store.picker) {
      case undefined:
        return null;
      case "model":
        return (
          <Menu
            label={t("model")}
            items={store.models.map((model) => ({ id: model.id, label: model.label, hint: model.description ?? "" }))}
            current={store.session.model}
            take={(model) => {
              store.post({ kind: "model", model });
              done();
            }}
            leave={leave}
          />
        );
      case "mode":
        return (
          <Menu
            label={t("mode")}
            items={MODES.map(({ mode, name, hint }) => ({ id: mode, label: t(name), hint: t(hint) }))}
            current={store.session.mode}
            take={(id) => {
              const mode: SessionMode | undefined = MODES.find((one) => one.mode === id)?.mode;
              if (mode) store.post({ kind: "mode", mode });
              done();
            }}
            leave={leave}
          />
        );
      case "attach":
        return (
          <Menu
            label={t("attach")}
            items={[
              { id: "file", label: t("attachFile"), hint: "@", icon: "file" },
              { id: "terminal", label: t("attachTerminal"), hint: "", icon: "terminal" },
              { id: "gitDiff", label: t("attachDiff"), hint: "", icon: "git-compare" },
            ]}
            take={(what) => {
              if (what === "file" || what === "terminal" || what === "gitDiff") store.post({ kind: "attach", what });
              done();
            }}
            leave={leave}
          />
        );
    }
  }
}

function PickerButton({ label, text, open }: { label: string; text: string; open: () => void }) {
  return (
    <button type="button" class="picker" title={label} aria-label={`${label}: ${text}`} aria-haspopup="listbox" onClick={open}>
      <span class="picker-text">{oneLine(text, 40)}</span>
      <Icon name="chevron-down" />
    </button>
  );
}
