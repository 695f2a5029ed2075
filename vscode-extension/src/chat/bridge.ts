// Between the view and the server. All that is kept here is which session is looked at: the view is rebuilt from
// the server's events whenever it comes back.
import type { PromptAttachment, PromptName, SessionEventsParams, SessionMode } from "../protocol";
import type { Review } from "../review/review";
import type { Server, ServerState } from "../server/server";
import { completions } from "./completions";
import type { Composing } from "./composing";
import type { Desk } from "./desk";
import type { Attachment, Completion, ContextChoice, ContextRules, FromView, ToView } from "./messages";
import { Proposals } from "./proposals";

export interface BridgeParts {
  server: Server;
  review: Pick<Review, "reviewTurn" | "keepAll" | "rejectAll" | "decideFile" | "undoTurn" | "proposedIn" | "decideHunk" | "draft">;
  desk: Desk;
  post: (message: ToView) => void;
  strings: () => Record<string, string>;
  words: Words;
  memory: Memory;
  composing: Composing;
  /** How a new session decides about edits. */
  startsWith: () => SessionMode;
  /** A session is no longer looked at. */
  left: (session: string) => void;
}

/** What is said here, in the language of the editor. */
export interface Words {
  noSession: string;
  turn: (turn: number) => string;
}

/** Which session was shown, for a window that is opened again. The view's own memory does not outlive every reload. */
export interface Memory {
  recall(): string | undefined;
  keep(session: string | undefined): void;
}

type Prompt = Extract<FromView, { kind: "prompt" }>;
type Retry = Extract<FromView, { kind: "retry" }>;
type Decided = Extract<FromView, { kind: "decideHunks" }>;

export class Bridge {
  /** The session that is shown. */
  #session: string | undefined;
  /** Bumped with every change of session: what was asked for an older one is no longer wanted. */
  #epoch = 0;
  /** While a session is followed anew, what still comes belongs to the past. */
  #deaf = true;
  /** Whether the session has been shown from its first event since it is followed. */
  #shown = false;
  readonly #proposals = new Proposals();
  /** One start for all prompts that come before there is a session. */
  #starting: Promise<string> | undefined;
  #lost = false;
  /** Sessions in which a turn runs. One that is left is followed until it ends: it may still ask something. */
  readonly #running = new Set<string>();

  constructor(private readonly parts: BridgeParts) {}

  get session(): string | undefined {
    return this.#session;
  }

  hear(message: FromView): void {
    const prompt = message.kind === "prompt" ? { text: message.text, attachments: message.attachments } : null;
    this.#tellFailure(this.#act(message), prompt);
  }

  #tellFailure(work: Promise<void>, prompt: Pick<Prompt, "text" | "attachments"> | null): void {
    work.catch((problem: unknown) => {
      const reason = problem instanceof Error ? problem.message : String(problem);
      this.parts.post({ kind: "failed", message: reason, prompt });
    });
  }

  events(message: SessionEventsParams): void {
    const { session, events, past } = message;
    this.#noteTurns(message);
    if (this.#deaf || session !== this.#session) return;
    if (events[0]?.kind === "opened") {
      // A new host shows it from its first event again: what is on the screen would be there twice.
      if (this.#shown) this.parts.post({ kind: "session", session });
      this.#shown = true;
    }
    this.parts.post({ kind: "events", session, events, replay: past });
    this.#proposals.hear(events);
    this.reviewMoved();
  }

  /** Hunks have come or gone, perhaps some that the chat asks about. */
  reviewMoved(): void {
    const { review, post } = this.parts;
    for (const news of this.#proposals.news((path) => review.proposedIn(path))) post({ kind: "openHunks", ...news });
  }

  #noteTurns({ session, events }: SessionEventsParams): void {
    const turns = events.filter(({ kind }) => kind === "turnStarted" || kind === "turnEnded");
    const last = turns.at(-1);
    if (last?.kind === "turnStarted") this.#running.add(session);
    else if (last !== undefined && this.#running.delete(session) && session !== this.#session) this.#unfollow(session);
  }

  /** A server that comes back knows the sessions by their records. */
  connection(state: ServerState): void {
    const message = state.kind === "stopped" ? state.reason : "";
    this.parts.post({ kind: "connection", state: state.kind, message });
    if (state.kind !== "ready") {
      this.#lost = true;
      this.#running.clear();
    } else if (this.#lost) {
      this.#lost = false;
      this.#tellFailure(this.#begin(), null);
    }
  }

  editorMoved(): void {
    this.parts.post({ kind: "editor", context: this.parts.desk.context() });
  }

  newSession(): void {
    this.#leave();
    this.parts.post({ kind: "session", session: null });
    this.parts.post({ kind: "focus", what: "composer" });
  }

  /** Shows a session that may only be recorded. */
  async resume(id: string): Promise<void> {
    const epoch = ++this.#epoch;
    const { session } = await this.parts.server.request("pollux/sessionResume", { session: id });
    if (epoch === this.#epoch) await this.#follow(session);
  }

  async #act(message: FromView): Promise<void> {
    const { server, review, desk, post } = this.parts;
    switch (message.kind) {
      case "ready":
        await Promise.all([this.#begin(), this.#recall()]);
        return;
      case "keyboard":
        desk.learnKeyboard(message.keyboard);
        return;
      case "prompt":
        return this.#prompt(message);
      case "retry":
        return this.#retry(message);
      case "attachAgain":
        return this.#attachAgain(message.prompt);
      case "attached":
        this.parts.composing.attach(message.attachments);
        return;
      case "switched":
        this.parts.composing.switch(message.switched);
        return;
      case "unqueue":
        await server.request("pollux/promptUnqueue", { session: this.#open(), id: message.id });
        return;
      case "editQueued":
        await server.request("pollux/promptEdit", { session: this.#open(), id: message.id, text: message.text });
        return;
      case "moveQueued":
        await server.request("pollux/promptMove", { session: this.#open(), id: message.id, place: message.place });
        return;
      case "releaseQueue":
        await server.request("pollux/queueRelease", { session: this.#open() });
        return;
      case "stop":
        await server.request("pollux/turnCancel", { session: this.#open() });
        return;
      case "retryNow":
        await server.request("pollux/retryNow", { session: this.#open() });
        return;
      case "stopCall":
        await server.request("pollux/callStop", { session: this.#open(), call: message.call });
        return;
      case "answer":
        await server.request("pollux/approvalAnswer", { session: this.#open(), approval: message.approval, answer: message.answer });
        return;
      case "decideHunks":
        return this.#decide(message);
      case "editProposal":
        return this.#draft(message.proposal);
      case "mode":
        await server.request("pollux/modeSet", { session: await this.#opened(), mode: message.mode });
        return;
      case "model":
        await server.request("pollux/modelSet", { session: await this.#opened(), model: message.model });
        return;
      case "newSession":
        this.newSession();
        return;
      case "listSessions":
        return this.#list();
      case "openSession":
        return this.resume(message.session);
      case "renameSession":
        await server.request("pollux/sessionRename", { session: message.session, title: message.title });
        return this.#list();
      case "deleteSession":
        return this.#delete(message.session);
      case "complete":
        post({ kind: "completions", id: message.id, items: await this.#completions(message.trigger, message.query) });
        return;
      case "mention":
        post({ kind: "insertText", text: desk.mention(message.uri) });
        return;
      case "attach": {
        const attached = await desk.attach(message.what);
        if (attached === undefined) return;
        if ("mention" in attached) post({ kind: "insertText", text: attached.mention });
        else post({ kind: "attachment", attachment: attached });
        return;
      }
      case "openFile":
        return desk.openFile(message.path, message.line);
      case "openHunk":
        return desk.openHunk(message.path);
      case "openText":
        return desk.openText(message.title, message.language, message.text);
      case "openOutput": {
        const { text } = await server.request("pollux/toolOutput", { session: this.#open(), call: message.call });
        return desk.openText(message.title, "log", text);
      }
      case "openLink":
        return desk.openLink(message.href);
      case "showSent": {
        const { text } = await server.request("pollux/contextShow", { session: this.#open(), turn: message.turn });
        return desk.openText(this.parts.words.turn(message.turn), "markdown", text);
      }
      case "reviewTurn":
        return review.reviewTurn(this.#turn(message.turn));
      case "decideTurn":
        return message.decision === "keep" ? review.keepAll(this.#turn(message.turn)) : review.rejectAll(this.#turn(message.turn));
      case "decideFile":
        return review.decideFile(message.path, this.#turn(message.turn), message.decision);
      case "undoTurn":
        return review.undoTurn(this.#turn(message.turn));
      case "rewind": {
        const { prompt } = await server.execute("pollux.rewind", { session: this.#open(), turn: message.turn });
        if (prompt === undefined) return;
        post({ kind: "setPrompt", text: prompt });
        return this.#attachAgain({ kind: "turn", turn: message.turn });
      }
      case "copy":
        return desk.copy(message.text);
      case "insert":
        return desk.insert(message.text);
      case "go":
        return message.place === "restart" ? server.restart() : desk.go(message.place);
    }
  }

  #completions(trigger: "/" | "@", query: string): Promise<Completion[]> {
    return completions({ trigger, query, session: this.#session }, this.parts.server, this.parts.desk);
  }

  /** The view is there, for the first time or again. */
  async #begin(): Promise<void> {
    const { post, strings, server } = this.parts;
    post({ kind: "start", strings: strings(), folders: this.parts.desk.folders(), window: this.parts.desk.window() });
    this.editorMoved();
    const state = server.state;
    if (state.kind !== "ready") {
      this.#lost = true;
      post({ kind: "connection", state: state.kind, message: state.kind === "stopped" ? state.reason : "" });
    }
    // What the view itself has kept may be older: the workbench saves that when it likes.
    const wanted = this.#session ?? this.parts.memory.recall();
    if (wanted === undefined) post({ kind: "session", session: null });
    if (state.kind !== "ready") {
      // What was looked at is opened again as soon as the server is there.
      this.#session = wanted;
      return;
    }
    // Without the list one can still ask; a server that has none says so when somebody chooses.
    await this.#models().catch(() => undefined);
    if (wanted === undefined) return;
    try {
      await this.resume(wanted);
    } catch {
      // Deleted meanwhile, perhaps in another window: begin anew without a complaint.
      this.#leave();
      post({ kind: "session", session: null });
    }
  }

  async #recall(): Promise<void> {
    const { attachments, switched } = await this.parts.composing.recall();
    if (attachments.length > 0 || Object.keys(switched).length > 0) this.parts.post({ kind: "composing", attachments, switched });
  }

  async #models(): Promise<void> {
    const { models, current } = await this.parts.server.request("pollux/modelList", {});
    const entries = models.map(({ id, label, description, contextWindow }) => ({
      id,
      label,
      ...(description ? { description } : {}),
      ...(contextWindow ? { contextWindow } : {}),
    }));
    this.parts.post({ kind: "models", models: entries, current });
  }

  async #follow(session: string): Promise<void> {
    const { server, post } = this.parts;
    const epoch = ++this.#epoch;
    const before = this.#session;
    this.#deaf = true;
    this.#shown = false;
    this.#session = session;
    this.#proposals.clear();
    this.parts.memory.keep(session);
    post({ kind: "session", session });
    if (before !== undefined && before !== session) this.#unfollow(before);
    await server.request("pollux/sessionUnfollow", { session }).catch(() => undefined);
    if (epoch !== this.#epoch) return;
    this.#deaf = false;
    await server.request("pollux/sessionFollow", { session, cursor: 0 });
  }

  #unfollow(session: string): void {
    if (this.#running.has(session)) return;
    this.parts.left(session);
    // It goes on without being looked at; whether the server still knows it does not matter.
    this.parts.server.request("pollux/sessionUnfollow", { session }).catch(() => undefined);
  }

  #leave(): void {
    this.#epoch += 1;
    if (this.#session !== undefined) this.#unfollow(this.#session);
    this.#session = undefined;
    this.#proposals.clear();
    this.parts.memory.keep(undefined);
    this.#deaf = true;
  }

  /** One after the other: each decision gives the others new names. */
  async #decide({ proposal, hunks, decision }: Decided): Promise<void> {
    const { review } = this.parts;
    for (const hunk of hunks) {
      const placed = this.#proposals.find(proposal, hunk, (path) => review.proposedIn(path));
      if (placed !== undefined) await review.decideHunk(placed, decision);
    }
  }

  /** A person writes something else than was proposed, and that is what is kept. */
  async #draft(proposal: number): Promise<void> {
    const { review, server } = this.parts;
    const session = this.#open();
    const hunks = this.#proposals.whole(proposal, (path) => review.proposedIn(path));
    await review.draft(`${session}/${proposal}`, hunks, async (content) => {
      await server.request("pollux/approvalAnswer", { session, approval: proposal, answer: { kind: "allowWith", content } });
    });
  }

  async #prompt({ how, text, attachments, context }: Prompt): Promise<void> {
    const session = await this.#opened();
    const method = how === "steer" ? "pollux/promptSteer" : "pollux/promptQueue";
    await this.parts.server.request(method, { session, text, attachments, context: allowed(context, this.parts.desk.context().rules) });
  }

  async #retry({ turn, text, context }: Retry): Promise<void> {
    const attachments = await this.#attachedTo({ kind: "turn", turn });
    this.hear({ kind: "prompt", how: "queue", text, attachments, context });
  }

  async #attachAgain(prompt: PromptName): Promise<void> {
    for (const attachment of await this.#attachedTo(prompt)) this.parts.post({ kind: "attachment", attachment });
  }

  async #attachedTo(prompt: PromptName): Promise<Attachment[]> {
    const { attachments } = await this.parts.server.request("pollux/promptAttachments", { session: this.#open(), prompt });
    return attachments.map(attachmentOf);
  }

  /** The session that is shown, or a new one. */
  #opened(): Promise<string> {
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #start(): Promise<string> {
    const { session } = await this.parts.server.request("pollux/sessionStart", {});
    const mode = this.parts.startsWith();
    // A folder that is not trusted has its say, and what is asked about then is no worse.
    if (mode !== "default") await this.parts.server.request("pollux/modeSet", { session, mode }).catch(() => undefined);
    await this.#follow(session);
    return session;
  }

  #open(): string {
    if (this.#session === undefined) throw new Error(this.parts.words.noSession);
    return this.#session;
  }

  #turn(turn: number): { session: string; turn: number } {
    return { session: this.#open(), turn };
  }

  async #list(): Promise<void> {
    const { sessions } = await this.parts.server.request("pollux/sessionList", {});
    this.parts.post({ kind: "sessions", sessions });
  }

  async #delete(session: string): Promise<void> {
    await this.parts.server.request("pollux/sessionDelete", { session });
    if (session === this.#session) {
      this.#leave();
      this.parts.post({ kind: "deleted" });
    }
    return this.#list();
  }
}

/** What the settings leave out is left out, whatever the view believes. */
function allowed(context: ContextChoice, rules: ContextRules): ContextChoice {
  const activeFile = context.activeFile && rules.activeFile !== "off";
  return { ...context, activeFile, selection: context.selection && rules.selection !== "off" };
}

function attachmentOf(attached: PromptAttachment): Attachment {
  if (attached.kind === "image") return { ...attached, name: attached.name ?? "" };
  const { label, text, uri } = attached;
  return { kind: "text", label, text, ...(uri ? { uri } : {}) };
}
