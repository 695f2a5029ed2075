// Questions of the agent to the person: words, yes or no, or a choice.
import { useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, UserQuestion } from "../../src/protocol";
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine, visible } from "../words/visible";
import { useArmed } from "./questionShell";

interface Props {
  questions: UserQuestion[];
  number: number;
  store: Store;
  answer: (given: ApprovalAnswer) => void;
}

export function QuestionsForm({ questions, number, store, answer }: Props) {
  const [replies, setReplies] = useState<Record<string, string>>({});
  const card = useRef<HTMLDivElement>(null);
  const armed = useArmed();
  const busy = store.answering.has(number);
  const complete = questions.every((_, place) => (replies[place] ?? "").trim() !== "");
  const reply = (place: number, text: string): void => setReplies({ ...replies, [place]: text });
  const send = (): void => {
    // The generated type of this map is too narrow: it goes by the question's number, from zero, to the words.
    if (complete && !busy) answer({ kind: "replies", replies: replies as unknown as Record<string, never> });
  };
  const leave = (): void => answer({ kind: "deny", feedback: null });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || !armed || busy) return;
    if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) send();
    // Whoever is writing goes out of the field first: what stands there is not thrown away by one key.
    else if (event.key === "Escape" && event.target !== card.current) card.current?.focus();
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={card}
      class="card question"
      role="group"
      aria-label={t("questionTitle")}
      tabIndex={0}
      data-question={number}
      data-armed={armed}
      onKeyDown={onKeyDown}
    >
      {questions.map((question, place) => (
        <fieldset key={place}>
          <legend class="card-title">{visible(question.text)}</legend>
          <Reply question={question} text={replies[place] ?? ""} reply={(text) => reply(place, text)} />
        </fieldset>
      ))}
      <div class="choices">
        <button type="button" class="choice primary" disabled={!complete || busy} onClick={send}>
          <kbd>⏎</kbd> {t("sendAnswer")}
        </button>
        <button type="button" class="choice" disabled={busy} onClick={leave}>
          <kbd>Esc</kbd> {t("leaveIt")}
        </button>
      </div>
    </div>
  );
}

interface ReplyProps {
  question: UserQuestion;
  text: string;
  reply: (text: string) => void;
}

function Reply({ question, text, reply }: ReplyProps) {
  const form = question.answer;
  if (form.kind === "text") {
    return (
      <input
        class="field"
        value={text}
        placeholder={question.placeholder ?? ""}
        aria-label={visible(question.text)}
        onInput={(event) => reply(event.currentTarget.value)}
      />
    );
  }
  const options = form.kind === "yesNo" ? [t("yes"), t("no")].map((label) => ({ label, description: "" })) : form.options;
  const several = form.kind === "choice" && form.several;
  const chosen = several ? text.split(", ").filter((part) => part !== "") : [text];
  const toggle = (label: string): void => {
    if (!several) return reply(label);
    reply((chosen.includes(label) ? chosen.filter((other) => other !== label) : [...chosen, label]).join(", "));
  };
  return (
    <>
      {options.map((option) => (
        <label key={option.label} class="option">
          <input type={several ? "checkbox" : "radio"} checked={chosen.includes(option.label)} onChange={() => toggle(option.label)} />
          <span>
            {oneLine(option.label)}
            {option.description !== "" && <span class="quiet"> {oneLine(option.description)}</span>}
          </span>
        </label>
      ))}
    </>
  );
}
