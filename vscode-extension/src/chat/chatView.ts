// The chat view. It lives in `webview/`; this side gives it its page and hands messages between it and the server.
import * as crypto from "node:crypto";
import * as vscode from "vscode";
import { learnKeyboard } from "../keyboard";
import { say } from "../review/decisions";
import type { Keys } from "../review/keys";
import type { Review } from "../review/review";
import { STARTS_WITH } from "../review/reviewMode";
import { reviewMode } from "../review/settings";
import type { Server } from "../server/server";
import type { Chat } from "../status/attention";
import type { Sessions } from "../status/sessions";
import { Bridge, type Words } from "./bridge";
import { Composing } from "./composing";
import { EditorDesk } from "./editorDesk";
import type { ToView } from "./messages";
import { chatPage } from "./page";
import { parseFromView } from "./parse";
import { viewStrings } from "./strings";
import { Texts } from "./texts";
import { windowShelf } from "./windowShelf";

/** The second one is used where the secondary side bar cannot hold views. */
export const CHAT_VIEWS = ["pollux.chat", "pollux.chatFallback"] as const;

/** Under this name the window remembers the session it showed. */
const SHOWN = "chat.session";
const CONTEXT_QUIET_MS = 100;

/** What the chat is put together from. */
export interface ChatParts {
  server: Server;
  review: Review;
  sessions: Pick<Sessions, "asking" | "leave" | "questions" | "onDidChange">;
  keys: Keys;
}

export function registerChat(context: vscode.ExtensionContext, parts: ChatParts): vscode.Disposable & Chat {
  return new ChatView(context, parts);
}

class ChatView implements vscode.WebviewViewProvider, vscode.Disposable, Chat {
  readonly #owned: vscode.Disposable[];
  readonly #bridge: Bridge;
  #view: vscode.WebviewView | undefined;
  #ofView: vscode.Disposable[] = [];
  #contextTimer: NodeJS.Timeout | undefined;
  /** Whether the page is there; the view may be, and its page still be on its way. */
  #isListening = false;
  /** Said before the page was there. */
  #waiting: ToView[] = [];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly parts: ChatParts,
  ) {
    const { server, review, sessions, keys } = parts;
    const texts = new Texts();
    this.#bridge = new Bridge({
      server,
      review,
      desk: new EditorDesk(texts, review, (keyboard) => learnKeyboard(context, keys, keyboard)),
      post: (message) => void this.#view?.webview.postMessage(message),
      strings: viewStrings,
      words: words(),
      composing: new Composing(windowShelf(context)),
      startsWith: () => STARTS_WITH[reviewMode()],
      left: (session) => sessions.leave(session),
      memory: {
        recall: () => context.workspaceState.get<string>(SHOWN),
        keep: (session) => void context.workspaceState.update(SHOWN, session),
      },
    });
    const contextMoved = (): void => this.#contextMoved();
    this.#owned = [
      texts,
      ...CHAT_VIEWS.map((id) => vscode.window.registerWebviewViewProvider(id, this)),
      server.on("pollux/sessionEvents", (message) => this.#bridge.events(message)),
      server.onDidChangeState((state) => this.#bridge.connection(state)),
      review.onDidChange(() => this.#bridge.reviewMoved()),
      sessions.onDidChange(() => this.#count()),
      vscode.window.onDidChangeActiveTextEditor(contextMoved),
      vscode.window.onDidChangeTextEditorSelection(contextMoved),
      vscode.window.tabGroups.onDidChangeTabs(contextMoved),
      vscode.languages.onDidChangeDiagnostics(contextMoved),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("pollux.context")) this.#bridge.editorMoved();
      }),
      vscode.commands.registerCommand("pollux.newSession", () => this.#show(() => this.#bridge.newSession())),
      vscode.commands.registerCommand("pollux.showSessions", () => this.#show({ kind: "showSessions" })),
      vscode.commands.registerCommand("pollux.answer", () => this.#answer()),
      vscode.commands.registerCommand("pollux.stop", () => this.#stop()),
    ];
  }

  dispose(): void {
    clearTimeout(this.#contextTimer);
    for (const owned of [...this.#owned, ...this.#ofView]) owned.dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#forget();
    this.#view = view;
    const files = vscode.Uri.joinPath(this.context.extensionUri, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [files] };
    this.#ofView = [
      view.webview.onDidReceiveMessage((raw: unknown) => this.#heard(raw)),
      view.onDidChangeVisibility(() => {
        // A view that is hidden loses its page.
        if (!view.visible) this.#isListening = false;
      }),
      view.onDidDispose(() => {
        if (this.#view === view) this.#forget();
      }),
    ];
    this.#count();
    view.webview.html = chatPage({
      nonce: crypto.randomBytes(16).toString("base64url"),
      source: view.webview.cspSource,
      script: view.webview.asWebviewUri(vscode.Uri.joinPath(files, "webview.js")).toString(),
      style: view.webview.asWebviewUri(vscode.Uri.joinPath(files, "webview.css")).toString(),
      language: vscode.env.language,
    });
  }

  #forget(): void {
    for (const owned of this.#ofView) owned.dispose();
    this.#ofView = [];
    this.#view = undefined;
    this.#isListening = false;
  }

  #heard(raw: unknown): void {
    const message = parseFromView(raw);
    if (message === undefined) return;
    this.#bridge.hear(message);
    if (message.kind !== "ready") return;
    this.#isListening = true;
    for (const said of this.#waiting) void this.#view?.webview.postMessage(said);
    this.#waiting = [];
  }

  /** Brings the view up because the person asked for it, and then does or says something. */
  async #show(then: ToView | (() => void)): Promise<void> {
    const said: ToView = typeof then === "function" ? { kind: "focus", what: "composer" } : then;
    const there = this.#isListening;
    // A view whose page is not there yet takes it once it is, which may be before the command below is done.
    if (!there) this.#waiting.push(said);
    if (typeof then === "function") then();
    await vscode.commands.executeCommand("pollux.focusChat");
    if (there) void this.#view?.webview.postMessage(said);
  }

  /** What waits may do so in a session that is not shown. */
  async #answer(): Promise<void> {
    const asking = this.parts.sessions.asking(this.#bridge.session);
    if (asking === undefined) await this.#show({ kind: "focus", what: "approval" });
    else await this.showSession(asking, "approval");
  }

  async showSession(session: string, look: "composer" | "approval"): Promise<void> {
    // One that cannot be opened any more asks nothing.
    if (session !== this.#bridge.session) await this.#bridge.resume(session).catch(() => undefined);
    await this.#show({ kind: "focus", what: look });
  }

  /** How many questions wait, where the view is not in sight. */
  #count(): void {
    const { questions } = this.parts.sessions;
    if (this.#view === undefined || this.#view.badge?.value === (questions || undefined)) return;
    this.#view.badge = questions === 0 ? undefined : { value: questions, tooltip: vscode.l10n.t("Pollux: {0} to answer", questions) };
  }

  #stop(): void {
    // The view is told what went wrong, but there may be none.
    if (this.#bridge.session === undefined) say(vscode.l10n.t("Nothing runs."));
    else this.#bridge.hear({ kind: "stop" });
  }

  #contextMoved(): void {
    if (this.#view?.visible !== true) return;
    clearTimeout(this.#contextTimer);
    this.#contextTimer = setTimeout(() => this.#bridge.editorMoved(), CONTEXT_QUIET_MS);
  }
}

function words(): Words {
  return {
    noSession: vscode.l10n.t("There is no session yet."),
    turn: (turn) => vscode.l10n.t("turn {0}", turn),
  };
}
