// Choosing what is allowed from now on, and seeing the rule before it is saved.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalOffer, ApprovalScope } from "../../src/protocol";
import { t, type Words } from "../strings";
import { visible } from "../words/visible";

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
  const allow = (): void => answer({ kind: "always", offer, scope });
  const rule = offers[offer]?.rule;
  // For the session alone nothing is written.
  const file = rule?.files.find((one) => one.scope === scope)?.file;
  return (
    <div
      class="always"
      onKeyDown={(event) => {
        if (event.key === "Escape") goBack();
        else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) allow();
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
            <code>{visible(one.label)}</code>
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
      {rule && file !== undefined && (
        <>
          <div class="caption">{t("ruleSaved", visible(file))}</div>
          <pre tabIndex={0}>{visible(rule.text)}</pre>
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
