// What goes with the next prompt. A chip of the editor can be switched off and on again; an attachment goes away.
import type { Attachment, ContextChoice } from "../../src/chat/messages";
import { Icon } from "../parts/icon";
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine } from "../words/visible";

export function Chips({ store }: { store: Store }) {
  const { activeFile, selection, openFiles = 0, problems = 0, rules } = store.editorContext;
  const mayFile = rules.activeFile !== "off";
  return (
    <div class="chips composer-chips">
      {activeFile !== undefined && mayFile && <Switch store={store} what="activeFile" icon="file" label={activeFile} />}
      {selection !== undefined && mayFile && rules.selection !== "off" && (
        <Switch store={store} what="selection" icon="list-selection" label={selection} />
      )}
      {openFiles > 0 && (
        <Switch store={store} what="openFiles" icon="files" label={openFiles === 1 ? t("oneOpenFile") : t("openFiles", openFiles)} />
      )}
      {problems > 0 && (
        <Switch store={store} what="diagnostics" icon="warning" label={problems === 1 ? t("oneProblem") : t("problems", problems)} />
      )}
      {store.attachments.map((attachment, place) => (
        <Attached key={place} attachment={attachment} remove={() => store.attach(store.attachments.filter((_, at) => at !== place))} />
      ))}
      <button type="button" class="chip add" title={t("attach")} aria-label={t("attach")} onClick={() => store.openPicker("attach")}>
        <Icon name="add" />
      </button>
    </div>
  );
}

interface SwitchProps {
  store: Store;
  what: keyof ContextChoice;
  icon: string;
  label: string;
}

function Switch({ store, what, icon, label }: SwitchProps) {
  const on = store.context[what];
  const words = oneLine(label, 80);
  return (
    <button type="button" class={on ? "chip" : "chip off"} aria-pressed={on} title={t(on ? "chipOn" : "chipOff", words)} onClick={() => store.switch(what, !on)}>
      <Icon name={on ? icon : "eye-closed"} />
      <span class="chip-label">{words}</span>
    </button>
  );
}

function Attached({ attachment, remove }: { attachment: Attachment; remove: () => void }) {
  const label = oneLine(attachment.kind === "image" ? attachment.name : attachment.label, 80);
  return (
    <button type="button" class="chip" title={t("chipRemove", label)} onClick={remove}>
      <Icon name={attachment.kind === "image" ? "file-media" : "attach"} />
      <span class="chip-label">{label}</span>
      <Icon name="close" />
    </button>
  );
}
