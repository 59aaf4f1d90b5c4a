/**
 * What the person at the screen has chosen: which screen, what is selected, what is typed.
 * Invariant: plain data; selections are ids, never places in a list, so that they survive whatever a run does.
 */

import type { Act } from './control/act.js';

export type ScreenName = 'run' | 'needs' | 'ideas' | 'log' | 'history' | 'idea' | 'help' | 'report' | 'welcome';

/** Screens by their number keys. */
export const NUMBERED: readonly ScreenName[] = ['run', 'needs', 'ideas', 'log', 'history'];

/** Parts of a screen that `Tab` goes through. */
export type Section = 'needs' | 'slots' | 'next' | 'lately' | 'warnings' | 'left' | 'right';

export type Tab = 'agent' | 'timeline' | 'gate' | 'diff' | 'task' | 'said';
export const TABS: readonly Tab[] = ['agent', 'timeline', 'gate', 'diff', 'task', 'said'];

/** Tabs whose text is read from its end; their `scroll` counts lines back from there. */
export const FROM_END: readonly Tab[] = ['agent', 'gate', 'said'];

export type IdeaSort = 'backlog' | 'state' | 'score' | 'cost' | 'time';
export const IDEA_SORTS: readonly IdeaSort[] = ['backlog', 'state', 'score', 'cost', 'time'];
export type SlotOrder = 'quiet' | 'slot' | 'cost' | 'time';
export const SLOT_ORDERS: readonly SlotOrder[] = ['quiet', 'slot', 'cost', 'time'];

/** `cursor` counts UTF-16 units. */
export interface Draft {
  text: string;
  cursor: number;
}

export interface Selection {
  section?: Section;
  /** Of an idea; in the log of an event, in the history of a run. */
  id: string;
}

/** One line that is typed where messages stand. */
export interface Prompt extends Draft {
  kind: 'command' | 'find' | 'text';
  /** Before what is typed: `:`, `/`, `hint for mfa-001`. */
  label: string;
  /** What could come next, best first. */
  completions?: readonly string[];
}

export interface Ui {
  screen: ScreenName;
  /** Where `Esc` goes back to, the last one first. */
  back: readonly ScreenName[];
  /** By screen; absent: the first line. */
  selected: Readonly<Partial<Record<ScreenName, Selection>>>;
  /** First visible line of a list; of a text that follows, lines back from its end. By screen, or screen and tab. */
  scroll: Readonly<Record<string, number>>;
  /** Whose page is open. */
  idea?: string;
  tab: Tab;
  /** The side of a page in two columns that has the keys. */
  side: 'left' | 'right';
  /** Serial of the agent run that the page of an idea shows; absent: the last one. */
  serial?: number;
  /** File that the Diff tab shows whole. */
  file?: string;
  follow: boolean;
  wrap: boolean;
  filter: string;
  /** Run whose log is shown; absent: the run of the screen. */
  logOf?: string;
  /** Filter of the log. */
  find: string;
  sort: IdeaSort;
  order: SlotOrder;
  tree: boolean;
  /** Groups whose ideas are not shown. */
  closed: ReadonlySet<string>;
  hideLanded: boolean;
  /** Answers that are begun, by idea. */
  drafts: Readonly<Record<string, Draft>>;
  /** The idea whose answer is being typed. */
  answering?: string;
  prompt?: Prompt;
  /** What will happen; `y` does it, everything else is no. */
  confirm?: string;
  /** What `y` does, or what the typed text belongs to. */
  pending?: Act;
  message?: { text: string; refused?: true };
}

export const initialUi = (): Ui => ({
  screen: 'run',
  back: [],
  selected: {},
  scroll: {},
  tab: 'agent',
  side: 'left',
  follow: true,
  wrap: true,
  filter: '',
  find: '',
  sort: 'backlog',
  order: 'quiet',
  tree: true,
  closed: new Set(),
  hideLanded: false,
  drafts: {},
});
