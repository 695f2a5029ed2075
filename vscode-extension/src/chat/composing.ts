// What waits in the composer: attachments, and which parts of the context are switched off. The page of a view that is hidden
// is gone, and a part of the context that was switched off must not be on again because of that.
import type { Attachment, Switched } from "./messages";

export interface Composed {
  attachments: Attachment[];
  switched: Switched;
}

/** Where it outlives the window. */
export interface Shelf {
  switched(): Switched;
  keepSwitched(switched: Switched): void;
  attachments(): Promise<Attachment[]>;
  keepAttachments(attachments: Attachment[]): void;
}

export class Composing {
  #attachments: Attachment[] | undefined;

  constructor(private readonly shelf: Shelf) {}

  async recall(): Promise<Composed> {
    this.#attachments ??= await this.shelf.attachments();
    return { attachments: this.#attachments, switched: this.shelf.switched() };
  }

  attach(attachments: Attachment[]): void {
    this.#attachments = attachments;
    this.shelf.keepAttachments(attachments);
  }

  switch(switched: Switched): void {
    this.shelf.keepSwitched(switched);
  }
}
