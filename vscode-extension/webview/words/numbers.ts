// Numbers in as few letters as they need.
import { language, t } from "../strings";

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${trimmed(count / 1_000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return t("milliseconds", Math.round(milliseconds));
  const seconds = Math.round(milliseconds / 1_000);
  if (milliseconds < 9_950) return t("onlySeconds", new Intl.NumberFormat(language(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(milliseconds / 1_000));
  if (seconds < 60) return t("onlySeconds", seconds);
  return t("minutes", Math.floor(seconds / 60), seconds % 60);
}

export function grouped(count: number): string {
  return new Intl.NumberFormat(language()).format(count);
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
