// Lines that came and went, and a mark for every hunk.
import { t } from "../strings";
import type { EditedFile } from "../state/model";
import { Icon } from "./icon";

export function Lines({ added, removed }: { added: number; removed: number }) {
  // Of an empty file there is nothing to count; the place stays.
  if (added + removed === 0) return <span class="lines" />;
  return (
    <span class="lines" role="img" aria-label={t("linesChanged", added, removed)}>
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}

/** Beyond a handful nobody counts dots. */
const MOST = 8;

export function Dots({ file }: { file: EditedFile }) {
  const { pending, proposed, conflicts } = file;
  const kept = file.kept + file.agreed;
  const rejected = file.rejected + file.declined;
  const state = t("hunksState", pending + proposed, kept, rejected);
  const label = conflicts === 0 ? state : `${state}, ${t(conflicts === 1 ? "oneConflict" : "conflicts", conflicts)}`;
  if (kept + rejected + pending + proposed + conflicts > MOST) {
    return (
      <span class="dots" role="img" aria-label={label} title={label}>
        {conflicts > 0 && <Count icon="warning" kind="conflict" count={conflicts} />}
        {pending + proposed > 0 && <Count icon="circle-filled" kind="pending" count={pending + proposed} />}
        {kept > 0 && <Count icon="check" kind="kept" count={kept} />}
        {rejected > 0 && <Count icon="close" kind="rejected" count={rejected} />}
      </span>
    );
  }
  const marks = [
    ...marksOf("check", "kept", kept),
    ...marksOf("close", "rejected", rejected),
    ...marksOf("warning", "conflict", conflicts),
    ...marksOf("circle-filled", "pending", pending),
    ...marksOf("circle", "pending", proposed),
  ];
  return (
    <span class="dots" role="img" aria-label={label} title={label}>
      {marks}
    </span>
  );
}

function marksOf(icon: string, kind: string, count: number) {
  return Array.from({ length: count }, (_, place) => (
    <span key={`${kind}${icon}${place}`} class={`dot ${kind}`}>
      <Icon name={icon} />
    </span>
  ));
}

function Count({ icon, kind, count }: { icon: string; kind: string; count: number }) {
  return (
    <span class={`dot ${kind}`}>
      <Icon name={icon} />
      {count}
    </span>
  );
}
