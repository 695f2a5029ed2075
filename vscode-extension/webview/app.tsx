// The whole view, and where the focus goes.
import { Component, createRef } from "preact";
import { Composer } from "./composer/composer";
import { List } from "./list/list";
import { Below } from "./parts/below";
import { Empty } from "./parts/empty";
import { Header } from "./parts/header";
import { Sessions } from "./parts/sessions";
import { focusByItself, isDangerous } from "./rows/armed";
import type { QuestionRow } from "./state/model";
import type { Store } from "./store";

export class App extends Component<{ store: Store }> {
  private readonly list = createRef<List>();
  private asked: number | undefined;

  override componentDidUpdate(): void {
    this.lookAtQuestion();
  }

  /** A new question takes the focus only from a person who is here and is not writing. */
  private lookAtQuestion(): void {
    const { store } = this.props;
    const row = store.session.questions.find((one) => !store.answering.has(one.question.number));
    const isNew = row !== undefined && row.question.number !== this.asked;
    const wanted = store.wantsFocus === "approval";
    this.asked = row?.question.number;
    if (!row || !(isNew || wanted)) return;
    const free = store.draft === "" && document.hasFocus() && !(document.activeElement instanceof HTMLInputElement) && document.activeElement?.closest(".queue, .always") === null;
    if (!wanted && (!free || isDangerous(row))) return;
    store.wantsFocus = undefined;
    this.goTo(row, wanted ? "asked" : "by itself");
  }

  private goTo(row: QuestionRow, how: "asked" | "by itself"): void {
    this.list.current?.reveal(row, () => {
      const card = document.querySelector<HTMLElement>(`[data-question="${row.question.number}"]`);
      if (how === "asked") card?.focus({ preventScroll: true });
      else if (card) focusByItself(card);
      // The list knows the places of its rows, and not of what stands inside one.
      if (row.within) card?.scrollIntoView({ block: "nearest" });
    });
  }

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    const { store } = this.props;
    // While an input method composes, its keys are its own.
    if (event.isComposing) return;
    if (event.key === "Tab" && this.passQuestion(event)) return event.preventDefault();
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) this.walk(event.key === "ArrowUp" ? -1 : 1);
    else if (event.key === "Escape" && store.session.running !== undefined && store.pane === "chat") store.post({ kind: "stop" });
    else return;
    event.preventDefault();
  };

  /** From the composer to the last question, from there to the turns, and back the same way. */
  private passQuestion({ target, shiftKey }: KeyboardEvent): boolean {
    const row = this.props.store.session.questions.at(-1);
    if (!row || !(target instanceof HTMLElement)) return false;
    const card = (): HTMLElement | null => document.querySelector(`[data-question="${row.question.number}"]`);
    if (!shiftKey && target instanceof HTMLTextAreaElement && target.closest(".composer") !== null) {
      this.goTo(row, "asked");
      return true;
    }
    const last = [...(card()?.querySelectorAll<HTMLElement>("button, input, [tabindex]") ?? [])].at(-1);
    const next = shiftKey && target === card() ? ".composer textarea" : !shiftKey && target === last ? ".scroller" : undefined;
    if (next === undefined) return false;
    document.querySelector<HTMLElement>(next)?.focus({ preventScroll: true });
    return true;
  }

  private readonly walk = (step: -1 | 1): void => this.list.current?.walk(step);

  override render({ store }: { store: Store }) {
    const { session } = store;
    const blank = session.rows.length === 0 && session.queue.length === 0;
    return (
      <div class="app" onKeyDown={this.onKeyDown}>
        <Header store={store} />
        {store.pane === "sessions" ? (
          <Sessions store={store} now={Date.now()} />
        ) : (
          <>
            {/* First here and last on the screen: the focus goes from the composer to what lies above it. */}
            <Composer store={store} version={store.version} walk={this.walk} />
            <Below store={store} />
            {blank && !store.loading ? <Empty store={store} /> : <List self={this.list} store={store} session={session} />}
          </>
        )}
        <div class="unseen" aria-live="polite">
          {store.announcer.polite}
        </div>
        <div class="unseen" aria-live="assertive" role="alert">
          {store.announcer.assertive}
        </div>
      </div>
    );
  }
}
