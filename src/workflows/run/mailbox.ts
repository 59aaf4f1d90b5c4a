/**
 * Messages to other workflows, one at a time for each receiver.
 * Invariant: a message is sent only after the previous one has arrived. The server keeps no order between concurrent
 * signals, so a resume could arrive before its pause and leave an idea paused for ever.
 * Must not import anything.
 */
export class Mailbox {
  readonly #last = new Map<string, Promise<void>>();

  /** Settles like `deliver`: when the message has arrived, or cannot. */
  send(to: string, deliver: () => Promise<void>): Promise<void> {
    const before = this.#last.get(to);
    const mine = (before ? before.then(deliver, deliver) : deliver()).finally(() => {
      if (this.#last.get(to) === mine) this.#last.delete(to);
    });
    this.#last.set(to, mine);
    return mine;
  }
}
