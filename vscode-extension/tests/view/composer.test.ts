// What goes with a prompt: chosen by the person, kept while the view is away, and brought back with the prompt.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Attachment, ChatEvent, ContextRules, FromView, ToView } from "../../src/chat/messages";
import { CONVERSATION, EDITOR, FAILED, MODELS, SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const NOTE: Attachment = { kind: "text", label: "git changes", text: "+1" };
const events = (...list: ChatEvent[]): ToView => ({ kind: "events", session: SESSION, events: list, replay: false });

async function showing(...list: ChatEvent[]): Promise<View> {
  const view = await harness.open();
  await view.say({ kind: "session", session: SESSION }, MODELS, EDITOR, events(...list));
  return view;
}

async function last<K extends FromView["kind"]>(view: View, kind: K): Promise<Extract<FromView, { kind: K }> | undefined> {
  await view.say();
  return (await view.posted()).findLast((message): message is Extract<FromView, { kind: K }> => message.kind === kind);
}

const field = (view: View) => view.page.getByRole("textbox", { name: "Prompt" });
const chip = (view: View, text: string | RegExp) => view.page.locator(".composer .chip", { hasText: text });
const isOn = async (view: View, text: string | RegExp): Promise<boolean> => {
  // What was pressed is drawn with the next frame.
  await view.say();
  return (await chip(view, text).getAttribute("aria-pressed")) === "true";
};
const ruled = (rules: Partial<ContextRules>): ToView => ({
  kind: "editor",
  context: { ...(EDITOR as Extract<ToView, { kind: "editor" }>).context, rules: { activeFile: "auto", selection: "auto", ...rules } },
});

async function send(view: View, text: string): Promise<Extract<FromView, { kind: "prompt" }>> {
  await field(view).fill(text);
  await field(view).press("Enter");
  const prompt = await last(view, "prompt");
  assert.ok(prompt !== undefined);
  return prompt;
}

async function paste(view: View, bytes: number[], name: string, type: string): Promise<void> {
  await field(view).evaluate(
    (element, [all, called, kind]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(all)], called, { type: kind }));
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    },
    [bytes, name, type] as const,
  );
}

test("what was switched and attached is told to the host, and a view that comes back has it again", async () => {
  const view = await showing(...CONVERSATION);
  await chip(view, /^upload\.rs$/).click();
  assert.deepEqual(await last(view, "switched"), { kind: "switched", switched: { activeFile: false } });
  await view.say({ kind: "attachment", attachment: NOTE });
  assert.deepEqual(await last(view, "attached"), { kind: "attached", attachments: [NOTE] });

  const again = await harness.open();
  await again.say({ kind: "session", session: null }, MODELS, EDITOR, { kind: "composing", attachments: [NOTE], switched: { activeFile: false } });
  assert.equal(await isOn(again, /^upload\.rs$/), false);
  const prompt = await send(again, "hello");
  assert.deepEqual([prompt.attachments, prompt.context.activeFile], [[NOTE], false]);
  assert.deepEqual(await last(again, "attached"), { kind: "attached", attachments: [] });
});

test("the other open files have a chip of their own", async () => {
  const view = await showing(...CONVERSATION);
  await chip(view, "3 open files").click();
  assert.equal((await send(view, "hello")).context.openFiles, false);
});

test("a selection is one of its file: without the file it is not sent, and with it the file is", async () => {
  const view = await showing(...CONVERSATION);
  await chip(view, /^upload\.rs$/).click();
  assert.equal(await isOn(view, "40–62"), false);
  await chip(view, "40–62").click();
  assert.deepEqual([await isOn(view, /^upload\.rs$/), await isOn(view, "40–62")], [true, true]);
});

test("what is only sent when asked for is off again after each prompt", async () => {
  const view = await showing(...CONVERSATION);
  await view.say(ruled({ activeFile: "ask" }));
  assert.equal(await isOn(view, /^upload\.rs$/), false);
  assert.equal((await send(view, "one")).context.activeFile, false);
  await chip(view, /^upload\.rs$/).click();
  assert.equal((await send(view, "two")).context.activeFile, true);
  assert.equal(await isOn(view, /^upload\.rs$/), false);
  assert.deepEqual(await last(view, "switched"), { kind: "switched", switched: {} });
});

test("what is off for good has no chip and is not sent", async () => {
  const view = await showing(...CONVERSATION);
  await view.say(ruled({ selection: "off" }));
  assert.equal(await chip(view, "40–62").count(), 0);
  assert.deepEqual((await send(view, "one")).context, { activeFile: true, selection: false, openFiles: true, diagnostics: false });
  await view.say(ruled({ activeFile: "off" }));
  assert.equal(await chip(view, "upload.rs").count(), 0);
  assert.equal((await send(view, "two")).context.activeFile, false);
});

test("a prompt that was refused is back with what was attached to it, before what was written since", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).fill("meanwhile");
  await view.say({ kind: "failed", message: "the image is larger than 10 MB", prompt: { text: "look", attachments: [NOTE] } });
  assert.equal(await field(view).inputValue(), "look\n\nmeanwhile");
  await chip(view, "git changes").waitFor();
});

test("Retry and the arrow up ask for what was attached", async () => {
  const attached = [{ kind: "text" as const, label: "git changes" }];
  const view = await showing(...FAILED.map((event) => (event.kind === "turnStarted" ? { ...event, attachments: attached } : event.kind === "turnEnded" ? { ...event, message: "overloaded" } : event)));
  await view.page.getByRole("button", { name: "Retry" }).click();
  const retry = await last(view, "retry");
  assert.deepEqual([retry?.text, retry?.turn], ["hello", 1]);
  await view.say(events({ kind: "promptQueued", id: 3, text: "and then", attachments: attached }));
  await field(view).focus();
  await view.page.keyboard.press("ArrowUp");
  assert.deepEqual(await last(view, "attachAgain"), { kind: "attachAgain", prompt: { kind: "queued", id: 3 } });
  await view.say(events({ kind: "promptUnqueued", id: 3 }), { kind: "attachment", attachment: NOTE });
  const asked = async (): Promise<number> => (await view.posted()).filter(({ kind }) => kind === "attachAgain").length;
  const before = await asked();
  await field(view).fill("");
  await view.page.keyboard.press("ArrowUp");
  await view.say();
  assert.equal(await field(view).inputValue(), "hello");
  assert.equal(await asked(), before, "what is attached already is not attached again");
});

/** Two pixels beside each other, without compression. */
const BMP = [
  ...[0x42, 0x4d, 62, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0],
  ...[40, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 255, 255, 0, 0, 0, 0],
];

test("an image of a kind that no model takes becomes one that they take", async () => {
  const view = await showing(...CONVERSATION);
  await paste(view, BMP, "shot.bmp", "image/bmp");
  await chip(view, "shot.png").waitFor();
  const [image] = (await send(view, "look")).attachments;
  assert.ok(image?.kind === "image" && image.mimeType === "image/png");
  assert.equal(Buffer.from(image.data, "base64").subarray(1, 4).toString(), "PNG");
  await paste(view, [...Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")], "plan.svg", "image/svg+xml");
  await chip(view, "plan.svg").waitFor();
  assert.deepEqual((await send(view, "and this")).attachments, [{ kind: "text", label: "plan.svg", text: "<svg xmlns='http://www.w3.org/2000/svg'/>" }]);
  assert.deepEqual(await view.violations(), []);
});

test("a huge image is made smaller", async () => {
  const view = await showing(...CONVERSATION);
  await field(view).evaluate(async (element) => {
    const canvas = new OffscreenCanvas(9_000, 30);
    canvas.getContext("2d")?.fillRect(0, 0, 10, 10);
    const data = new DataTransfer();
    data.items.add(new File([await canvas.convertToBlob()], "wide.png", { type: "image/png" }));
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await chip(view, "wide.png").waitFor();
  const [image] = (await send(view, "look")).attachments;
  assert.ok(image?.kind === "image");
  assert.equal(Buffer.from(image.data, "base64").readUInt32BE(16), 4_096);
});

test("what cannot be made into an image is left out, and it is said so", async () => {
  const view = await showing(...CONVERSATION);
  await paste(view, [1, 2, 3], "scan.tiff", "image/tiff");
  await view.page.getByText("scan.tiff is an image of a kind that no model takes, and was left out.").waitFor();
  assert.equal(await chip(view, "scan").count(), 0);
});

test("a draft comes back with the view, but not one that was sent before the editor had kept that", async () => {
  const sent = "why does the upload retry for ever?";
  for (const [draft, expected] of [[sent, ""], ["half a thought", "half a thought"]] as const) {
    const view = await harness.open("dark", 480, 900, { session: SESSION, draft });
    await view.say({ kind: "session", session: SESSION }, MODELS, EDITOR, { kind: "events", session: SESSION, events: CONVERSATION, replay: true });
    assert.equal(await field(view).inputValue(), expected);
  }
});
