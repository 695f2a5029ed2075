// Questions of the agent to the person: words, yes or no, or a choice.
import { useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, QuestionReply, UserQuestion } from "../../src/protocol";
import type { Store } from "../store";
import { t } from "../strings";
import { chosenIn, isComplete, repliesOf, replyWords, shownReply, toggled, type Typed } from "../words/replies";
import { oneLine, visible } from "../words/visible";
import { useArmed } from "./armed";

interface Props {
  questions: UserQuestion[];
  /** Who asks, and why. */
  reason: string;
  number: number;
  store: Store;
  answer: (given: ApprovalAnswer) => void;
}

export function QuestionsForm({ questions, reason, number, store, answer }: Props) {
  const [typed, setTyped] = useState<Typed>({});
  const card = useRef<HTMLDivElement>(null);
  const armed = useArmed(card);
  const busy = store.answering.has(number);
  const complete = isComplete(questions, typed);
  const reply = (place: number, given: QuestionReply): void => setTyped({ ...typed, [place]: given });
  const send = (): void => {
    if (complete && !busy) answer({ kind: "replies", replies: repliesOf(questions, typed) });
  };
  const leave = (): void => answer({ kind: "deny", feedback: null });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || !armed.now.current || busy) return;
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
      data-armed={armed.shown}
      onKeyDown={onKeyDown}
    >
      {reason !== "" && <p class="quiet">{oneLine(reason)}</p>}
      {questions.map((question, place) => (
        <fieldset key={place}>
          <legend class="card-title">
            {visible(question.text)}
            {question.optional && <span class="quiet"> {t("optionalAnswer")}</span>}
          </legend>
          <Reply question={question} given={shownReply(question, place, typed)} reply={(given) => reply(place, given)} />
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

interface Option {
  value: string;
  label: string;
  description: string;
}

interface ReplyProps {
  question: UserQuestion;
  given: QuestionReply;
  reply: (given: QuestionReply) => void;
}

function Reply({ question, given, reply }: ReplyProps) {
  const form = question.answer;
  if (form.kind === "text") {
    return (
      <input
        class="field"
        value={replyWords(given)}
        placeholder={question.placeholder ?? ""}
        aria-label={visible(question.text)}
        onInput={(event) => reply(event.currentTarget.value)}
      />
    );
  }
  // What is sent is not in the language of the editor.
  const options: Option[] =
    form.kind === "yesNo"
      ? [
          { value: "Yes", label: t("yes"), description: "" },
          { value: "No", label: t("no"), description: "" },
        ]
      : form.options.map((option) => ({ value: option.label, ...option }));
  const several = form.kind === "choice" && form.several;
  const none = question.optional && !several;
  const chosen = chosenIn(given);
  const toggle = (value: string): void => reply(several ? toggled(given, value) : value);
  return (
    <>
      {options.map((option) => (
        <label key={option.value} class="option">
          <input type={several ? "checkbox" : "radio"} checked={chosen.includes(option.value)} onChange={() => toggle(option.value)} />
          <span>
            {oneLine(option.label)}
            {option.description !== "" && <span class="quiet"> {oneLine(option.description)}</span>}
          </span>
        </label>
      ))}
      {none && (
        <label class="option">
          <input type="radio" checked={given === ""} onChange={() => reply("")} />
          <span class="quiet">{t("noAnswer")}</span>
        </label>
      )}
    </>
  );
}
