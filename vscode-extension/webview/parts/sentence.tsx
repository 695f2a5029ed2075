// A sentence of the server, in which `words between backticks` are code.
import { visible } from "../words/visible";

export function Sentence({ text }: { text: string }) {
  const parts = visible(text).split(/`([^`\n]+)`/);
  return <>{parts.map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>;
}
