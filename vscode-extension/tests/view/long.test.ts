// Long conversations: only what is seen is on the page, and scrolling through all of it finds all of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { heap, showing as shows, turns } from "./measure";
import { SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const showing = (count: number): Promise<View> => shows(harness, count);
const scroller = (view: View) => view.page.locator(".scroller");

test("5,000 messages put no more on the page than 50", async () => {
  const few = await showing(25);
  const many = await showing(2_500);
  const [small, large] = [await few.nodes(), await many.nodes()];
  assert.ok(large < small * 1.5 && large < 1_500, `${small} nodes for 50 messages, ${large} for 5,000`);
  assert.match(await many.page.locator(".rows").innerText(), /question 2499/);
});

test("scrolling through 5,000 messages stays fluid and keeps the page small", async () => {
  const view = await showing(2_500);
  const figures = await scroller(view).evaluate(async (element) => {
    const frames: number[] = [];
    let most = 0;
    let last = performance.now();
    const height = element.scrollHeight;
    for (let step = 0; step < 200; step += 1) {
      element.scrollTop = (height * (200 - step)) / 200;
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const now = performance.now();
      frames.push(now - last);
      last = now;
      most = Math.max(most, document.querySelectorAll("*").length);
    }
    frames.sort((one, other) => one - other);
    return { median: frames[100] ?? 0, p95: frames[190] ?? 0, most };
  });
  process.stdout.write(`figure: jumping through 5,000 messages: frame ${figures.median.toFixed(1)} ms median, ${figures.p95.toFixed(1)} ms p95, at most ${figures.most} nodes\n`);
  assert.ok(figures.most < 1_500);
  // Where one stopped there is text, not a gap.
  assert.ok(await view.page.locator("[data-row]").first().isVisible());
});

/** The first row that is seen, and where its top is. */
const topRow = (view: View) =>
  view.page.evaluate(() => {
    const box = document.querySelector(".scroller")?.getBoundingClientRect();
    const row = [...document.querySelectorAll<HTMLElement>("[data-row]")].find((one) => one.getBoundingClientRect().bottom > (box?.top ?? 0));
    return [row?.dataset["row"], Math.round(row?.getBoundingClientRect().top ?? 0)];
  });

test("what is measured above the first visible line does not push it away", async () => {
  // Nothing above the end was ever on the page, so all heights there are guesses.
  const view = await showing(200);
  const jumps = await scroller(view).evaluate(async (element) => {
    const painted = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const top = (row: string): number => document.querySelector(`[data-row="${row}"]`)?.getBoundingClientRect().top ?? Number.NaN;
    const wrong: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      const edge = element.getBoundingClientRect().top;
      const first = [...document.querySelectorAll<HTMLElement>("[data-row]")].find((row) => row.getBoundingClientRect().bottom > edge + 150);
      const row = first?.dataset["row"] ?? "";
      const before = top(row);
      element.scrollTop -= 100;
      await painted();
      const moved = top(row) - before;
      if (Math.abs(moved - 100) > 1) wrong.push(`row ${row} moved by ${moved} px in step ${step}`);
    }
    return wrong;
  });
  assert.deepEqual(jumps, []);
});

test("a row that grows above the first visible line does not push it away", async () => {
  const view = await showing(100);
  await scroller(view).evaluate((element) => (element.scrollTop = 3_000));
  await view.say();
  const before = await topRow(view);
  await view.page.evaluate(() => {
    const edge = document.querySelector(".scroller")?.getBoundingClientRect().top ?? 0;
    const above = [...document.querySelectorAll<HTMLElement>("[data-row]")].findLast((row) => row.getBoundingClientRect().bottom < edge);
    above?.style.setProperty("padding-bottom", "120px");
  });
  await view.say();
  assert.deepEqual(await topRow(view), before);
});

test("Home and End go to the first and to the last word", async () => {
  const view = await showing(200);
  await scroller(view).focus();
  await view.page.keyboard.press("Control+Home");
  await view.say();
  assert.deepEqual([await scroller(view).evaluate((element) => element.scrollTop), (await topRow(view))[0]], [0, "0"]);
  await view.page.keyboard.press("End");
  await view.say();
  const rest = await scroller(view).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  assert.ok(rest <= 1, `${rest} px from the end`);
});

test("somebody who reads further up is left there while the answer grows", async () => {
  const view = await showing(100);
  await scroller(view).evaluate((element) => (element.scrollTop = 3_000));
  await view.say();
  const before = await topRow(view);
  await view.say({ kind: "events", session: SESSION, events: turns(1).slice(0, 4), replay: false });
  assert.deepEqual(await topRow(view), before);
  await view.page.getByRole("button", { name: "Go to the end" }).click();
  await view.say();
  const rest = await scroller(view).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  assert.ok(rest <= 1, `${rest} px from the end`);
});

test("walking from prompt to prompt by keyboard reaches each of them", async () => {
  const view = await showing(60);
  await view.page.getByRole("textbox").focus();
  const seen: string[] = [];
  for (let step = 0; step < 12; step += 1) {
    await view.page.keyboard.press("Alt+ArrowUp");
    await view.say();
    seen.push((await view.page.evaluate(() => document.activeElement?.textContent ?? "")).replace(/\s+/g, " "));
  }
  const numbers = seen.map((words) => Number(/question (\d+)/.exec(words)?.[1]));
  assert.ok(Number.isInteger(numbers[0]), seen.join(" | "));
  for (let place = 1; place < numbers.length; place += 1) assert.equal(numbers[place], (numbers[place - 1] ?? 0) - 1, seen.join(" | "));
});

test("memory after 1,000 messages is printed, and the page is the same after coming back", async () => {
  const view = await showing(500);
  process.stdout.write(`figure: JS heap after 1,000 messages: ${((await heap(view)) / 1_048_576).toFixed(1)} MB\n`);
  // How much is drawn beyond the edge depends on what was measured before.
  const end = async (): Promise<string> => (await view.page.locator(".rows").innerText()).slice(-400);
  const before = await end();
  await view.say({ kind: "session", session: SESSION }, { kind: "events", session: SESSION, events: turns(500), replay: true });
  assert.equal(await end(), before);
});
