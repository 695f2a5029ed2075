// Choosing what is allowed from now on, and seeing the rule before it is saved.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalOffer, ApprovalScope } from "../../src/protocol";
import { t, type Words } from "../strings";
import { visible } from "../words/visible";
import { OfferLabel } from "./offer";

const SCOPES: Record<ApprovalScope, Words> = { session: "scopeSession", workspace: "scopeWorkspace", user: "scopeUser" };

interface Props {
  offers: ApprovalOffer[];
  answer: (given: ApprovalAnswer) => void;
  goBack: () => void;
}

export function Always({ offers, answer, goBack }: Props) {
  const [offer, setOffer] = useState(0);
  const scopes = offers[offer]?.scopes ?? [];
  const [wanted, setScope] = useState<ApprovalScope>("workspace");
  // What was learned in one workspace need not hold in the next: wider than that is chosen on purpose.
  const scope = scopes.includes(wanted) ? wanted : (scopes[0] ?? "session");
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const rule = offers[offer]?.rule;
  // What was written stands for the offer that it was made of.
  const [written, setWritten] = useState<{ offer: number; text: string } | undefined>(undefined);
  const text = written?.offer === offer ? written.text : (rule?.text ?? "");
  const allow = (): void =>
    answer(text === (rule?.text ?? "") ? { kind: "always", offer, scope } : { kind: "alwaysBy", rule: text, scope });
  // For the session alone nothing is written.
  const file = rule?.files.find((one) => one.scope === scope)?.file;
  return (
    <div
      class="always"
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Escape") goBack();
        else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement) && !(event.target instanceof HTMLTextAreaElement)) allow();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <fieldset>
        <legend class="caption">{t("alwaysWhat")}</legend>
        {offers.map((one, place) => (
          <label key={place} class="option">
            <input ref={place === 0 ? first : null} type="radio" checked={offer === place} onChange={() => setOffer(place)} />
            <span>
              <OfferLabel label={one.label} />
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend class="caption">{t("alwaysScope")}</legend>
        {scopes.map((one) => (
          <label key={one} class="option">
            <input type="radio" checked={scope === one} onChange={() => setScope(one)} />
            {t(SCOPES[one])}
          </label>
        ))}
      </fieldset>
      {rule && (
        <>
          <div class="caption">{file === undefined ? t("ruleHeld") : t("ruleSaved", visible(file))}</div>
          <textarea
            class="field rule"
            rows={Math.min(12, text.split("\n").length)}
            value={text}
            spellcheck={false}
            aria-label={t("ruleEdit")}
            onInput={(event) => setWritten({ offer, text: event.currentTarget.value })}
          />
        </>
      )}
      <div class="choices">
        <button type="button" class="choice primary" onClick={allow}>
          {t("allowAlways")}
        </button>
        <button type="button" class="choice" onClick={goBack}>
          {t("cancel")}
        </button>
      </div>
    </div>
  );
}
