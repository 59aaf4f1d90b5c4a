/**
 * Closes an editor, an input or a question whose subject is over: answered elsewhere, landed, given up, the run over.
 * Invariant: pure. No text goes away, and nothing is sent.
 */
import { FROM } from '../../decide/idea/answers.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { ideaVerbs, isOver, type RunKey, refusedNow, runTakes } from '../idea/possible.js';
import { clock } from '../text/time.js';
import type { About, Selection, Ui } from '../ui.js';
import { draftOf, inOneLine } from './typing.js';

const RUN_KEYS: ReadonlySet<string> = new Set<RunKey>(['pause', 'resume', 'stop', 'review']);
const STARTS: ReadonlySet<string> = new Set(['start', 'run']);

/**
 * What a command is about, where the run takes it now: it closes once the run does not. Otherwise the run itself refuses it.
 * `asks`: a question says what becomes of the idea, and holds for its present status only.
 */
export function aboutOf(args: readonly string[], model: RunModel, asks = false): { about?: About } {
  const [verb = '', ...rest] = args;
  const id = STARTS.has(verb) ? undefined : rest.find((word) => model.ideas.has(word));
  const was = asks ? model.ideas.get(id ?? '')?.status : undefined;
  const about: About = {
    ...{ verb, run: model.runId },
    ...(id === undefined ? {} : { idea: id }),
    ...(was === undefined ? {} : { was }),
  };
  return whyOver(about, model) === undefined ? { about } : {};
}

/** Why the run does not take it any more; undefined: it does. */
function whyOver({ verb, run, idea: id, was }: About, model: RunModel): string | undefined {
  if (run !== model.runId) return `run ${model.runId} has begun: ${verb} was meant for the one before`;
  if (id === undefined) {
    const takes = STARTS.has(verb)
      ? isOver(model)
      : RUN_KEYS.has(verb)
        ? runTakes(model, verb as RunKey)
        : !isOver(model);
    return takes ? undefined : `the run is ${model.state}: ${verb} does not apply any more`;
  }
  const idea = model.ideas.get(id);
  const verbs: ReadonlySet<string> = idea ? ideaVerbs(model, idea) : new Set();
  if (verbs.has(verb)) {
    if (!idea || was === undefined || idea.status === was) return undefined;
    return `${id} was ${stateOf({ status: was })} and is ${stateOf(idea)} now: ${verb} is not done`;
  }
  return refusedNow(model) ?? `${id} is ${idea ? stateOf(idea) : 'gone'}: ${verb} does not apply to it any more`;
}

const stateOf = ({ status }: Pick<IdeaModel, 'status'>): string =>
  status === 'needs-human' ? 'waiting for your answer' : status;

/** Why the question that the person answers is over; undefined: it is open. While the run stops, and after it, it stays so. */
function whyAnswered(ui: Ui, id: string, model: RunModel): string | undefined {
  const idea = model.ideas.get(id);
  if (!idea) return `${id} is not in run ${model.runId}`;
  const asks = idea.status === 'needs-human' || ideaVerbs(model, idea).has('answer');
  const other = ui.answers !== undefined && idea.questionId !== undefined && idea.questionId !== ui.answers;
  if (asks && !other) return undefined;
  const answer = idea.said.find(
    ({ verb, at }) => (verb === 'answer' || verb === 'approve') && at >= (ui.asked ?? Number.POSITIVE_INFINITY),
  );
  const from = answer?.by ? ` ${FROM[answer.by]}` : '';
  const was = answer && `${id} was ${answer.verb}${answer.verb === 'answer' ? 'ed' : 'd'}${from}`;
  const when = answer && `${was} at ${clock(answer.at, model.lastAt ?? answer.at)}`;
  if (asks) return when ? `${when} and asks something else now` : `${id} asks something else now`;
  return when ?? `${id} is ${stateOf(idea)} and asks nothing now`;
}

/** Whether the person types or decides something whose subject is over. */
export function overWhy(ui: Ui, model: RunModel): string | undefined {
  // Until the files are read, nothing is known of its ideas.
  if (model.reading) return undefined;
  if (ui.confirm !== undefined || ui.prompt) return ui.pending && ui.about ? whyOver(ui.about, model) : undefined;
  return ui.answering === undefined ? undefined : whyAnswered(ui, ui.answering, model);
}

/** The screen without it, and with the reason; undefined: nothing is over. `places`: the entries of the page now. */
export function closedOver(ui: Ui, model: RunModel, places: (ui: Ui) => readonly Selection[]): Ui | undefined {
  const why = overWhy(ui, model);
  if (why === undefined) return undefined;
  const said = (kept: string): Ui['message'] => ({ text: `${why}${kept}`, refused: true });
  if (ui.confirm !== undefined || ui.prompt) {
    const { confirm: _, prompt, pending, about: __, ...rest } = ui;
    const name = pending?.do === 'tell' ? pending.draft : undefined;
    if (ui.confirm !== undefined || !prompt || name === undefined || prompt.text === '')
      return { ...rest, message: said('') };
    const stored = ui.drafts[name];
    const same = stored !== undefined && inOneLine(stored.text) === prompt.text;
    const drafts = same ? ui.drafts : { ...ui.drafts, [name]: { ...stored, ...draftOf(prompt.text) } };
    return { ...rest, drafts, message: said('; your text is kept') };
  }
  const { answering: id = '', answers: _, asked: __, nearby = [], ...rest } = ui;
  const message = said((ui.drafts[id]?.text ?? '') === '' ? '' : '; your draft is kept');
  const closed: Ui = { ...rest, message };
  const now = places(closed).filter(({ section }) => section === 'needs');
  if (now.some((one) => one.id === id)) return closed;
  const next = nearby.find((one) => now.some((place) => place.id === one)) ?? now[0]?.id;
  const { needs: ___, ...selected } = ui.selected;
  return {
    ...closed,
    selected: next === undefined ? selected : { ...selected, needs: { section: 'needs', id: next } },
  };
}
