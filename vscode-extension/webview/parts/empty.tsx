// What an empty chat says: how to begin.
import type { Store } from "../store";
import { t } from "../strings";
import { oneLine } from "../words/visible";
import { Icon } from "./icon";

export function Empty({ store }: { store: Store }) {
  const isDemo = store.session.model?.startsWith("demo") ?? false;
  return (
    <div class="empty">
      <p>{t("emptyOne")}</p>
      <p>{t("emptyTwo")}</p>
      <p>{t("emptyThree")}</p>
      <div class="examples">
        {store.editorContext.examples.slice(0, 3).map((example) => (
          <button
            key={example}
            type="button"
            class="example"
            onClick={() => {
              store.wantsFocus = "composer";
              store.setDraft(example);
            }}
          >
            <Icon name="arrow-right" />
            <span>{oneLine(example, 160)}</span>
          </button>
        ))}
      </div>
      <p>
        <button type="button" class="link" onClick={() => store.post({ kind: "go", place: "walkthrough" })}>
          {t("walkthrough")}
        </button>
      </p>
      {isDemo && (
        <p class="quiet demo">
          {t("demoNotice")}{" "}
          <button type="button" class="link" onClick={() => store.openPicker("model")}>
            {t("chooseModel")}
          </button>
        </p>
      )}
    </div>
  );
}
