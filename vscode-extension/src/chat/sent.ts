// What was attached to the prompts that were sent from here. The server's events name attachments and do not bring them back,
// and whoever takes a prompt back wants it whole.
import type { AttachedLabel } from "../protocol";
import type { Attachment } from "./messages";

interface Sent {
  text: string;
  attachments: Attachment[];
}

/** Letters of all that is kept; the oldest goes first. */
const MOST = 40_000_000;

export class SentPrompts {
  readonly #sent: Sent[] = [];

  remember(text: string, attachments: Attachment[]): void {
    if (attachments.length === 0) return;
    this.#sent.push({ text, attachments });
    while (this.#sent.length > 1 && this.#sent.reduce((all, one) => all + size(one), 0) > MOST) this.#sent.shift();
  }

  /** Those that a prompt was sent with, or fewer if they are no longer here. */
  find(text: string, labels: readonly AttachedLabel[]): Attachment[] {
    const fits = (sent: Sent): boolean => sameLabels(sent.attachments, labels);
    // A queued prompt may have got other words since.
    const found = this.#sent.findLast((sent) => sent.text === text && fits(sent)) ?? this.#sent.findLast(fits);
    return found?.attachments ?? [];
  }
}

function size({ attachments }: Sent): number {
  return attachments.reduce((all, one) => all + (one.kind === "image" ? one.data : one.text).length, 0);
}

function sameLabels(attachments: readonly Attachment[], labels: readonly AttachedLabel[]): boolean {
  return attachments.length === labels.length && attachments.every((one, place) => one.kind === labels[place]?.kind && labelOf(one) === labels[place].label);
}

/** As the server writes it: in one line and not too long. */
function labelOf(attachment: Attachment): string {
  const name = attachment.kind === "image" ? attachment.name : attachment.label;
  const line = name.split(/\s+/).filter((word) => word !== "").join(" ");
  const plain = Array.from(line.replace(/\p{Cc}/gu, "")).slice(0, 200).join("");
  return plain === "" ? "attachment" : plain;
}
