// A question of the agent: exactly what would happen, where, why it asks, and the keys that answer.
import type { ApprovalAnswer, ApprovalOffer } from "../../src/protocol";
import type { Question, QuestionRow } from "../state/model";
import { openHunks } from "../state/questions";
import type { Store } from "../store";
import { Icon } from "../parts/icon";
import { t } from "../strings";
import { replyWords } from "../words/replies";
import { oneLine, visible } from "../words/visible";
import { EditBody } from "./editBody";
import { QuestionBody } from "./questionBody";
import { QuestionShell, type Choice, type Refusal } from "./questionShell";
import { QuestionsForm } from "./questionsForm";
import type { RowProps } from "./row";

export function QuestionCard({ row, store }: RowProps<QuestionRow>) {
  const question = row.question;
  if (row.state !== "waiting") return row.conflict === "open" && question.kind === "edit" ? <Conflict path={question.edit.path} store={store} /> : <Answered row={row} store={store} />;
  const answer = (given: ApprovalAnswer): void => store.answer(question.number, given);
  if (question.kind === "edit") {
    return (
      <QuestionShell
        store={store}
        number={question.number}
        about="edit"
        title={t("editTitle")}
        subject={question.edit.path}
        {...editAnswers(row, question, store, answer)}
        onDigit={(digit) => {
          if (question.edit.hunks.length > 1 && openHunks(row).includes(digit - 1)) store.decide(row, [digit - 1], "reject");
        }}
      >
        <EditBody row={row} edit={question.edit} store={store} />
      </QuestionShell>
    );
  }
  const request = question.request;
  if (request.subject.kind === "questions") return <QuestionsForm questions={request.subject.questions} reason={request.reason} number={question.number} store={store} answer={answer} />;
  return (
    <QuestionShell
      store={store}
      number={question.number}
      title={title(question)}
      subject=""
      choices={choices(question, answer)}
      refusal={refusal(request.subject.kind === "plan" ? "keepPlanning" : request.subject.kind === "stuck" ? "stopHere" : "reject", answer)}
      offers={request.offers}
      answer={answer}
    >
      <QuestionBody request={request} store={store} />
    </QuestionShell>
  );
}

type Approval = Extract<Question, { kind: "approval" }>;

function title({ request }: Approval): string {
  switch (request.subject.kind) {
    case "command":
      return t("runTitle");
    case "fetch":
      return t("fetchTitle");
    case "plan":
      return t("planTitle");
    case "enterPlan":
      return t("enterPlanTitle");
    case "stuck":
      return t("stuckTitle", request.subject.times);
    case "questions":
    case "other":
      return oneLine(request.title, 120);
  }
}

type Answer = (given: ApprovalAnswer) => void;

function choices({ request }: Approval, answer: Answer): Choice[] {
  const allow = (label: string): Choice => ({ key: "Enter", label, act: () => answer({ kind: "allow" }) });
  switch (request.subject.kind) {
    case "plan":
      return [
        { key: "Enter", label: t("carryOut"), act: () => answer({ kind: "carryOut", mode: "default" }) },
        { key: "s", label: t("carryOutEditing"), act: () => answer({ kind: "carryOut", mode: "autoEdit" }) },
      ];
    case "enterPlan":
      return [allow(t("planFirst"))];
    case "stuck":
      return [allow(t("goOn"))];
    case "command":
    case "fetch":
    case "questions":
    case "other": {
      const all = [allow(t("once"))];
      all.push(...longer(request.offers, "session", answer), ...longer(request.offers, "workspace", answer));
      return all;
    }
  }
}

/** The narrowest offer that can be given for so long. What it allows is shown, and the rule itself is in the hint. */
function longer(offers: ApprovalOffer[], scope: "session" | "workspace", answer: Answer): Choice[] {
  const offer = offers.findIndex((one) => one.scopes.includes(scope));
  const chosen = offers[offer];
  if (chosen === undefined) return [];
  const file = chosen.rule?.files.find((one) => one.scope === scope)?.file;
  const parts = [t(scope === "session" ? "sessionHint" : "workspaceHint")];
  if (chosen.rule) parts.push(file === undefined ? t("ruleHeld") : t("ruleSaved", visible(file)), visible(chosen.rule.text).trimEnd());
  return [
    {
      key: scope === "session" ? "s" : "w",
      label: t(scope),
      hint: parts.join("\n"),
      allows: chosen.label,
      act: () => answer({ kind: "always", offer, scope }),
    },
  ];
}

type Edit = Extract<Question, { kind: "edit" }>;

/** Once some hunks are decided, the buttons are about the rest. */
function editAnswers(row: QuestionRow, { edit }: Edit, store: Store, answer: Answer): { choices: Choice[]; refusal: Refusal } {
  const open = openHunks(row);
  if (open.length < edit.hunks.length) {
    return {
      choices: [{ key: "Enter", label: t("keepRest"), act: () => store.decide(row, open, "keep") }],
      refusal: { label: t("rejectRest"), reason: "none", act: () => store.decide(row, open, "reject") },
    };
  }
  const keep: Choice = { key: "Enter", label: edit.hunks.length > 1 ? t("keepAll") : t("keep"), act: () => answer({ kind: "allow" }) };
  const change: Choice = { key: "e", label: t("editFirst"), hint: t("editFirstHint"), act: () => store.post({ kind: "editProposal", proposal: edit.proposal }) };
  const session: Choice = { key: "s", label: t("keepSession"), hint: t("modeAutoEditHint"), act: () => answer({ kind: "always", offer: 0, scope: "session" }) };
  return { choices: edit.allEdits.includes("session") ? [keep, change, session] : [keep, change], refusal: refusal("reject", answer) };
}

function refusal(label: "reject" | "keepPlanning" | "stopHere", answer: Answer): Refusal {
  return { label: t(label), reason: "asked", act: (feedback) => answer({ kind: "deny", feedback: feedback === "" ? null : feedback }) };
}

/** It was kept, and is not in the file: who changed the lines meanwhile has to say which are to stand. */
function Conflict({ path, store }: { path: string; store: Store }) {
  return (
    <div class="note answered conflict">
      <Icon name="warning" />
      <span class="note-text" title={oneLine(path)}>
        {t("conflictIn", oneLine(path, 160))}{" "}
        <button type="button" class="link" onClick={() => store.post({ kind: "openHunk", path })}>
          {t("settle")}
        </button>
      </span>
    </div>
  );
}

/** What remains of a question once it is answered. */
function Answered({ row, store }: RowProps<QuestionRow>) {
  const { question, answer } = row;
  const subject = question.kind === "edit" ? question.edit.path : summary(question);
  const refused = answer?.kind === "deny";
  const icon = !answer ? "circle-slash" : refused ? "close" : "check";
  return (
    <div class="note answered">
      <Icon name={icon} />
      <span class="note-text" title={oneLine(subject)}>
        {row.conflict === "settled" ? t("conflictSettled", oneLine(subject, 160)) : where(row, answeredWords(answer, oneLine(subject, 160)), store)}
      </span>
    </div>
  );
}

/** Said only if it was not here; after a restart a window of the same name may have been this one. */
function where({ by, question }: QuestionRow, words: string, { window, elsewhere }: Store): string {
  if (by === undefined) return words;
  if (by !== window) return t("answeredIn", words, oneLine(by, 60));
  return elsewhere.has(question.number) ? t("answeredElsewhere", words) : words;
}

function summary({ request }: Approval): string {
  return request.subject.kind === "command" ? request.subject.command : request.title;
}

function answeredWords(answer: ApprovalAnswer | undefined, subject: string): string {
  switch (answer?.kind) {
    case undefined:
      return t("notAnswered", subject);
    case "deny":
      return answer.feedback ? `${t("rejected", subject)} · ${oneLine(answer.feedback, 160)}` : t("rejected", subject);
    case "always":
    case "alwaysBy":
      return t({ session: "allowedSession", workspace: "allowedWorkspace", user: "allowedAlways" }[answer.scope] as "allowedSession", subject);
    case "replies":
      return t("answeredWith", oneLine(Object.values(answer.replies).map(replyWords).join("; "), 160));
    case "allow":
    case "allowWith":
    case "carryOut":
      return t("allowedOnce", subject);
  }
}
