/**
 * Claims, comments and ends of issues on a forge, over the few requests that every forge has.
 *
 * The comment of ralphctl is the claim. Forges number comments in the order in which they take them, so of two holders
 * who comment at the same time both read the same first one. Assignee or label only show it.
 * Invariant: every step looks first and writes the difference, so a repeat after a crash writes nothing twice.
 */
import type { BugReport } from '../protocol/triage.js';
import { commentOf, type Mark, readMark } from './marker.js';
import { type Holder, type Item, type Shown, type Tracker, TrackerError } from './tracker.js';

export interface Note {
  id: number;
  author: string;
  /** Its author may write to the repository; marks of others do not count. */
  member: boolean;
  body: string;
}

export interface IssueNow {
  open: boolean;
  assignees: string[];
  labels: string[];
}

/** The requests of one forge. Each throws a TrackerError. */
export interface IssueRequests {
  readonly where: string;
  check(): Promise<{ login?: string }>;
  list(): Promise<Item[]>;
  closed(since: Date): Promise<BugReport[]>;
  login(): Promise<string>;
  read(ref: string): Promise<IssueNow>;
  notes(ref: string): Promise<Note[]>;
  addNote(ref: string, body: string): Promise<void>;
  editNote(ref: string, id: number, body: string): Promise<void>;
  dropNote(ref: string, id: number): Promise<void>;
  assign(ref: string, login: string, on: boolean): Promise<void>;
  label(ref: string, name: string, on: boolean): Promise<void>;
  setOpen(ref: string, open: boolean): Promise<void>;
}

export interface IssueRules {
  claim: 'assign' | 'label' | 'off';
  claimLabel: string;
  progress: boolean;
  done: 'close' | 'link' | 'off';
}

interface Marked extends Note {
  mark: Mark;
}

export class IssueTracker implements Tracker {
  constructor(
    private readonly forge: IssueRequests,
    private readonly rules: IssueRules,
  ) {}

  get where(): string {
    return this.forge.where;
  }

  check(): Promise<{ login?: string }> {
    return this.forge.check();
  }

  list(): Promise<Item[]> {
    return this.forge.list();
  }

  closed(since: Date): Promise<BugReport[]> {
    return this.forge.closed(since);
  }

  async claim(ref: string, holder: Holder, text: string): Promise<{ taken: string } | undefined> {
    const { claim, progress, done } = this.rules;
    if (claim === 'off' && !progress) return undefined;
    const me = await this.forge.login();
    const [issue, before] = await Promise.all([this.forge.read(ref), this.#marked(ref, me)]);
    const closedHere = before.filter(({ mark }) => isOwn(mark, holder)).at(-1)?.mark.state === 'done';
    // ralphctl closed it for work that is off the target again. The message that opens it may still be on its way.
    if (!issue.open && closedHere && done === 'close') await this.forge.setOpen(ref, true);
    else if (!issue.open) return { taken: 'somebody who has closed it' };
    const holds = before.some(({ mark }) => isOwn(mark, holder) && mark.state === 'held');
    if (!holds && claim !== 'off') {
      const by = takenBy(before, holder) ?? this.#shownAsTaken(issue, me);
      if (by !== undefined) return { taken: by };
    }
    await this.#write(ref, me, holder, { state: 'works', text }, { known: before, fresh: !holds });
    if (claim === 'off') return undefined;
    return (await this.#lost(ref, me, holder)) ?? this.#sign(ref, me, holder, issue);
  }

  async show(ref: string, holder: Holder, shown: Shown): Promise<void> {
    const { claim, progress, done } = this.rules;
    const me = await this.forge.login();
    const known = await this.#marked(ref, me);
    const own = known.filter(({ mark }) => isOwn(mark, holder) && (mark.run === holder.run || mark.state === 'held'));
    // A newer start of the idea has it, in this run or in a later one: this message is late.
    if (own.some(({ mark }) => mark.run === holder.run && mark.life > holder.life)) return;
    if (known.some(({ mark }) => isOwn(mark, holder) && mark.run > holder.run)) return;
    const was = own[0]?.mark.state;
    const write = (): Promise<void> => this.#write(ref, me, holder, shown, { known });
    switch (shown.state) {
      case 'works':
      case 'asks':
        return progress && was !== undefined ? write() : undefined;
      case 'done': {
        if (done !== 'off' || was !== undefined) await write();
        const issue = await this.forge.read(ref);
        if (claim === 'label') await this.#show(ref, me, false, issue);
        if (done === 'close' && issue.open) await this.forge.setOpen(ref, false);
        return;
      }
      case 'released': {
        if (was === undefined) return this.#giveBackBare(ref, me, holder, known);
        const issue = await this.forge.read(ref);
        if (was === 'done' && done === 'close' && !issue.open) await this.forge.setOpen(ref, true);
        if (was !== 'released' && !this.#othersHold(known, me, holder)) await this.#show(ref, me, false, issue);
        return write();
      }
    }
  }

  async free(ref: string, { owner }: Pick<Holder, 'owner'>): Promise<string[]> {
    const me = await this.forge.login();
    const held = (await this.#marked(ref, me)).filter(({ mark }) => mark.state === 'held' && mark.owner !== owner);
    for (const { id } of held) await this.forge.dropNote(ref, id);
    if (held.length === 0) return [];
    const issue = await this.forge.read(ref);
    if (this.rules.claim === 'label') await this.#show(ref, me, false, issue);
    for (const login of new Set(held.map(({ author }) => author)))
      if (this.rules.claim === 'assign' && issue.assignees.includes(login)) await this.forge.assign(ref, login, false);
    return held.map(whoHas);
  }

  /** Somebody deleted the comment: the assignee goes. A label may be another person's. */
  async #giveBackBare(ref: string, me: string, holder: Holder, known: readonly Marked[]): Promise<void> {
    if (this.rules.claim !== 'assign' || this.#othersHold(known, me, holder)) return;
    const issue = await this.forge.read(ref);
    if (issue.open && issue.assignees.every((login) => login === me)) await this.#show(ref, me, false, issue);
  }

  /** Comments that have a mark, the oldest first. Anybody can write one, so those of strangers do not count. */
  async #marked(ref: string, me: string): Promise<Marked[]> {
    const notes = await this.forge.notes(ref);
    return notes
      .flatMap((note) => {
        const mark = note.member || note.author === me ? readMark(note.body) : undefined;
        return mark ? [{ ...note, mark }] : [];
      })
      .sort((a, b) => a.id - b.id);
  }

  /** A person's own sign that the issue is taken. */
  #shownAsTaken({ assignees, labels }: IssueNow, me: string): string | undefined {
    const { claim, claimLabel } = this.rules;
    if (claim === 'label') return labels.includes(claimLabel) ? `somebody who set the label ${claimLabel}` : undefined;
    const other = assignees.find((login) => login !== me);
    return other === undefined ? undefined : `${other}, who is assigned`;
  }

  /**
   * Leaves exactly one comment of this run on the issue. `fresh`: a comment that no longer holds gives way to a new one,
   * because the order of comments decides between holders.
   */
  async #write(
    ref: string,
    me: string,
    holder: Holder,
    shown: Shown,
    { known, fresh = false }: { known: readonly Marked[]; fresh?: boolean },
  ): Promise<void> {
    const body = commentOf(holder, shown);
    const own = known.filter(({ mark, author }) => isOwn(mark, holder) && author === me);
    // A held comment of an earlier run is this one's now: its run is over.
    const [first, ...more] = own.filter(({ mark }) => mark.run === holder.run || mark.state === 'held');
    for (const note of more) await this.forge.dropNote(ref, note.id);
    if (first && fresh && first.mark.state !== 'held') {
      await this.forge.dropNote(ref, first.id);
      await this.forge.addNote(ref, body);
    } else if (!first) await this.forge.addNote(ref, body);
    else if (first.body !== body) await this.forge.editNote(ref, first.id, body);
  }

  async #show(ref: string, me: string, on: boolean, { assignees, labels }: IssueNow): Promise<void> {
    const { claim, claimLabel } = this.rules;
    if (claim === 'assign') {
      if (assignees.includes(me) !== on) await this.forge.assign(ref, me, on);
    } else if (claim === 'label' && labels.includes(claimLabel) !== on) await this.forge.label(ref, claimLabel, on);
  }

  /** After both have written: the first comment wins, and the other one goes. */
  async #lost(ref: string, me: string, holder: Holder): Promise<{ taken: string } | undefined> {
    const held = (await this.#marked(ref, me)).filter(({ mark }) => mark.state === 'held');
    const own = held.find(({ mark }) => isOwn(mark, holder));
    const [first] = held;
    if (!own || !first) throw new TrackerError(`the comment on ${ref} is gone. ralphctl tries again`, true);
    if (isOwn(first.mark, holder)) return undefined;
    await this.forge.dropNote(ref, own.id);
    return { taken: whoHas(first) };
  }

  /** Shows the claim. A person who was assigned at the same time wins. */
  async #sign(ref: string, me: string, holder: Holder, known: IssueNow): Promise<{ taken: string } | undefined> {
    await this.#show(ref, me, true, known);
    if (this.rules.claim !== 'assign') return undefined;
    const now = await this.forge.read(ref);
    const person = this.#shownAsTaken(now, me);
    if (person === undefined) return undefined;
    await this.#show(ref, me, false, now);
    const own = (await this.#marked(ref, me)).filter(({ mark }) => isOwn(mark, holder) && mark.state === 'held');
    for (const { id } of own) await this.forge.dropNote(ref, id);
    return { taken: person };
  }

  /** Whether the sign of the claim also stands for another holder: the label, or the same login on another machine. */
  #othersHold(known: readonly Marked[], me: string, holder: Holder): boolean {
    const others = known.filter(({ mark }) => mark.state === 'held' && !isOwn(mark, holder));
    return others.some(({ author }) => this.rules.claim === 'label' || author === me);
  }
}

const isOwn = (mark: Mark, holder: Holder): boolean => mark.owner === holder.owner && mark.idea === holder.idea;

const whoHas = ({ author, mark }: Marked): string => `${author} (run ${mark.run} of another ralphctl)`;

function takenBy(notes: readonly Marked[], holder: Holder): string | undefined {
  const other = notes.find(({ mark }) => mark.state === 'held' && !isOwn(mark, holder));
  return other && whoHas(other);
}
