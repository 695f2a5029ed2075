// Keeps what waits in the composer where VS Code keeps the rest of a workspace.
import * as vscode from "vscode";
import type { Shelf } from "./composing";
import type { Attachment, Switched } from "./messages";
import { parseFromView } from "./parse";

const SWITCHED = "chat.switched";
/** Images are too large for the table that the other things are kept in. */
const FILE = "attachments.json";

export function windowShelf(context: vscode.ExtensionContext): Shelf {
  const file = context.storageUri && vscode.Uri.joinPath(context.storageUri, FILE);
  let writing = Promise.resolve();
  return {
    switched: () => switchedIn(context.workspaceState.get(SWITCHED)),
    keepSwitched: (switched) => void context.workspaceState.update(SWITCHED, switched),
    attachments: async () => {
      if (file === undefined) return [];
      try {
        return attachmentsIn(JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(file))));
      } catch {
        // There is none, which is as a rule so.
        return [];
      }
    },
    keepAttachments: (attachments) => {
      if (file === undefined) return;
      // One after the other, or an older list could be the last to be written. What cannot be kept is still in the window.
      writing = writing.then(() => write(file, attachments)).catch(() => undefined);
    },
  };
}

async function write(file: vscode.Uri, attachments: Attachment[]): Promise<void> {
  if (attachments.length > 0) await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(attachments)));
  else await vscode.workspace.fs.delete(file);
}

function switchedIn(kept: unknown): Switched {
  const message = parseFromView({ kind: "switched", switched: kept });
  return message?.kind === "switched" ? message.switched : {};
}

function attachmentsIn(kept: unknown): Attachment[] {
  const message = parseFromView({ kind: "attached", attachments: kept });
  return message?.kind === "attached" ? message.attachments : [];
}
