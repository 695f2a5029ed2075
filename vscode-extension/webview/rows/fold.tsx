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
}

export function Fold({ open, onToggle, line, children, class: name = "", label }: Props) {
  return (
    <div class={`fold ${name}`}>
      <button type="button" class="fold-line" aria-expanded={open} aria-label={label} onClick={() => onToggle(!open)}>
        <Icon name={open ? "chevron-down" : "chevron-right"} />
        {line}
      </button>
      {open && <div class="fold-body">{children()}</div>}
    </div>
  );
}
