// A proposed edit, hunk by hunk.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent, FromView } from "../../src/chat/messages";
import { CONVERSATION, PROPOSAL, SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

async function showing(...events: ChatEvent[]): Promise<View> {
  const view = await harness.open("dark", 320);
  await view.say({ kind: "session", session: SESSION }, { kind: "events", session: SESSION, events: [...CONVERSATION.slice(0, 4), ...events], replay: false });
  await view.page.locator('[data-question="5"][data-armed="true"]').waitFor();
  return view;
}

async function answers(view: View): Promise<FromView[]> {
  await view.say();
  return (await view.posted()).filter(({ kind }) => kind === "answer" || kind === "decideHunks");
}

const hunk = (view: View, place: number) => view.page.locator(".diff-hunk").nth(place - 1);

test("one hunk is rejected by its digit, and Enter keeps the rest", async () => {
  const view = await showing(PROPOSAL);
  await view.page.locator('[data-question="5"]').focus();
  await view.page.keyboard.press("2");
  await view.say();
  await hunk(view, 2).getByText("rejected").waitFor();
  await view.page.getByRole("button", { name: /Keep rest/ }).waitFor();
  await view.page.keyboard.press("2");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await answers(view), [
    { kind: "decideHunks", proposal: 5, hunks: [1], decision: "reject" },
    { kind: "decideHunks", proposal: 5, hunks: [0, 2], decision: "keep" },
  ]);
  await view.say({ kind: "events", session: SESSION, events: [{ kind: "editDecided", proposal: 5, decisions: ["keep", "reject", "keep"] }], replay: false });
  // From then on the card of the file says it.
  await view.page.getByRole("img", { name: "0 to review, 2 kept, 1 rejected" }).waitFor();
  assert.equal(await view.page.locator(".row-question").count(), 0);
});

test("without any decision Enter keeps all of it, in one answer", async () => {
  const view = await showing(PROPOSAL);
  await view.page.locator('[data-question="5"]').focus();
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await answers(view), [{ kind: "answer", approval: 5, answer: { kind: "allow" } }]);
});

test("a hunk that was decided in the file is no longer asked about, and Escape rejects the rest", async () => {
  const view = await showing(PROPOSAL);
  await view.say({ kind: "openHunks", proposal: 5, open: [1, 2] });
  await hunk(view, 1).getByText("decided").waitFor();
  assert.equal(await hunk(view, 1).getByRole("button", { name: "Keep this hunk" }).count(), 0);
  await hunk(view, 3).getByRole("button", { name: "Keep this hunk" }).click();
  await view.screen("proposal-half-decided");
  await view.page.locator('[data-question="5"]').focus();
  await view.page.keyboard.press("Escape");
  assert.deepEqual(await answers(view), [
    { kind: "decideHunks", proposal: 5, hunks: [2], decision: "keep" },
    { kind: "decideHunks", proposal: 5, hunks: [1], decision: "reject" },
  ]);
});

test("a decision that did not get through can be made again", async () => {
  const view = await showing(PROPOSAL);
  await hunk(view, 1).getByRole("button", { name: "Reject this hunk (1)" }).click();
  await hunk(view, 1).getByText("rejected").waitFor();
  await view.say({ kind: "failed", message: "the server has ended", prompt: null });
  await hunk(view, 1).getByRole("button", { name: "Reject this hunk (1)" }).waitFor();
});

test("each hunk leads to its line in the file", async () => {
  const view = await showing(PROPOSAL);
  await hunk(view, 2).getByRole("button", { name: "Line 12" }).click();
  const opened = (await view.posted()).filter(({ kind }) => kind === "openFile");
  assert.deepEqual(opened, [{ kind: "openFile", path: "src/net/retry.ts", line: 12 }]);
});

test("an edit that was turned down is not said to be made", async () => {
  const view = await showing(PROPOSAL);
  await view.page.getByText("Proposes to edit retry.ts").waitFor();
  await view.say({ kind: "events", session: SESSION, events: [{ kind: "editDecided", proposal: 5, decisions: ["reject", "reject", "reject"] }], replay: false });
  await view.page.getByText("Rejected the edit of retry.ts").waitFor();
});
