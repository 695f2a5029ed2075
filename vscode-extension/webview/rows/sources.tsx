// Pages that the answer goes back to.
import type { SourcesRow } from "../state/model";
import { Icon } from "../parts/icon";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { target } from "../markdown/render";
import type { RowProps } from "./row";

export function Sources({ row, store }: RowProps<SourcesRow>) {
  return (
    <div class="sources">
      <span class="caption">{t("sources")}</span>
      {row.sources.slice(0, 40).map(({ title, uri }, place) => {
        const found = target(uri);
        return (
          <button
            key={place}
            type="button"
            class="chip"
            title={oneLine(uri)}
            disabled={found?.kind !== "page"}
            onClick={() => found?.kind === "page" && store.post({ kind: "openLink", href: found.href })}
          >
            <Icon name="globe" />
            <span class="chip-label">{oneLine(title === "" ? uri : title, 60)}</span>
          </button>
        );
      })}
    </div>
  );
}
