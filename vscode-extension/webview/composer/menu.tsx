// A short list above the composer: models, modes, suggestions. Arrow keys walk it, Enter takes, Escape leaves.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon";
import { oneLine } from "../words/visible";

export interface MenuItem {
  id: string;
  label: string;
  hint: string;
  icon?: string;
}

interface Props {
  label: string;
  items: readonly MenuItem[];
  current?: string | undefined;
  take: (id: string) => void;
  leave: () => void;
}

/** A menu that has the focus, as long as it is open. */
export function Menu({ label, items, current, take, leave }: Props) {
  const [place, setPlace] = useState(Math.max(0, items.findIndex((item) => item.id === current)));
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <div
      ref={box}
      class="menu"
      role="listbox"
      aria-label={label}
      aria-activedescendant={`item-${place}`}
      tabIndex={0}
      onBlur={(event) => {
        if (!(event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget))) leave();
      }}
      onKeyDown={(event) => {
        const step = stepOf(event.key);
        if (step !== 0) setPlace((place + step + items.length) % Math.max(1, items.length));
        else if (event.key === "Enter" || event.key === " ") take(items[place]?.id ?? "");
        else if (event.key === "Escape") leave();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <MenuItems items={items} place={place} current={current} take={take} />
    </div>
  );
}

export function stepOf(key: string): -1 | 0 | 1 {
  return key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
}

interface ItemsProps {
  items: readonly MenuItem[];
  place: number;
  current?: string | undefined;
  take: (id: string) => void;
}

export function MenuItems({ items, place, current, take }: ItemsProps) {
  const chosen = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => chosen.current?.scrollIntoView({ block: "nearest" }), [place]);
  return (
    <>
      {items.map((item, at) => (
        <div
          key={item.id}
          id={`item-${at}`}
          ref={at === place ? chosen : null}
          class={at === place ? "menu-item active" : "menu-item"}
          role="option"
          aria-selected={at === place}
          // A press must not take the focus away before it counts.
          onMouseDown={(event) => {
            event.preventDefault();
            take(item.id);
          }}
        >
          {item.icon !== undefined && <Icon name={item.icon} />}
          {current !== undefined && <Icon name={item.id === current ? "check" : "blank"} />}
          <span class="menu-label">{oneLine(item.label, 120)}</span>
          <span class="menu-hint">{oneLine(item.hint, 160)}</span>
        </div>
      ))}
    </>
  );
}
