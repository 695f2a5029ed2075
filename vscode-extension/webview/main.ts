// The chat view's entry: connects the editor, the store and the page.
import { h, render } from "preact";
import type { FromView, ToView } from "../src/chat/messages";
import { App } from "./app";
import { Store, type Editor, type Kept } from "./store";
import { speak } from "./strings";
import { keyboard } from "./words/keyboard";
import "./main.css";

interface EditorApi {
  postMessage(message: FromView): void;
  getState(): unknown;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): EditorApi;

const KINDS: ReadonlySet<string> = new Set<ToView["kind"]>([
  "start",
  "session",
  "deleted",
  "events",
  "editor",
  "sessions",
  "models",
  "completions",
  "attachment",
  "composing",
  "openHunks",
  "failed",
  "connection",
  "setPrompt",
  "insertText",
  "focus",
  "showSessions",
]);

function isMessage(data: unknown): data is ToView {
  return typeof data === "object" && data !== null && "kind" in data && typeof data.kind === "string" && KINDS.has(data.kind);
}

function isKept(state: unknown): state is Kept {
  return typeof state === "object" && state !== null && "draft" in state && typeof state.draft === "string" && "session" in state;
}

function connected(): Editor {
  const api = acquireVsCodeApi();
  return {
    postMessage: (message) => {
      api.postMessage(message);
    },
    getState: () => {
      const state = api.getState();
      return isKept(state) ? state : undefined;
    },
    setState: (state) => {
      api.setState(state);
    },
  };
}

const page = document.getElementById("chat");
if (page) {
  const store = new Store(connected(), () => {
    render(h(App, { store }), page);
  });
  window.addEventListener("message", (event) => {
    const message: unknown = event.data;
    if (!isMessage(message)) return;
    if (message.kind !== "start") {
      store.hear(message);
      return;
    }
    speak(message.strings, document.documentElement.lang || "en");
    store.folders = message.folders;
    store.window = message.window;
    store.changed();
  });
  store.post({ kind: "keyboard", keyboard: keyboard() });
  store.post({ kind: "ready" });
}
