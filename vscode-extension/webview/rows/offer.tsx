// What an answer would allow from then on, in the server's words: `npm test …`, or a list of such.
import { Sentence } from "../parts/sentence";
import { visible } from "../words/visible";

const QUOTED = /^`[^`\n]+`(?:, `[^`\n]+`)*$/;

/** Anything else is shown as it is: a backtick of the command itself must not vanish. */
export function OfferLabel({ label }: { label: string }) {
  return QUOTED.test(label) ? <Sentence text={label} /> : <code>{visible(label)}</code>;
}
