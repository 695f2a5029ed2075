// Methods of the server that the generated types do not have yet.
import type { Attachment, ContextChoice } from "./messages";

declare module "../protocol" {
  interface Methods {
    "pollux/commandList": {
      direction: "clientToServer";
      kind: "request";
      params: { session?: string | null };
      result: { commands: { name: string; description: string; arguments?: string | null }[] };
    };
    "pollux/mentionSearch": {
      direction: "clientToServer";
      kind: "request";
      params: { query: string; limit?: number | null; folder?: string | null };
      result: { items: { kind: "file" | "folder"; path: string; uri: string }[] };
    };
  }
  interface PromptParams {
    attachments?: Attachment[];
    context?: Partial<ContextChoice> | null;
  }
}
