// What the chat wants from the editor around it, without knowing the editor.
import type { Attachment, Completion, EditorContext, Keyboard, Place } from "./messages";

export interface Desk {
  context(): EditorContext;
  /** Whose keys a person has. */
  learnKeyboard(keyboard: Keyboard): void;
  /** The paths of the workspace's folders. */
  folders(): string[];
  /** By which name the server knows this window, and tells others of it. */
  window(): string;
  openFile(path: string, line: number | null): Promise<void>;
  /** At the first hunk that waits there. */
  openHunk(path: string): Promise<void>;
  /** In a read-only editor. */
  openText(title: string, language: string, text: string): Promise<void>;
  openLink(href: string): Promise<void>;
  copy(text: string): Promise<void>;
  /** At the cursor of the editor that was used last. */
  insert(text: string): Promise<void>;
  go(place: Place): Promise<void>;
  symbols(query: string): Promise<Completion[]>;
  /** Asks the person; nothing if they changed their mind. */
  attach(what: "file" | "terminal" | "gitDiff"): Promise<Attachment | { mention: string } | undefined>;
  /** A file as it is named in a prompt. */
  mention(uri: string): string;
}
