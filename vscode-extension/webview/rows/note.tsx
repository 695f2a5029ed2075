// A quiet line about what happened around the conversation.
import type { NoteKind, NoteRow } from "../state/model";
import { Icon } from "../parts/icon";
import { modeName } from "../composer/modes";
import { t } from "../strings";
import { tokens } from "../words/numbers";
import { oneLine } from "../words/visible";
import type { RowProps } from "./row";

const ICONS: Record<NoteKind, string> = {
  retried: "sync",
  modelChanged: "arrow-swap",
  modelChosen: "arrow-swap",
  compressed: "fold",
  rewound: "history",
  discarded: "discard",
  notRemembered: "info",
  hook: "plug",
  mode: "shield",
  topic: "bookmark",
  stopped: "circle-slash",
  refused: "warning",
  deleted: "trash",
};

export function Note({ row }: RowProps<NoteRow>) {
  const words = sentence(row.note, row.values);
  return (
    <div class={`note ${row.note}`}>
      <Icon name={ICONS[row.note]} />
      <span class="note-text" title={words}>
        {words}
      </span>
    </div>
  );
}

function sentence(note: NoteKind, values: (string | number)[]): string {
  const word = (place: number): string => oneLine(String(values[place] ?? ""));
  const number = (place: number): number => Number(values[place] ?? 0);
  switch (note) {
    case "retried":
      return t("retried", number(0), number(1), word(3));
    case "modelChanged":
      return t("modelChanged", word(0), word(1), word(2));
    case "modelChosen":
      return t("modelChosen", word(0));
    case "compressed":
      return word(2).startsWith("FAILED") ? t("compressFailed") : t("compressed", tokens(number(0)), tokens(number(1)));
    case "rewound":
      return t("rewound");
    case "discarded":
      return t("discarded", word(0));
    case "notRemembered":
      return t("notRemembered", word(0));
    case "mode":
      return t("modeNote", modeName(word(0)));
    case "topic":
      return word(1) === "" ? word(0) : `${word(0)} · ${word(1)}`;
    case "stopped":
      if (word(0) === "declined") return t("declinedNote");
      return word(0) === "stopped" ? t("hookStopped", word(1)) : t("stoppedNote");
    case "refused":
      return asSentence(word(0));
    case "hook":
      return word(0);
    case "deleted":
      return t("deletedNote");
  }
}

/** The server gives reasons as parts of a sentence; here one stands alone. */
function asSentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
