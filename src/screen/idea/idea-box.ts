/** The box of the running iteration: number, limit, time, progress, tests, commits, cost (G1). */
import type { IdeaModel, Iteration } from '../../model/model.js';
import { agentMs, workingMs } from '../../model/tally.js';
import type { IdeaDetails } from '../details.js';
import { box } from '../text/boxes.js';
import { coloured, fill, type Line, line } from '../text/line.js';
import { retriesText, short, UNKNOWN } from '../text/numbers.js';
import { clean, pad } from '../text/text.js';
import { bar, SIGNALS } from '../text/theme.js';
import { age, duration } from '../text/time.js';
import type { View } from '../view.js';
import { activityWords } from '../words/activity-words.js';
import { restText } from '../words/idea-words.js';
import { claim } from '../words/signal-words.js';
import { commitsOf, costNow, toldOf, usedNow } from './told.js';

const of = (used: string, most: number | undefined): string =>
  most === undefined ? used : `${used} of ${duration(most)}`;

/** Working time of this iteration and of the idea, each with its limit. */
function times(
  idea: IdeaModel,
  run: Iteration,
  told: IdeaDetails | undefined,
  now: number,
): { run: string; idea: string } {
  return {
    run: of(duration(agentMs(run, now)), told?.iterationLimitMs),
    idea: of(duration(workingMs(idea, now)), told?.ideaLimitMs),
  };
}

/** The last signal, and the iteration that sent it. */
function lastSignal(idea: IdeaModel, wide: boolean): Line {
  const run = idea.iterations.findLast(({ signal }) => signal && signal.kind !== 'none');
  if (!run?.signal) return line(coloured('none yet', 'gray'));
  const text = `${claim({ signal: run.signal })} (iteration ${run.number})`;
  const turned = run.turnedDown === undefined || wide ? '' : `, turned down: ${clean(run.turnedDown)}`;
  return line(coloured(`${text}${turned}`, SIGNALS[run.signal.kind].colour));
}

export function iterationBox(view: View, idea: IdeaModel, columns: number): Line[] {
  const { now } = view;
  const told = toldOf(view, idea);
  const run = idea.iterations.at(-1);
  const activity = idea.activity && activityWords(idea.activity, clean);
  if (!run) {
    const lines = [line(` slot   ${idea.agentName ?? UNKNOWN}`)];
    const rest = restText(idea);
    if (rest !== undefined) lines.push(line(` asked  ${rest}`));
    if (idea.activity) lines.push(line(` now    ${activity}, ${duration(now - idea.activity.at)}`));
    return box([{ title: 'Starting', lines }], columns);
  }
  const max = idea.max ?? run.max;
  const narrow = columns < 70;
  const title = [
    `Iteration ${run.number}${max === undefined ? '' : ` of ${max}`}`,
    idea.step ? `step ${idea.step.number}/${idea.step.of}${idea.step.phase ? ` ${clean(idea.step.phase)}` : ''}` : '',
    restText(idea) ?? '',
    activity ?? (idea.gateNow ? `gate ${idea.gateNow.number}/${idea.gateNow.of}` : ''),
    // A narrow title has no room for it.
    idea.retries > 0 && !narrow ? retriesText(idea.retries) : '',
  ]
    .filter((one) => one !== '')
    .join(' · ');
  const time = times(idea, run, told, now);
  const tests = idea.gate?.tests;
  const percent = idea.percent ?? 0;
  const progress = (cells: number): Line =>
    line(
      ' ',
      coloured(bar(percent / 100, cells), 'blue'),
      idea.percent === undefined ? ` ${UNKNOWN}` : ` ${percent} %`,
    );
  const agent = [run.agent ?? idea.agent ?? UNKNOWN, run.model ?? ''].map(clean).join(' ').trim();
  const live = usedNow(view, idea);
  const tokensIn = idea.spent.tokensIn + live.tokensIn;
  const tokensOut = idea.spent.tokensOut + live.tokensOut;
  const cost = costNow(view, idea);
  if (narrow)
    return box(
      [
        {
          title,
          right: time.run,
          lines: [
            progress(Math.max(10, columns - 13)),
            line(' last signal  ', ...lastSignal(idea, true)),
            line(` tests        ${tests ? `${tests.passed}/${tests.total} passing` : UNKNOWN}`),
            line(
              ` commits      ${commitsOf(view, idea)}${told?.lastCommit === undefined ? '' : `, last ${age(now - told.lastCommit)} ago`}`,
            ),
            line(
              ` cost         ${cost}${tokensIn + tokensOut === 0 ? '' : `, ${short(tokensIn)} in, ${short(tokensOut)} out`}`,
            ),
            line(` time         ${time.idea}${idea.retries > 0 ? `, ${retriesText(idea.retries)}` : ''}`),
          ],
        },
      ],
      columns,
    );
  const right = 54;
  const two = (left: Line, name: string, value: string): Line =>
    line(...fill(left, right - 1), `${pad(name, 7)}${value}`);
  const changed = told?.changed;
  const files = changed ? `    files  ${changed.files}, +${changed.added} -${changed.deleted}` : '';
  return box(
    [
      {
        title,
        right: `${time.run} · idea ${time.idea}`,
        lines: [
          two(progress(40), 'agent', agent),
          two(line(' last signal  ', ...lastSignal(idea, false)), 'slot', idea.agentName ?? UNKNOWN),
          two(
            line(
              ` tests  ${tests ? `${tests.passed}/${tests.total}` : UNKNOWN}    commits  ${commitsOf(view, idea)}${files}`,
            ),
            'cost',
            `${cost}${cost === UNKNOWN ? '' : ' so far'}`,
          ),
        ],
      },
    ],
    columns,
  );
}
