// Choosing what is allowed from now on, and seeing the rule before it is saved.
import { useEffect, useRef, useState } from "preact/hooks";
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
  const [wanted, setScope] = useState<ApprovalScope>(widest(scopes));
  const scope = scopes.includes(wanted) ? wanted : widest(scopes);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const allow = (): void => answer({ kind: "always", offer, scope });
  const rule = ruleOf(offers[offer], scope);
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
      {rule !== "" && (
        <>
          <div class="caption">{t("ruleSaved")}</div>
          <pre tabIndex={0}>{visible(rule)}</pre>
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

function widest(scopes: ApprovalScope[]): ApprovalScope {
  return scopes.at(-1) ?? "session";
}

/** The server may send the rule's text with the offer: one for all scopes, or one for each. */
function ruleOf(offer: ApprovalOffer | undefined, scope: ApprovalScope): string {
  const rule: unknown = offer && "rule" in offer ? offer.rule : undefined;
  if (typeof rule === "string") return rule;
  if (typeof rule !== "object" || rule === null) return "";
  const found: unknown = (rule as Record<string, unknown>)[scope] ?? (rule as Record<string, unknown>)["text"];
  return typeof found === "string" ? found : "";
}
