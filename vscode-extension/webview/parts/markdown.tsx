// Markdown on the page. Links never navigate: they are handed to the host, which asks where it has to.
import type { Store } from "../store";
import { markdownHtml, target } from "../markdown/render";

export function Markdown({ text, store }: { text: string; store: Store }) {
  return <div class="markdown" onClick={(event) => follow(event, store)} dangerouslySetInnerHTML={{ __html: markdownHtml(text) }} />;
}

function follow(event: MouseEvent, store: Store): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link) return;
  event.preventDefault();
  const found = target(link.getAttribute("href") ?? "");
  if (found?.kind === "page") store.post({ kind: "openLink", href: found.href });
  else if (found) store.post({ kind: "openFile", path: found.path, line: found.line });
}
