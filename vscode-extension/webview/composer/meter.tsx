// How full the model's window is.
import type { Session } from "../state/model";
import { t } from "../strings";
import { money, tokens } from "../words/numbers";

export function Meter({ session }: { session: Session }) {
  const usage = session.usage;
  // A model that does not count its tokens fills nothing that could be shown.
  if (!usage || usage.total === 0) return null;
  const size = session.contextWindow;
  const used = tokens(usage.total);
  const parts = t("contextParts", ...[usage.prompt, usage.cached, usage.answer, usage.thoughts, usage.tools].map(tokens));
  const line = size === undefined ? t("contextUnknown", used) : t("context", used, tokens(size));
  const share = size === undefined ? 0 : usage.total / size;
  const label = [line, parts, t("contextSpent", tokens(session.spent)), ...cost(session)].join("\n");
  return (
    <span class={share > 0.8 ? "meter full" : "meter"} title={label} aria-label={label} role="img">
      {size === undefined ? used : `${used}/${tokens(size)}`}
    </span>
  );
}

function cost({ cost }: Session): string[] {
  if (cost === undefined) return [];
  const amounts = [cost.turn, cost.session].map((amount) => money(amount, cost.currency, navigator.language));
  return [t("cost", ...amounts)];
}
