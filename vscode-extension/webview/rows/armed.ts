// When the keys of a question count.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { QuestionRow } from "../state/model";

/** A key that was meant for something else must not answer a question that has just come up, or has just taken the focus. */
const ARMED_AFTER_MS = 600;

/** Sent to a card that is about to take the focus by itself. */
const TAKES_FOCUS = "pollux-takes-focus";

export function focusByItself(card: HTMLElement): void {
  card.dispatchEvent(new CustomEvent(TAKES_FOCUS));
  card.focus({ preventScroll: true });
}

export interface Armed {
  /** For what is drawn. */
  shown: boolean;
  /** For a key that is pressed before that is drawn. */
  now: { current: boolean };
}

export function useArmed(card: RefObject<HTMLElement | null>): Armed {
  const [shown, setShown] = useState(false);
  const now = useRef(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const set = (armed: boolean): void => {
      now.current = armed;
      setShown(armed);
    };
    const arm = (): void => {
      clearTimeout(timer);
      set(false);
      timer = setTimeout(() => set(true), ARMED_AFTER_MS);
    };
    arm();
    const element = card.current;
    element?.addEventListener(TAKES_FOCUS, arm);
    return () => {
      clearTimeout(timer);
      element?.removeEventListener(TAKES_FOCUS, arm);
    };
  }, []);
  return { shown, now };
}

/** Whether it may destroy something, or comes from outside: such a question never takes the focus by itself. */
export function isDangerous({ question }: QuestionRow): boolean {
  return question.kind === "approval" && question.request.subject.kind === "command" && question.request.subject.cautions.length > 0;
}
