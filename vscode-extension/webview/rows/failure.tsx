// What went wrong, what was kept, and what to do next.
import type { ErrorRow } from "../state/model";
import type { Store } from "../store";
import { Icon } from "../parts/icon";
import { t } from "../strings";
import { endTitle } from "../words/ends";
import { visible } from "../words/visible";
import type { RowProps } from "./row";

export function Failure({ row, store }: RowProps<ErrorRow>) {
  return (
    <div class="card failure">
      <div class="card-title">
        <Icon name={row.outcome === "failed" ? "error" : "warning"} />
        {t(endTitle(row.outcome))}
      </div>
      {row.outcome !== "interrupted" && <div class="failure-text">{visible(row.message.slice(0, 2_000))}</div>}
      <div class="quiet">{t(row.outcome === "interrupted" ? "interruptedText" : "keptSoFar")}</div>
      {!row.over && <div class="actions">{waysOut(row).map((way) => button(way, store))}</div>}
    </div>
  );
}


type WayOut = "goOn" | "retry" | "switchModel" | "openSettings" | "signIn" | "openLog";

/** The likely way out comes first. */
function waysOut({ message, outcome }: ErrorRow): WayOut[] {
  if (outcome === "interrupted") return ["goOn", "retry"];
  if (/api.?key|sign in|log.?in|credential|unauthori[sz]ed|\b401\b|\b403\b/i.test(message)) return ["signIn", "openSettings", "switchModel"];
  if (/quota|rate|overloaded|\b429\b|\b503\b|not found|\b404\b/i.test(message)) return ["retry", "switchModel"];
  return ["retry", "switchModel", "openLog"];
}

function button(way: WayOut, store: Store) {
  const act = (): void => {
    switch (way) {
      case "goOn":
        return store.post({ kind: "prompt", how: "queue", text: t("goOnPrompt"), attachments: [], context: store.context });
      case "retry":
        return retry(store);
      case "switchModel":
        return store.openPicker("model");
      case "openSettings":
        return store.post({ kind: "go", place: "settings" });
      case "signIn":
        return store.post({ kind: "go", place: "signIn" });
      case "openLog":
        return store.post({ kind: "go", place: "log" });
    }
  };
  return (
    <button key={way} type="button" class="action" onClick={act}>
      {t(way)}
    </button>
  );
}

/** With what was attached to it, which the server has. */
function retry(store: Store): void {
  const { lastPrompt } = store.session;
  if (lastPrompt) store.post({ kind: "retry", turn: lastPrompt.turn, text: lastPrompt.text, context: store.context });
}
