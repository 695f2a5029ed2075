// A codicon. Decoration only: whatever carries meaning is said in words beside it.
export function Icon({ name, spin = "still" }: { name: string; spin?: "still" | "spinning" }) {
  return <span class={`codicon codicon-${name}${spin === "spinning" ? " codicon-modifier-spin" : ""}`} aria-hidden="true" />;
}

interface IconButtonProps {
  icon: string;
  label: string;
  onClick: (event: MouseEvent) => void;
  disabled?: boolean;
}

export function IconButton({ icon, label, onClick, disabled = false }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} onClick={onClick} disabled={disabled}>
      <Icon name={icon} />
    </button>
  );
}
