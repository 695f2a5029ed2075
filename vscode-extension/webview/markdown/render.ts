// Markdown of the model as HTML that can do nothing: no raw HTML, no images, no links but to the web and to
// files. What markdown-it makes of it goes through DOMPurify as well, so that one mistake is not enough.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { visible } from "../words/visible";
import { highlighted } from "./highlight";

const WEB = /^(https?|mailto):/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, highlight: highlighted });
// An image would be loaded from wherever the model says. Without the rule it is shown as a link.
markdown.disable("image");
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (href) => WEB.test(href.trim()) || !SCHEME.test(decoded(href));
markdown.renderer.rules["table_open"] = () => '<div class="table"><table>';
markdown.renderer.rules["table_close"] = () => "</table></div>";
markdown.renderer.rules["link_open"] = (all, place, options, _environment, self) => {
  const href = String(all[place]?.attrGet("href") ?? "");
  all[place]?.attrSet("title", WEB.test(href) ? visible(href) : decoded(href));
  return self.renderToken(all, place, options);
};

function decoded(href: string): string {
  try {
    return visible(decodeURIComponent(href)).trim();
  } catch {
    return visible(href).trim();
  }
}

const ALLOWED = {
  ALLOWED_TAGS: [
    ..."a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "title", "class", "start", "align"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

export function markdownHtml(text: string): string {
  return DOMPurify.sanitize(markdown.render(visible(text)), ALLOWED);
}

/** Where a link leads: a page, or a file and perhaps a line in it. */
export type Target = { kind: "page"; href: string } | { kind: "file"; path: string; line: number | null };

export function target(href: string): Target | undefined {
  if (WEB.test(href)) return { kind: "page", href };
  const plain = decoded(href);
  if (plain === "" || SCHEME.test(plain)) return undefined;
  const found = /^(.*?)(?:#L?(\d+)|:(\d+))?(?:[-:].*)?$/.exec(plain);
  const path = found?.[1] ?? plain;
  const line = found?.[2] ?? found?.[3];
  return path === "" ? undefined : { kind: "file", path, line: line === undefined ? null : Number(line) };
}
