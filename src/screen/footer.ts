/** The last line: the keys that apply now. Invariant: drops whole hints until the line fits, and never cuts one. */
import type { IdeaModel, RunModel } from '../model/model.js';
import type { IdeaVerb } from '../protocol/command.js';
import { moreText } from './control/more.js';
import type { Details } from './details.js';
import { ideaVerbs, isOver, pauseOrResume, type RunKey, runTakes } from './idea/possible.js';
import { type Key, keysOn } from './keys.js';
import { openWarnings } from './lists.js';
import { dim, edges, type Line, line } from './text/line.js';
import { width } from './text/text.js';
import type { Theme } from './text/theme.js';
import type { ScreenName } from './ui.js';

export interface FooterContext {
  screen: ScreenName;
  model: RunModel;
  details: Details;
  /** The selected idea. */
  idea?: IdeaModel;
  /** Actions that this view does not need now. */
  without?: ReadonlySet<Key['action']>;
  /** The arrow keys choose what other keys are about. */
  chooses?: boolean;
  /** The page is about an older run, which takes no command. */
  past?: boolean;
  right: string;
}

export function footer(context: FooterContext, columns: number, theme: Theme): Line {
  const hints = keysOn(context.screen).flatMap((key) => {
    const text = hintOf(key, context);
    return text === undefined ? [] : [{ rank: rankOf(key, context), text: `${name(key, theme)} ${text}` }];
  });
  if (context.chooses) hints.splice(context.screen === 'idea' ? 1 : 0, 0, { rank: 2, text: chooseHint(theme) });
  return hintLine(hints, context.right, columns);
}

export const chooseHint = ({ ascii }: Theme): string => `${ascii ? 'Up Down' : '↑↓'} choose`;

/** After the run, the next start comes first. */
const rankOf = (key: Key, { model }: FooterContext): number =>
  key.action === 'pause-run' && isOver(model) ? 2 : (key.hint?.rank ?? 99);

export const name = (key: Key, { ascii }: Theme): string => (ascii ? (key.ascii ?? key.label) : key.label);

/** Drops the hints with the highest ranks until the rest fits. */
export function hintLine(hints: readonly { rank: number; text: string }[], right: string, columns: number): Line {
  let shown = [...hints];
  const size = (): number => 1 + shown.reduce((sum, { text }) => sum + width(text) + 2, -2) + 2 + width(right);
  while (shown.length > 0 && size() > columns) {
    const worst = Math.max(...shown.map(({ rank }) => rank));
    const last = shown.findLastIndex(({ rank }) => rank === worst);
    shown = shown.filter((_, index) => index !== last);
  }
  return edges(line(dim(` ${shown.map(({ text }) => text).join('  ')}`)), line(dim(right)), columns);
}

/** The key's word in the footer; undefined where the key does not apply now. */
export function hintOf(key: Key, { screen, model, details, idea, without, past }: FooterContext): string | undefined {
  if (!key.hint || without?.has(key.action)) return undefined;
  const commands = (key.group === 'idea' && key.action !== 'open') || (key.group === 'run' && key.action !== 'command');
  if (commands && key.action !== 'worker' && (past || details.standstill?.kind === 'no-server')) return undefined;
  const { text } = key.hint;
  switch (key.action) {
    case 'open':
      return screen === 'history' ? 'report' : idea && text;
    case 'worker':
      return workerHint(details, text);
    case 'report':
      return isOver(model) && screen !== 'history' ? text : undefined;
    case 'diff':
      return idea && !idea.group ? text : undefined;
    case 'pause-run': {
      if (isOver(model)) return 'start again';
      if (screen === 'history') return undefined;
      const verb = pauseOrResume(model);
      return verb === 'resume' ? 'resume run' : verb && text;
    }
    case 'stop-run':
      return screen !== 'history' && runTakes(model, 'stop') ? text : undefined;
    case 'review':
      return runTakes(model, key.verb as RunKey) ? text : undefined;
    case 'order':
      return text;
    default:
  }
  if (key.group !== 'idea') return text;
  return idea ? ideaHint(key, idea, ideaVerbs(model, idea), text, model) : undefined;
}

function workerHint({ standstill }: Details, text: string): string | undefined {
  if (standstill === undefined || standstill.kind === 'busy' || standstill.kind === 'crashing') return undefined;
  if (standstill.kind !== 'no-server') return text;
  return standstill.where === undefined ? 'start server and worker' : undefined;
}

function ideaHint(
  key: Key,
  idea: IdeaModel,
  verbs: ReadonlySet<IdeaVerb>,
  text: string,
  model: RunModel,
): string | undefined {
  switch (key.action) {
    case 'answer':
      if (verbs.has('approve')) return 'approve';
      return idea.status === 'needs-human' && verbs.has('answer') ? text : undefined;
    case 'pause':
      if (verbs.has('resume')) return 'resume';
      if (idea.restAsked === 'stop') return undefined;
      return verbs.has('pause') ? text : undefined;
    case 'stop':
      if (idea.restAsked === 'stop') return undefined;
      if (verbs.has('stop') && idea.status !== 'pending') return text;
      return verbs.has('abandon') ? 'give up' : undefined;
    case 'continue':
      return openWarnings(idea).length > 0 ? text : undefined;
    case 'more-iterations':
      return moreText(idea, verbs);
    case 'bump':
      if (model.mode === 'semi-auto' && verbs.has('assign')) return 'start it';
      return idea.status === 'pending' && verbs.has('bump') ? text : undefined;
    default:
      return key.verb !== undefined && verbs.has(key.verb as IdeaVerb) ? text : undefined;
  }
}
