// What the view knows: the session folded from its events, and what was said about the editor around it. Changes
// are drawn once per frame, however many there are.
import type {
  Attachment,
  ChatEvent,
  Completion,
  ContextChoice,
  EditorContext,
  FromView,
  ModelEntry,
  SessionEntry,
  Switched,
  ToView,
} from "../src/chat/messages";
import type { ApprovalAnswer, HunkDecision } from "../src/protocol";
import { Announcer } from "./announce";
import { applyAll } from "./state/apply";
import { emptySession, type QuestionRow, type Row, type Session, type ToolRow } from "./state/model";
import { hunksOpen, openAgain } from "./state/questions";
import { touch } from "./state/rows";

/** Kept by the editor while the view is hidden. Everything else comes from the server again. */
export interface Kept {
  session: string | null;
  draft: string;
  /** The row at the top and how far it is scrolled out; missing at the end of the conversation. */
  place?: { row: number; offset: number } | undefined;
}

export interface Editor {
  postMessage(message: FromView): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

export interface Connection {
  state: "starting" | "ready" | "missing" | "stopped";
  message: string;
}

export class Store {
  session: Session = emptySession();
  sessionId: string | null;
  /** Until the first events have come, nothing is known, and nothing is claimed. */
  loading: boolean;
  connection: Connection = { state: "ready", message: "" };
  editorContext: EditorContext = { rules: { activeFile: "auto", selection: "auto" }, examples: [] };
  /** Only what differs from the settings, which may change. */
  switched: Switched = {};
  attachments: readonly Attachment[] = [];
  draft: string;
  pane: "chat" | "sessions" = "chat";
  sessions: SessionEntry[] | undefined;
  models: ModelEntry[] = [];
  /** Of the workspace, so that paths can be said in short. */
  folders: string[] = [];
  /** By which name this window is known where several share a session. */
  window = "";
  failure: string | undefined;
  completions: { id: number; items: Completion[] } = { id: 0, items: [] };
  /** Which rows a person has unfolded or folded. */
  readonly folds = new Map<number, boolean>();
  /** Questions that were answered here and whose end has not come back yet. */
  readonly answering = new Set<number>();
  /** Questions that were answered while this view looked on, and not in it. */
  readonly elsewhere = new Set<number>();
  /** Calls that were stopped here and whose end has not come back yet. */
  readonly stopping = new Set<string>();
  /** Running sub-agents of which somebody wants to see everything. */
  readonly wholeAgents = new Set<number>();
  readonly announcer = new Announcer();
  /** Moves when something outside the conversation has changed. */
  version = 0;
  /** Moves when the conversation begins anew. */
  epoch = 0;
  kept: Kept;
  picker: "model" | "mode" | "attach" | undefined;
  /** Waits for the composer, which knows where the cursor is. */
  toInsert: string | undefined;
  wantsFocus: "composer" | "approval" | undefined;
  /** The draft that the view began with. */
  private readonly restored: string;
  private frame: number | undefined;

  constructor(
    private readonly editor: Editor,
    private readonly draw: () => void,
  ) {
    this.kept = editor.getState() ?? { session: null, draft: "" };
    this.sessionId = this.kept.session;
    this.loading = this.kept.session !== null;
    this.draft = this.kept.draft;
    this.restored = this.kept.draft;
  }

  post(message: FromView): void {
    this.editor.postMessage(message);
  }

  keep(change: Partial<Kept>): void {
    this.kept = { ...this.kept, ...change };
    this.editor.setState(this.kept);
  }

  changed(): void {
    this.version += 1;
    this.redraw();
  }

  /** A change that only the rows know of. */
  redraw(): void {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  hear(message: Exclude<ToView, { kind: "start" }>): void {
    switch (message.kind) {
      case "session":
        this.pane = "chat";
        return this.begin(message.session);
      case "deleted":
        return this.begin(null);
      case "events":
        return this.follow(message.session, message.events, message.replay ? "replayed" : "live");
      case "editor":
        this.editorContext = message.context;
        break;
      case "sessions":
        this.sessions = message.sessions;
        break;
      case "models":
        this.models = message.models;
        this.session.model ??= message.current === "" ? undefined : message.current;
        break;
      case "completions":
        this.completions = { id: message.id, items: message.items };
        break;
      case "attachment":
        this.attach([...this.attachments, message.attachment]);
        break;
      case "composing":
        this.attachments = [...message.attachments, ...this.attachments];
        this.switched = { ...message.switched, ...this.switched };
        break;
      case "failed":
        this.failure = message.message;
        this.answering.clear();
        openAgain(this.session);
        this.goesOn();
        if (message.prompt !== null) this.takeBack(message.prompt.text, message.prompt.attachments);
        break;
      case "openHunks":
        hunksOpen(this.session, message.proposal, message.open);
        break;
      case "connection":
        this.connection = { state: message.state, message: message.message };
        if (message.state !== "ready") this.session.running = undefined;
        break;
      case "setPrompt":
        this.setDraft(message.text);
        this.wantsFocus = "composer";
        break;
      case "insertText":
        this.toInsert = message.text;
        this.wantsFocus = "composer";
        break;
      case "focus":
        this.wantsFocus = message.what;
        break;
      case "showSessions":
        this.showSessions();
        break;
    }
    this.changed();
  }

  /** What would go with a prompt now. */
  get context(): ContextChoice {
    const { rules } = this.editorContext;
    const activeFile = rules.activeFile !== "off" && this.isOn("activeFile");
    // A selection is one of the active file.
    const selection = activeFile && rules.selection !== "off" && this.isOn("selection");
    return { activeFile, selection, openFiles: this.isOn("openFiles"), diagnostics: this.isOn("diagnostics") };
  }

  private isOn(part: keyof ContextChoice): boolean {
    return this.switched[part] ?? this.isUsual(part);
  }

  /** Problems go only where somebody wants them to. */
  private isUsual(part: keyof ContextChoice): boolean {
    if (part === "activeFile" || part === "selection") return this.editorContext.rules[part] === "auto";
    return part === "openFiles";
  }

  switch(part: keyof ContextChoice, on: boolean): void {
    this.turn(part, on);
    if (part === "selection" && on) this.turn("activeFile", true);
    this.post({ kind: "switched", switched: this.switched });
    this.changed();
  }

  private turn(part: keyof ContextChoice, on: boolean): void {
    const { [part]: _before, ...others } = this.switched;
    this.switched = on === this.isUsual(part) ? others : { ...others, [part]: on };
  }

  /** What is only sent when asked for is asked for each time. */
  askAgain(): void {
    const { activeFile, selection } = this.editorContext.rules;
    const before = this.switched;
    if (activeFile === "ask") this.turn("activeFile", false);
    if (selection === "ask") this.turn("selection", false);
    if (this.switched !== before) this.post({ kind: "switched", switched: this.switched });
  }

  attach(attachments: readonly Attachment[]): void {
    this.attachments = attachments;
    this.post({ kind: "attached", attachments: [...attachments] });
    this.changed();
  }

  /** A prompt that was not taken stands before what was written since. */
  private takeBack(text: string, attachments: readonly Attachment[]): void {
    if (attachments.length > 0) this.attach([...attachments, ...this.attachments]);
    this.setDraft(this.draft === "" ? text : `${text}\n\n${this.draft}`);
  }

  setDraft(text: string): void {
    this.draft = text;
    this.keep({ draft: text });
    this.changed();
  }

  /** The editor keeps a draft a little late: one that came back with the view may have been sent meanwhile. */
  private dropSent(events: readonly ChatEvent[]): void {
    const isSent = events.some((event) => event.kind === "turnStarted" && event.prompt === this.restored);
    if (isSent && this.draft === this.restored) this.setDraft("");
  }

  showSessions(): void {
    this.pane = "sessions";
    this.post({ kind: "listSessions" });
    this.changed();
  }

  showChat(): void {
    this.pane = "chat";
    this.changed();
  }

  openPicker(picker: "model" | "mode" | "attach" | undefined): void {
    this.picker = picker;
    this.changed();
  }

  /** Once: a key that is held down says the same again and again. */
  answer(approval: number, answer: ApprovalAnswer): void {
    if (this.answering.has(approval)) return;
    this.answering.add(approval);
    this.post({ kind: "answer", approval, answer });
    for (const row of this.session.questions) if (row.question.number === approval) touch(row);
    this.wantsFocus = "composer";
    this.changed();
  }

  /** Some hunks of a proposed edit; the rest of them waits. */
  decide(row: QuestionRow, hunks: number[], decision: HunkDecision): void {
    for (const hunk of hunks) row.decisions.set(hunk, decision);
    touch(row);
    this.post({ kind: "decideHunks", proposal: row.question.number, hunks, decision });
    this.changed();
  }

  isOpen(row: number): boolean | undefined {
    return this.folds.get(row);
  }

  fold(row: Row, open: boolean): void {
    this.folds.set(row.key, open);
    touch(row);
    this.redraw();
  }

  showWholeAgent(row: ToolRow): void {
    this.wholeAgents.add(row.key);
    touch(row);
    this.redraw();
  }

  /** The turn goes on without it. */
  stopCall(row: ToolRow): void {
    if (this.stopping.has(row.call)) return;
    this.stopping.add(row.call);
    this.post({ kind: "stopCall", call: row.call });
    touch(row);
    this.redraw();
  }

  /** What was to be stopped could not be. */
  private goesOn(): void {
    for (const call of this.stopping) {
      const row = this.session.index.calls.get(call);
      if (row) touch(row);
    }
    this.stopping.clear();
  }

  private begin(session: string | null): void {
    const known = this.session;
    this.session = emptySession();
    // Which model answers is known before a session says so.
    if (session === null) this.session.model = known.model;
    if (session !== this.kept.session) this.keep({ session, place: undefined });
    this.sessionId = session;
    this.loading = session !== null;
    this.failure = undefined;
    this.epoch += 1;
    this.folds.clear();
    this.answering.clear();
    this.elsewhere.clear();
    this.stopping.clear();
    this.wholeAgents.clear();
    this.announcer.reset();
    this.changed();
  }

  private follow(session: string, events: ChatEvent[], when: "live" | "replayed"): void {
    if (session !== this.sessionId) return;
    this.loading = false;
    const before = this.session.version;
    applyAll(this.session, events);
    if (when === "live") this.announcer.hear(events);
    else this.dropSent(events);
    for (const event of events) {
      if (event.kind === "toolEnded") this.stopping.delete(event.call);
      if (event.kind !== "approvalEnded") continue;
      if (!this.answering.delete(event.approval) && when === "live") this.elsewhere.add(event.approval);
      else this.elsewhere.delete(event.approval);
    }
    for (const event of events) if (event.kind === "editDecided") this.answering.delete(event.proposal);
    // What was refused leaves its question open.
    if (when === "live" && events.some((event) => event.kind === "refused")) {
      this.answering.clear();
      for (const row of this.session.questions) touch(row);
      this.goesOn();
    }
    if (this.session.version === before) this.redraw();
    else this.changed();
  }
}
