/**
 * The choices of the person at the screen: screen, selection, typed text.
 * Invariant: plain data; a selection is an id and never an index, so that it survives every change of the run.
 */

import type { IdeaStatus } from '../protocol/states.js';
import type { Act } from './control/act.js';

export type ScreenName = 'run' | 'needs' | 'ideas' | 'log' | 'history' | 'idea' | 'help' | 'report';

/** Screens by their number keys. */
export const NUMBERED: readonly ScreenName[] = ['run', 'needs', 'ideas', 'log', 'history'];

/** Parts of a screen in the order of `Tab`. */
export type Section = 'needs' | 'slots' | 'resting' | 'next' | 'lately' | 'warnings' | 'left' | 'right';

export type Tab = 'agent' | 'timeline' | 'gate' | 'diff' | 'task' | 'said';
export const TABS: readonly Tab[] = ['agent', 'timeline', 'gate', 'diff', 'task', 'said'];

/** Tabs that show the end of a text; their `scroll` counts lines back from it. */
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

/** A text that no run has accepted yet. */
export interface Unsent extends Draft {
  /** Other texts for the same, e.g. of another screen; the newest first. */
  others?: readonly string[];
}

export interface Selection {
  section?: Section;
  /** Id of an idea; in the log of an event, in the history of a run. */
  id: string;
}

/** One line of input in the place of messages. */
export interface Prompt extends Draft {
  kind: 'command' | 'find' | 'text';
  /** The label before the input: `:`, `/`, `hint for mfa-001`. */
  label: string;
  /** Shown beside the input. */
  note?: string;
  /** Possible continuations, the likeliest first. */
  completions?: readonly string[];
  /** The text is this one of them; Tab takes the next one. */
  tabbed?: number;
  /** The text is a suggestion or the last one: what is typed first takes its place. */
  offered?: true;
}

/** What an input or a question is about; `idea`: absent for the run. */
export interface About {
  verb: string;
  run: string;
  idea?: string;
  /** Its status, where a question tells what becomes of it. */
  was?: IdeaStatus;
}

export interface Ui {
  screen: ScreenName;
  /** Screens that `Esc` returns to, the last one first. */
  back: readonly ScreenName[];
  /** By screen; absent: the first line. */
  selected: Readonly<Partial<Record<ScreenName, Selection>>>;
  /**
   * First visible line of a list, or lines back from the end of a text that follows. By screen, or by screen and tab.
   */
  scroll: Readonly<Record<string, number>>;
  /** The idea of the open page. */
  idea?: string;
  tab: Tab;
  /** The tab beside the timeline of a page in two columns. */
  beside: Exclude<Tab, 'timeline'>;
  /** Serial of the agent run on the page of an idea; absent: the last one. */
  serial?: number;
  /** File that the Diff tab shows whole. */
  file?: string;
  follow: boolean;
  wrap: boolean;
  filter: string;
  /** The older run that log, ideas and the page of an idea show; absent: the run of the screen. */
  ofRun?: string;
  /** Filter of the log. */
  find: string;
  /** Filter of the gate's output. */
  search: string;
  sort: IdeaSort;
  order: SlotOrder;
  tree: boolean;
  /** Collapsed groups. */
  closed: ReadonlySet<string>;
  hideLanded: boolean;
  /** Texts that the run has not accepted yet: answers by idea, others by their command, e.g. `hint a-1`. */
  drafts: Readonly<Record<string, Unsent>>;
  /** The idea whose answer the person types. */
  answering?: string;
  /** Id of the question that was open when the person began to type, where it is known. */
  answers?: string;
  /** Since when the question was open; epoch ms. */
  asked?: number;
  /** Ids of the other entries when the person began to type, those below first: one is selected once the question is over. */
  nearby?: readonly string[];
  prompt?: Prompt;
  /** The last command line, for `Up`. */
  lastLine?: string;
  /** Describes the pending action. `y` confirms it; any other key cancels it. */
  confirm?: string;
  /** The action that `y` confirms, or that receives the typed text. */
  pending?: Act;
  /** Of `pending`: it closes once the run does not take it any more. Absent: the run decides. */
  about?: About;
  message?: { text: string; refused?: true };
  /** Commands on their way to the run, in words, the oldest first. */
  sent?: readonly string[];
  /** The run has ended, and the person has not been on *Run* or its report since. */
  news?: 'ended';
}

export const initialUi = (): Ui => ({
  screen: 'run',
  back: [],
  selected: {},
  scroll: {},
  tab: 'agent',
  beside: 'agent',
  follow: true,
  wrap: true,
  filter: '',
  find: '',
  search: '',
  sort: 'backlog',
  order: 'quiet',
  tree: true,
  closed: new Set(),
  hideLanded: false,
  drafts: {},
});
