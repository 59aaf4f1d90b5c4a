/** What is under way between a random world and its autopilot: events in any order, messages in order for each idea. */
import type { Autopilot } from '../../../src/decide/run/autopilot.js';
import type { Message } from './child.js';

export type Event = (pilot: Autopilot) => void;

export class Network {
  /** Towards the autopilot. */
  readonly #events: Event[] = [];
  /** Towards the children. */
  readonly #mail = new Map<string, { life: number; message: Message }[]>();
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  get hasMail(): boolean {
    return this.#mail.size > 0;
  }

  tell(event: Event): void {
    this.#events.push(event);
  }

  post(idea: string, life: number, message: Message): void {
    const box = this.#mail.get(idea) ?? [];
    box.push({ life, message });
    this.#mail.set(idea, box);
  }

  /** Before whatever else the idea is sent. */
  postFirst(idea: string, life: number, message: Message): void {
    const box = this.#mail.get(idea) ?? [];
    box.unshift({ life, message });
    this.#mail.set(idea, box);
  }

  takeEvent(): Event {
    const at = this.#random(this.#events.length);
    const event = this.#events[at] as Event;
    this.#events.splice(at, 1);
    return event;
  }

  takeMail(): { idea: string; life: number; message: Message } {
    const all = [...this.#mail];
    const [idea, box] = all[this.#random(all.length)] as (typeof all)[number];
    const first = box.shift() as { life: number; message: Message };
    if (box.length === 0) this.#mail.delete(idea);
    return { idea, ...first };
  }
}
