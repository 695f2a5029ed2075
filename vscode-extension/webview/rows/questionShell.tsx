// The frame around a question: its keys, the reason of a refusal, and what "always" would mean.
import { Fragment, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalOffer } from "../../src/protocol";
import type { Store } from "../store";
import { t } from "../strings";
import { decisionOf } from "../words/keyboard";
import { oneLine } from "../words/visible";
import { Always } from "./always";
import { useArmed } from "./armed";
import { OfferLabel } from "./offer";

export interface Choice {
  key: "Enter" | "e" | "s" | "w";
  label: string;
  /** What the label means, where it is short. */
  hint?: string;
  /** What is allowed without a question from then on: seen before it is chosen. */
  allows?: string;
  act: () => void;
}

export interface Refusal {
  label: string;
  /** Whether the model is told why. */
  reason: "asked" | "none";
  act: (reason: string) => void;
}

interface Props {
  store: Store;
  number: number;
  title: string;
  subject: string;
  choices: Choice[];
  refusal: Refusal;
  offers?: ApprovalOffer[];
  answer?: (given: ApprovalAnswer) => void;
  onDigit?: (digit: number) => void;
  /** An edit is also decided by the keys that keep and reject in its file. */
  about?: "edit";
  children: ComponentChildren;
}

export function QuestionShell({ store, number, title, subject, choices, refusal, offers = [], answer, onDigit, about, children }: Props) {
  const [part, setPart] = useState<"choices" | "reject" | "always">("choices");
  const card = useRef<HTMLDivElement>(null);
  const armed = useArmed(card);
  const busy = store.answering.has(number);
  // One answer for now and one against it; what holds for longer stands below, on one line.
  const [first, ...longer] = choices;
  const goBack = (): void => {
    setPart("choices");
    card.current?.focus();
  };
  const refuse = (): void => {
    if (refusal.reason === "asked") setPart("reject");
    else refusal.act("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (part !== "choices" || !armed.now.current || busy) return;
    const decision = about === "edit" ? decisionOf(event) : undefined;
    if (decision !== undefined) {
      if (decision === "keep") first?.act();
      else refuse();
      event.preventDefault();
      return;
    }
    if (event.isComposing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target instanceof HTMLButtonElement;
    if (event.key === "Enter" && onButton) return;
    const chosen = choices.find((choice) => choice.key.toLowerCase() === event.key.toLowerCase());
    if (chosen) chosen.act();
    else if (event.key === "Escape") refuse();
    else if (onDigit && /^[1-9]$/.test(event.key)) onDigit(Number(event.key));
    else if (event.key.toLowerCase() === "a" && offers.length > 0) setPart("always");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={card}
      class="card question"
      role="group"
      aria-label={`${title} ${subject}`}
      tabIndex={0}
      data-question={number}
      data-armed={armed.shown}
      onKeyDown={onKeyDown}
    >
      <div class="card-title">
        <span class="card-verb">{title}</span>
        {subject !== "" && <span class="card-subject">{oneLine(subject)}</span>}
      </div>
      {children}
      {part === "choices" && (
        <div class="answers">
          <div class="choices">
            {first && (
              <button type="button" class="choice primary" disabled={busy} onClick={first.act}>
                <kbd>⏎</kbd> {first.label}
              </button>
            )}
            <button type="button" class="choice" disabled={busy} onClick={refuse}>
              <kbd>Esc</kbd> {refusal.label}
            </button>
          </div>
          {(longer.length > 0 || offers.length > 0) && (
            <div class="longer" role="group" aria-label={t("longer")}>
              {longer.map((choice) => (
                <button key={choice.key} type="button" class="link" title={choice.hint} disabled={busy} onClick={choice.act}>
                  <kbd>{choice.key.toUpperCase()}</kbd> {choice.label}
                </button>
              ))}
              {offers.length > 0 && (
                <button type="button" class="link" title={t("alwaysHint")} disabled={busy} onClick={() => setPart("always")}>
                  <kbd>A</kbd> {t("always")}
                </button>
              )}
            </div>
          )}
          <Allowed choices={longer} />
        </div>
      )}
      {part === "reject" && <Reason act={refusal.act} goBack={goBack} />}
      {part === "always" && answer && <Always offers={offers} answer={answer} goBack={goBack} />}
    </div>
  );
}

/** Keys that allow the same share a line. */
function Allowed({ choices }: { choices: Choice[] }) {
  const kinds = [...new Set(choices.flatMap(({ allows }) => (allows === undefined ? [] : [allows])))];
  return (
    <>
      {kinds.map((kind) => (
        <div key={kind} class="allowed">
          {choices.filter(({ allows }) => allows === kind).map(({ key }) => (
            <Fragment key={key}>
              <kbd>{key.toUpperCase()}</kbd>{" "}
            </Fragment>
          ))}
          {t("longerAllows")} <OfferLabel label={kind} />
        </div>
      ))}
    </>
  );
}

function Reason({ act, goBack }: { act: (reason: string) => void; goBack: () => void }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <div class="reason">
      <input
        ref={field}
        class="field"
        value={text}
        placeholder={t("rejectWhy")}
        aria-label={t("rejectWhy")}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") act(text.trim());
          else if (event.key === "Escape") goBack();
          else return;
          // No other key: those of the editor around have to get there.
          event.stopPropagation();
        }}
      />
      <div class="choices">
        <button type="button" class="choice primary" onClick={() => act(text.trim())}>
          {t("rejectNow")}
        </button>
        <button type="button" class="choice" onClick={goBack}>
          {t("cancel")}
        </button>
      </div>
    </div>
  );
}
