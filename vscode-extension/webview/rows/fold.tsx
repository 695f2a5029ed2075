// A line that can be opened.
import type { ComponentChildren } from "preact";
import { Icon } from "../parts/icon";

interface Props {
  open: boolean;
  onToggle: (open: boolean) => void;
  line: ComponentChildren;
  children: () => ComponentChildren;
  class?: string;
  label?: string;
  /** Beside the line: a button cannot stand inside another. */
  beside?: ComponentChildren;
}

export function Fold({ open, onToggle, line, children, class: name = "", label, beside }: Props) {
  const folded = (
    <button type="button" class="fold-line" aria-expanded={open} aria-label={label} onClick={() => onToggle(!open)}>
      <Icon name={open ? "chevron-down" : "chevron-right"} />
      {line}
    </button>
  );
  return (
    <div class={`fold ${name}`}>
      {beside ? (
        <div class="fold-head">
          {folded}
          {beside}
        </div>
      ) : (
        folded
      )}
      {open && <div class="fold-body">{children()}</div>}
    </div>
  );
}
