// What a screen reader is told: the answer by sentences, politely; a question at once and whole.
import type { ChatEvent } from "../src/chat/messages";
import type { ApprovalSubject } from "../src/protocol";
import { t, type Words } from "./strings";
import { agentName } from "./words/agents";
import { endTitle, isFailure } from "./words/ends";
import { oneLine, visible } from "./words/visible";

const SENTENCE = /[.!?:。！？](?=\s|$)|\n/g;
/** Nobody listens to more than this at once. */
const LONGEST = 600;

/** With the keys that answer, which differ. */
const KEYS: Record<ApprovalSubject["kind"], Words> = {
  command: "approvalWaits",
  fetch: "approvalWaits",
  other: "approvalWaits",
  questions: "questionsWait",
  plan: "planWaits",
  enterPlan: "enterPlanWaits",
  stuck: "stuckWaits",
};

export class Announcer {
  /** Shown in the polite region. */
  polite = "";
  /** Shown in the assertive region. */
  assertive = "";
  private waiting = "";
  private inCode = false;
  /** Sub-agents by their calls, and by the calls that they make. */
  private readonly agents = new Map<string, string>();
  private readonly working = new Set<string>();

  reset(): void {
    this.agents.clear();
    this.working.clear();
    this.polite = "";
    this.assertive = "";
    this.waiting = "";
    this.inCode = false;
  }

  hear(events: readonly ChatEvent[]): void {
    for (const event of events) this.hearOne(event);
  }

  private hearOne(event: ChatEvent): void {
    switch (event.kind) {
      case "text":
        this.waiting += event.text;
        return this.speakSentences();
      case "toolStarted": {
        if (event.activity === "agent") {
          this.agents.set(event.call, oneLine(agentName(event.title), 60));
          this.working.add(event.call);
        }
        const agent = this.agents.get(event.parent ?? "");
        if (agent !== undefined) this.agents.set(event.call, agent);
        return this.say(agent === undefined ? oneLine(event.title) : `${agent}: ${oneLine(event.title)}`);
      }
      case "toolEnded":
        // Of a sub-agent that has ended a person wants to know; other calls end all the time.
        if (!this.working.delete(event.call)) return;
        return this.say(`${this.agents.get(event.call) ?? ""}: ${event.message === "" ? t("cancelledWord") : oneLine(event.message)}`);
      case "approvalRequested":
        this.assertive = this.asked(event.call, t(KEYS[event.subject.kind], question(event)));
        return;
      case "editProposed":
        this.assertive = this.asked(event.call, t("editWaits", visible(event.path), event.hunks.length));
        return;
      case "editContested":
        this.assertive = t("conflictHeard");
        return;
      case "turnStarted":
        this.assertive = "";
        return;
      case "approvalEnded":
      case "editDecided":
        this.assertive = "";
        return;
      case "turnEnded":
        this.say(`${this.waiting} ${event.outcome === "completed" || isFailure(event.outcome) ? "" : event.message}`);
        this.assertive = isFailure(event.outcome) ? `${t(endTitle(event.outcome))}. ${visible(event.message).slice(0, LONGEST)}` : "";
        this.waiting = "";
        this.inCode = false;
        this.agents.clear();
        this.working.clear();
        return;
      default:
        return;
    }
  }

  /** A question of a sub-agent names it. */
  private asked(call: string | null | undefined, words: string): string {
    const agent = this.agents.get(call ?? "");
    return agent === undefined ? words : `${agent}: ${words}`;
  }

  private speakSentences(): void {
    let end = 0;
    for (const found of this.waiting.matchAll(SENTENCE)) end = found.index + found[0].length;
    if (end === 0) {
      if (this.waiting.length > LONGEST) this.waiting = this.waiting.slice(-LONGEST);
      return;
    }
    this.say(this.waiting.slice(0, end));
    this.waiting = this.waiting.slice(end);
  }

  private say(text: string): void {
    // Code is looked at and not listened to.
    const lines = text.split("\n").filter((line) => {
      if (!/^\s*(```|~~~)/.test(line)) return !this.inCode;
      this.inCode = !this.inCode;
      return false;
    });
    const words = visible(lines.join(" ")).replace(/[*_`#|]+/g, "").trim();
    if (words !== "") this.polite = words.slice(0, LONGEST);
  }
}

function question(event: Extract<ChatEvent, { kind: "approvalRequested" }>): string {
  const subject = event.subject;
  // The whole command: nobody should allow what was not read out.
  if (subject.kind === "command") return `${t("runTitle")} ${visible(subject.command)} ${t("inFolder", subject.folder)}`;
  if (subject.kind === "fetch") return `${t("fetchTitle")} ${visible(subject.urls.join(", "))}`;
  if (subject.kind === "questions") return visible(subject.questions.map((one) => one.text).join(" "));
  return visible(event.title);
}
