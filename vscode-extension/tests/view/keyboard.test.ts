// Everything by keyboard, and nothing by accident.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent, FromView } from "../../src/chat/messages";
import { APPROVAL, CONVERSATION, EDITOR, MODELS, PROPOSAL, SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

async function showing(...events: ChatEvent[]): Promise<View> {
  const view = await harness.open();
  await view.say({ kind: "session", session: SESSION }, MODELS, EDITOR, { kind: "events", session: SESSION, events, replay: false });
  return view;
}

const say = (view: View, ...events: ChatEvent[]): Promise<void> => view.say({ kind: "events", session: SESSION, events, replay: false });

async function posted<K extends FromView["kind"]>(view: View, kind: K): Promise<FromView[]> {
  await view.say();
  return (await view.posted()).filter((message) => message.kind === kind);
}

const field = (view: View) => view.page.getByRole("textbox", { name: "Prompt" });
const armed = (view: View) => view.page.locator('[data-question="7"][data-armed="true"]').waitFor();

test("a question takes the focus when nothing is being written, and Enter allows it once", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await say(view, APPROVAL);
  await armed(view);
  assert.equal(await view.page.evaluate(() => document.activeElement?.getAttribute("data-question")), "7");
  await view.page.keyboard.press("Enter");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "allow" } }]);
});

test("a question that takes the focus after another one was answered ignores a second Enter", async () => {
  const next: ChatEvent = { ...APPROVAL, approval: 8 } as ChatEvent;
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await say(view, APPROVAL, next);
  await armed(view);
  await view.page.locator('[data-question="8"][data-armed="true"]').waitFor();
  // As quick as nobody is: in the moment in which it has the focus.
  await view.page.evaluate(() => {
    document.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLElement && target.dataset["question"] === "8") {
        target.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
      }
    });
  });
  await view.page.keyboard.press("Enter");
  await view.page.locator('[data-question="8"]:focus').waitFor();
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "allow" } }]);
  await view.page.locator('[data-question="8"][data-armed="true"]').waitFor();
  await view.page.keyboard.press("Enter");
  assert.equal((await posted(view, "answer")).length, 2);
});

test("a question about something dangerous never takes the focus by itself", async () => {
  const subject = { kind: "command", command: "rm -rf build", folder: "", programs: ["rm"], cautions: ["`rm -rf build` may destroy build"] };
  const dangerous = { ...APPROVAL, subject } as ChatEvent;
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await say(view, dangerous);
  await armed(view);
  assert.equal(await view.page.evaluate(() => document.activeElement?.tagName), "TEXTAREA");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "answer"), []);
  // Somebody who goes there can answer it.
  await view.page.keyboard.press("Tab");
  assert.equal(await view.page.evaluate(() => document.activeElement?.getAttribute("data-question")), "7");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "allow" } }]);
});

test("a question does not take the focus from somebody who writes", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).fill("half a sent");
  await say(view, APPROVAL);
  await armed(view);
  await view.page.keyboard.type("ence");
  assert.equal(await field(view).inputValue(), "half a sentence");
  assert.deepEqual(await posted(view, "answer"), []);
});

test("Tab goes from the composer to the last question, to its buttons, and then to the turns", async () => {
  const other: ChatEvent = { ...APPROVAL, approval: 6 } as ChatEvent;
  const view = await showing(...CONVERSATION, other, APPROVAL);
  await armed(view);
  await field(view).focus();
  await view.page.keyboard.press("Tab");
  const focused = () => view.page.evaluate(() => document.activeElement?.getAttribute("data-question") ?? document.activeElement?.className);
  assert.equal(await focused(), "7");
  await view.page.keyboard.press("Shift+Tab");
  assert.equal(await view.page.evaluate(() => document.activeElement?.tagName), "TEXTAREA");
  await view.page.keyboard.press("Tab");
  const stops = await view.page.locator('[data-question="7"] :is(button, [tabindex])').count();
  for (let stop = 0; stop < stops; stop += 1) {
    await view.page.keyboard.press("Tab");
    assert.ok(await view.page.evaluate(() => document.activeElement?.closest('[data-question="7"]') !== null));
  }
  await view.page.keyboard.press("Tab");
  assert.equal(await focused(), "scroller");
});

test("S, W and A allow for longer, and A shows what before it does", async () => {
  for (const [key, scope] of [
    ["s", "session"],
    ["w", "workspace"],
  ] as const) {
    const view = await showing(...CONVERSATION, APPROVAL);
    await armed(view);
    await view.page.locator('[data-question="7"]').focus();
    await view.page.keyboard.press(key);
    assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "always", offer: 0, scope } }]);
  }
  const view = await showing(...CONVERSATION, APPROVAL);
  await armed(view);
  await view.page.locator('[data-question="7"]').focus();
  await view.page.keyboard.press("a");
  await view.page.locator(".always input:focus").waitFor();
  await view.screen("always-dark-480");
  await view.page.keyboard.press("ArrowDown");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "always", offer: 1, scope: "workspace" } }]);
});

test("Escape rejects with a reason that the model gets, and does not stop the turn", async () => {
  const view = await showing(...CONVERSATION, APPROVAL);
  await armed(view);
  await view.page.locator('[data-question="7"]').focus();
  await view.page.keyboard.press("Escape");
  await view.page.locator(".reason .field:focus").waitFor();
  await view.page.keyboard.type("use nextest");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "deny", feedback: "use nextest" } }]);
  assert.deepEqual(await posted(view, "stop"), []);
});

test("a question that was answered elsewhere folds to a line", async () => {
  const view = await showing(...CONVERSATION, APPROVAL);
  await say(view, { kind: "approvalEnded", approval: 7, answer: { kind: "always", offer: 0, scope: "session" } });
  assert.equal(await view.page.locator("[data-question]").count(), 0);
  await view.page.getByText("Allowed for this session: cargo test -p upload").waitFor();
});

test("Enter queues, Ctrl+Enter steers, Shift+Enter makes a line, Escape stops", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await view.page.keyboard.type("one");
  await view.page.keyboard.press("Shift+Enter");
  await view.page.keyboard.type("two");
  await view.page.keyboard.press("Enter");
  await view.page.keyboard.type("now");
  await view.page.keyboard.press("Control+Enter");
  await view.page.keyboard.press("Escape");
  const prompts = (await posted(view, "prompt")).map((message) => (message.kind === "prompt" ? [message.how, message.text] : []));
  assert.deepEqual(prompts, [
    ["queue", "one\ntwo"],
    ["steer", "now"],
  ]);
  assert.equal((await posted(view, "stop")).length, 1);
});

test("the arrow up brings the last prompt back, and a queued one is taken back to be edited", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await view.page.keyboard.press("ArrowUp");
  await view.say();
  assert.equal(await field(view).inputValue(), "why does the upload retry for ever?");
  await field(view).fill("");
  await say(view, { kind: "promptQueued", id: 3, text: "and then" });
  await view.page.keyboard.press("ArrowUp");
  await view.say();
  assert.equal(await field(view).inputValue(), "and then");
  assert.deepEqual(await posted(view, "unqueue"), [{ kind: "unqueue", id: 3 }]);
});

test("suggestions come after a slash and an @, and are taken by Enter", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await view.page.keyboard.type("see @up");
  const asked = (await posted(view, "complete")).at(-1);
  assert.ok(asked?.kind === "complete" && asked.query === "up" && asked.trigger === "@");
  await view.say({
    kind: "completions",
    id: asked.id,
    items: [
      { kind: "file", label: "upload.rs", detail: "src", insert: "@src/upload.rs" },
      { kind: "folder", label: "upload", detail: "", insert: "@upload/" },
    ],
  });
  await view.screen("suggestions-dark-480");
  await view.page.keyboard.press("ArrowDown");
  await view.page.keyboard.press("Enter");
  await view.say();
  assert.equal(await field(view).inputValue(), "see @upload/ ");
  assert.deepEqual(await posted(view, "prompt"), []);
});

test("Enter that is faster than the suggestions takes none that no longer fits", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).focus();
  await view.page.keyboard.type("@up");
  const asked = (await posted(view, "complete")).at(-1);
  assert.ok(asked?.kind === "complete");
  const file = (name: string) => ({ kind: "file" as const, label: name, detail: "", insert: `@${name}` });
  await view.say({ kind: "completions", id: asked.id, items: [file("up/first.rs"), file("upload.rs")] });
  await view.page.keyboard.type("lo");
  await view.page.keyboard.press("Enter");
  await view.say();
  assert.equal(await field(view).inputValue(), "@upload.rs ");
});

test("a chip of the editor goes off and on again, and the prompt says so", async () => {
  const view = await showing(...CONVERSATION);
  const chip = view.page.locator(".composer .chip", { hasText: /^upload\.rs$/ });
  await chip.click();
  await view.say();
  assert.equal(await chip.getAttribute("aria-pressed"), "false");
  await field(view).fill("hello");
  await view.page.keyboard.press("Enter");
  await chip.click();
  await view.say();
  assert.equal(await chip.getAttribute("aria-pressed"), "true");
  const [prompt] = await posted(view, "prompt");
  assert.deepEqual(prompt, { kind: "prompt", how: "queue", text: "hello", attachments: [], context: { activeFile: false, selection: false, openFiles: true, diagnostics: false } });
});

test("a pasted image becomes an attachment", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).evaluate((element) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([1, 2, 3])], "shot.png", { type: "image/png" }));
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await view.page.locator(".composer .chip", { hasText: "shot.png" }).waitFor();
  await field(view).focus();
  await view.page.keyboard.press("Enter");
  const [prompt] = await posted(view, "prompt");
  assert.ok(prompt?.kind === "prompt");
  assert.deepEqual(prompt.attachments, [{ kind: "image", mimeType: "image/png", data: "AQID", name: "shot.png" }]);
});

test("model and mode are chosen by arrow keys", async () => {
  const view = await showing(...CONVERSATION);
  await view.page.getByRole("button", { name: /^Mode:/ }).click();
  await view.page.locator(".menu:focus").waitFor();
  await view.screen("mode-dark-480");
  await view.page.keyboard.press("ArrowDown");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "mode"), [{ kind: "mode", mode: "autoEdit" }]);
  await view.page.getByRole("button", { name: /^Model:/ }).click();
  await view.page.locator(".menu:focus").waitFor();
  await view.page.keyboard.press("ArrowDown");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "model"), [{ kind: "model", model: "gemini-3-pro" }]);
});

test("sessions are searched, renamed and deleted", async () => {
  const view = await showing(...CONVERSATION);
  await view.page.getByRole("button", { name: /Fix the retry loop/ }).click();
  await view.say({
    kind: "sessions",
    sessions: [
      { session: "a", title: "Alpha", updated: 1, state: "recorded" },
      { session: "b", title: "Beta", updated: 2, state: "idle" },
    ],
  });
  await view.page.locator(".sessions > .field:focus").waitFor();
  await view.page.keyboard.type("alp");
  await view.say();
  assert.equal(await view.page.locator(".session-entry").count(), 1);
  await view.page.locator(".session-entry").hover();
  await view.page.getByRole("button", { name: "Rename the session" }).click();
  await view.page.locator(".session-entry .field:focus").waitFor();
  await view.page.keyboard.type("Omega");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "renameSession"), [{ kind: "renameSession", session: "a", title: "Omega" }]);
  await view.page.locator(".session-entry").hover();
  await view.page.getByRole("button", { name: "Delete the session" }).click();
  assert.deepEqual(await posted(view, "deleteSession"), []);
  await view.page.getByRole("button", { name: "Delete", exact: true }).click();
  assert.deepEqual(await posted(view, "deleteSession"), [{ kind: "deleteSession", session: "a" }]);
  await view.say({ kind: "deleted" });
  await view.say({ kind: "sessions", sessions: [{ session: "b", title: "Beta", updated: 2, state: "idle" }] });
  assert.equal(await view.page.locator(".sessions > .field").inputValue(), "alp", "the list stays as it was");
  await view.page.getByText("Nothing matches.").waitFor();
  await view.page.getByRole("button", { name: "Back to the chat" }).click();
  await view.page.getByText("Ask about the code, or say what to change.").waitFor();
  assert.deepEqual(view.complaints, []);
});

test("the keys that keep and reject in a file mean the file that has the focus here, or the whole turn", async () => {
  const view = await showing(...CONVERSATION);
  await view.page.locator(".file", { hasText: "upload.rs" }).focus();
  await view.page.keyboard.press("Alt+KeyN");
  assert.deepEqual(await posted(view, "decideFile"), [{ kind: "decideFile", turn: 1, path: "src/upload.rs", decision: "reject" }]);
  await view.page.locator(".edits .fold-line").focus();
  await view.page.keyboard.press("Alt+KeyY");
  assert.deepEqual(await posted(view, "decideTurn"), [{ kind: "decideTurn", turn: 1, decision: "keep" }]);
  await field(view).focus();
  await view.page.keyboard.press("Alt+KeyY");
  await view.page.locator(".row-prompt").focus();
  await view.page.keyboard.press("Alt+KeyY");
  assert.equal((await posted(view, "decideTurn")).length, 1, "who looks at something else decides nothing");
});

test("in a proposed edit they mean the hunk that has the focus, or else all of it", async () => {
  const decided = async (view: View) => posted(view, "decideHunks");
  const proposed = async (): Promise<View> => {
    const view = await showing(...CONVERSATION, PROPOSAL);
    await view.page.locator('[data-question="5"][data-armed="true"]').waitFor();
    return view;
  };
  const one = await proposed();
  await one.page.locator(".diff-hunk").nth(1).locator("pre").focus();
  await one.page.keyboard.press("Alt+KeyN");
  assert.deepEqual(await decided(one), [{ kind: "decideHunks", proposal: 5, hunks: [1], decision: "reject" }]);
  await one.page.locator('[data-question="5"]').focus();
  await one.page.keyboard.press("Alt+KeyY");
  assert.deepEqual((await decided(one)).at(-1), { kind: "decideHunks", proposal: 5, hunks: [0, 2], decision: "keep" });
  const whole = await proposed();
  await whole.page.locator('[data-question="5"]').focus();
  await whole.page.keyboard.press("Alt+KeyY");
  assert.deepEqual(await posted(whole, "answer"), [{ kind: "answer", approval: 5, answer: { kind: "allow" } }]);
});
