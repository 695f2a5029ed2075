// How the keys that come with the extension are written on a person's keyboard.
import type { Keyboard } from "../chat/messages";

export interface Binding {
  command: string;
  key: string;
  mac?: string;
}

const MAC_SIGNS: readonly (readonly [string, string])[] = [
  ["ctrl", "⌃"],
  ["alt", "⌥"],
  ["shift", "⇧"],
  ["cmd", "⌘"],
];

export class Keys {
  readonly #watchers = new Set<() => void>();

  constructor(
    private readonly bindings: readonly Binding[],
    private keyboard: Keyboard,
  ) {}

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  sitAt(keyboard: Keyboard): void {
    if (keyboard === this.keyboard) return;
    this.keyboard = keyboard;
    for (const watcher of this.#watchers) watcher();
  }

  /** `Alt+Y`, or `⌥⌘Y`; nothing for a command without a key. */
  of(command: string): string {
    const binding = this.bindings.find((candidate) => candidate.command === command);
    if (binding === undefined) return "";
    return this.keyboard === "mac" ? macLabel(binding.mac ?? binding.key) : label(binding.key);
  }

  /** A name and its key. */
  named(name: string, command: string): string {
    const key = this.of(command);
    return key === "" ? name : `${name} ${key}`;
  }
}

function label(key: string): string {
  return key.split("+").map(capital).join("+");
}

/** The signs in the order in which the system writes them. */
function macLabel(key: string): string {
  const parts = key.split("+");
  const signs = MAC_SIGNS.filter(([name]) => parts.includes(name)).map(([, sign]) => sign);
  const letter = parts.filter((part) => !MAC_SIGNS.some(([name]) => name === part)).map(capital);
  return [...signs, ...letter].join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
