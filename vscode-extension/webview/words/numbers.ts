// Numbers in as few letters as they need.
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${trimmed(count / 1_000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** `€0.42`, `$12.00`; what is less than a cent has two digits that say something. A currency that nobody knows is written out. */
export function money(amount: number, currency: string, language: string): string {
  const digits = amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 2 } : {};
  try {
    return new Intl.NumberFormat(language, { style: "currency", currency, ...digits }).format(amount);
  } catch {
    return `${new Intl.NumberFormat(language, { minimumFractionDigits: 2, ...digits }).format(amount)} ${currency}`;
  }
}
