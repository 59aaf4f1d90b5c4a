/**
 * The keys: one table that generates the footers, the page of keys and the table in docs/cli.md.
 * Invariant: on one screen a key has one meaning. A capital letter takes the bigger step.
 */
import type { IdeaVerb } from '../protocol/command.js';
import type { RunKey } from './idea/possible.js';
import type { ScreenName } from './ui.js';

export type Action =
  | 'up'
  | 'down'
  | 'first'
  | 'last'
  | 'page-up'
  | 'page-down'
  | 'section'
  | 'screen'
  | 'next-need'
  | 'previous-need'
  | 'find'
  | 'back'
  | 'open'
  | 'answer'
  | 'hint'
  | 'pause'
  | 'stop'
  | 'retry'
  | 'unblock'
  | 'more-iterations'
  | 'edit'
  | 'split'
  | 'rollback'
  | 'cleanup'
  | 'bump'
  | 'continue'
  | 'pause-run'
  | 'stop-run'
  | 'mode'
  | 'review'
  | 'worker'
  | 'command'
  | 'diff'
  | 'tab-left'
  | 'tab-right'
  | 'follow'
  | 'wrap'
  | 'copy'
  | 'web'
  | 'page'
  | 'hide-landed'
  | 'order'
  | 'sort'
  | 'tree'
  | 'close-group'
  | 'open-group'
  | 'iteration-left'
  | 'iteration-right'
  | 'log-of-run'
  | 'help'
  | 'report'
  | 'refresh'
  | 'repaint'
  | 'shell'
  | 'leave';

export type KeyGroup = 'move' | 'idea' | 'run' | 'look' | 'screen';

export interface Key {
  /** Terminal key names: a character, or `up`, `enter`, `ctrl-r`, `f5`. */
  keys: readonly string[];
  /** Short label for footers and the page of keys. Empty: the label of another key covers this one. */
  label: string;
  ascii?: string;
  action: Action;
  /** Its effect, in words. */
  does: string;
  group: KeyGroup;
  /** Absent: all screens. */
  screens?: readonly ScreenName[];
  /** The command that it gives to an idea or to the run; hidden where the run would refuse it. */
  verb?: IdeaVerb | RunKey;
  /** Word in footers, and its rank: higher ranks go first when space is short. Absent: in no footer. */
  hint?: { text: string; rank: number };
  /** Needs a confirmation. */
  asks?: true;
}

const LISTS: readonly ScreenName[] = ['run', 'needs', 'ideas', 'idea'];
const OPEN_RUN: readonly ScreenName[] = ['run', 'needs', 'ideas', 'log', 'idea'];
const ANY_RUN: readonly ScreenName[] = [...OPEN_RUN, 'history', 'report'];

type Rest = Omit<Key, 'keys' | 'label' | 'action' | 'does' | 'group'> & { label?: string };

const of =
  (group: KeyGroup, common: Rest = {}) =>
  (keys: string, action: Action, does: string, more: Rest = {}): Key => {
    const all = keys.split(' ');
    return { keys: all, label: all[0] ?? '', action, does, group, ...common, ...more };
  };
const move = of('move');
const idea = of('idea', { screens: LISTS });
const run = of('run', { screens: OPEN_RUN });
const look = of('look');
const screen = of('screen');

/** In footer order. */
export const KEYS: readonly Key[] = [
  move('up k', 'up', 'line up', { label: '↑k', ascii: 'Up k' }),
  move('down j', 'down', 'line down', { label: '↓j', ascii: 'Down j' }),
  move('g home', 'first', 'first line'),
  move('G end', 'last', 'last line'),
  move('pageup ctrl-u', 'page-up', 'page up', { label: 'PgUp' }),
  move('pagedown ctrl-d', 'page-down', 'page down', { label: 'PgDn' }),
  move('tab', 'section', 'section, side', { label: 'Tab' }),
  move('1 2 3 4 5', 'screen', 'screens', { label: '1-5' }),
  of('idea')('enter', 'open', 'open it', { label: '↵', ascii: 'Enter', hint: { text: 'open', rank: 1 } }),
  idea('a', 'answer', 'answer or approve', { verb: 'answer', hint: { text: 'answer', rank: 2 } }),
  look('[', 'tab-left', 'other tab', { label: '[ ]', screens: ['idea'], hint: { text: 'tab', rank: 5 } }),
  look(']', 'tab-right', 'other tab', { screens: ['idea'], label: '' }),
  look('f', 'follow', 'follow', { screens: ['idea', 'log'], hint: { text: 'follow', rank: 7 } }),
  idea('i', 'hint', 'hint', { verb: 'hint', hint: { text: 'hint', rank: 8 } }),
  idea('p', 'pause', 'pause / resume', { verb: 'pause', hint: { text: 'pause', rank: 3 } }),
  idea('x', 'stop', 'stop, give up', { verb: 'stop', asks: true, hint: { text: 'stop', rank: 4 } }),
  idea('r', 'retry', 'retry', { verb: 'retry', hint: { text: 'retry', rank: 3 } }),
  idea('u', 'unblock', 'unblock', { verb: 'unblock', hint: { text: 'unblock', rank: 3 } }),
  idea('+', 'more-iterations', 'more iterations', { verb: 'limit', hint: { text: 'more iterations', rank: 9 } }),
  idea('c', 'continue', 'warning: continue', { hint: { text: 'continue', rank: 6 } }),
  look('s', 'order', 'order', { screens: ['run'], hint: { text: 'order', rank: 5 } }),
  move('/ f3 f4', 'find', 'find', { hint: { text: 'find', rank: 5 } }),
  look('t', 'tree', 'tree', { screens: ['ideas'], hint: { text: 'tree', rank: 6 } }),
  look(',', 'sort', 'sort', { screens: ['ideas'], hint: { text: 'sort', rank: 6 } }),
  look('z', 'hide-landed', 'hide landed', {
    screens: ['run', 'ideas', 'history'],
    hint: { text: 'hide landed', rank: 11 },
  }),
  idea('b', 'bump', 'first of the ready', { verb: 'bump', hint: { text: 'first', rank: 7 } }),
  idea('e', 'edit', 'edit', { verb: 'edit', hint: { text: 'edit', rank: 13 } }),
  idea('D', 'split', 'split', { verb: 'split' }),
  idea('R', 'rollback', 'roll back', { verb: 'rollback', asks: true }),
  idea('X', 'cleanup', 'clean up', { verb: 'cleanup', asks: true }),
  look('h left', 'close-group', 'close an epic', { screens: ['ideas'] }),
  look('l right', 'open-group', 'open an epic', { screens: ['ideas'] }),
  look('left', 'iteration-left', 'iteration before', { label: '←', ascii: 'Left', screens: ['idea'] }),
  look('right', 'iteration-right', 'iteration after', { label: '→', ascii: 'Right', screens: ['idea'] }),
  look('l', 'log-of-run', 'log of that run', { screens: ['history'], hint: { text: 'log', rank: 3 } }),
  run('P', 'pause-run', 'pause / resume', {
    ...{ screens: ANY_RUN, verb: 'pause', hint: { text: 'pause run', rank: 7 } },
  }),
  run('S', 'stop-run', 'stop', {
    ...{ screens: ANY_RUN, verb: 'stop', asks: true, hint: { text: 'stop run', rank: 12 } },
  }),
  run('M', 'mode', 'mode'),
  run('V', 'review', 'reviewed, go on', { verb: 'review', hint: { text: 'reviewed, go on', rank: 1 } }),
  run('W', 'worker', 'start a worker', { hint: { text: 'start a worker', rank: 1 } }),
  of('run')(':', 'command', 'any command', { hint: { text: 'command', rank: 12 } }),
  look('w', 'wrap', 'wrap', { screens: ['idea', 'log'], hint: { text: 'wrap', rank: 13 } }),
  look('d', 'diff', 'diff', { screens: LISTS, hint: { text: 'diff', rank: 13 } }),
  look('v', 'report', 'report of the run', {
    screens: ANY_RUN,
    hint: { text: 'report', rank: 1 },
  }),
  look('o', 'web', 'web page', { screens: ['run', 'needs', 'ideas', 'log', 'idea', 'help'] }),
  look('o', 'page', 'report as a page', {
    screens: ['history', 'report'],
    hint: { text: 'as a page', rank: 6 },
  }),
  look('y', 'copy', 'copy', { hint: { text: 'copy', rank: 13 } }),
  move('n', 'next-need', 'next that needs you'),
  move('N', 'previous-need', 'the one before it'),
  move('esc', 'back', 'back', { label: 'Esc' }),
  screen('? f1', 'help', 'keys'),
  screen('f5 ctrl-r', 'refresh', 'ask again', { label: 'F5 ^R' }),
  screen('ctrl-l', 'repaint', 'paint again', { label: '^L' }),
  screen('ctrl-z', 'shell', 'to the shell', { label: '^Z' }),
  screen('q ctrl-c f10', 'leave', 'leave; run goes on', { label: 'q ^C' }),
];

export const keysOn = (screen: ScreenName): Key[] =>
  KEYS.filter(({ screens }) => screens === undefined || screens.includes(screen));

/** The meaning of a key on a screen; undefined: none. */
export const actionOf = (screen: ScreenName, key: string): Key | undefined =>
  keysOn(screen).find(({ keys }) => keys.includes(key));
