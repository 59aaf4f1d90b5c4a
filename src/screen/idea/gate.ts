/** The Gate tab: its commands, failing tests first, then the output (G1). */
import { lastGate } from '../../model/fold-gate.js';
import type { GateRun, IdeaModel, Iteration } from '../../model/model.js';
import type { GateCommandResult } from '../../protocol/gate.js';
import { coloured, dim, type Line, line, rule } from '../text/line.js';
import { many, whole } from '../text/numbers.js';
import { clean, pad, tail, width, wrap } from '../text/text.js';
import { clock, duration, lasted } from '../text/time.js';
import type { View } from '../view.js';
import { activityWords } from '../words/activity-words.js';
import { passed, whyRed } from '../words/gate-words.js';
import { runName } from '../words/idea-words.js';
import { chosenRun } from './timeline.js';
import { loading, type TabBody, toldOf } from './told.js';

export interface ShownGate {
  /** The iteration that it judges. */
  run?: Iteration;
  gate?: GateRun;
  /** On the tree that is about to land. */
  merged?: true;
  /** A command of it runs now. */
  runs?: true;
}

/** The gate of an agent run; without one the gate that runs now, else the newest. Its output belongs to the same one. */
export function shownGate(idea: IdeaModel, serial: number | undefined): ShownGate {
  const { gateNow, iterations } = idea;
  const last = iterations.at(-1);
  if (serial !== undefined) {
    const run = chosenRun(idea, serial);
    if (run && run === last && gateNow && !gateNow.merged) return { run, runs: true };
    return { ...(run ? { run } : {}), ...(run?.gate ? { gate: run.gate } : {}) };
  }
  if (gateNow?.merged) return { merged: true, runs: true };
  if (gateNow) return { ...(last ? { run: last } : {}), runs: true };
  const newest = lastGate(idea);
  if (newest?.merged) return newest;
  const judged = iterations.findLast((one) => one.gate);
  return { ...(judged ? { run: judged } : {}), ...newest };
}

/** Names the gate whose output belongs to these commands; undefined: none has run. */
export const gateKey = ({ run, merged }: ShownGate): string | undefined => (merged ? 'merged' : run && `${run.serial}`);

export const gateOf = ({ ui }: View, idea: IdeaModel): ShownGate => shownGate(idea, ui.serial);

/** `iteration 4, 23:31`, `on the merged tree, 23:40` */
export function gateWhen(view: View, idea: IdeaModel): string {
  const { gate, runs } = gateOf(view, idea);
  if (!gate && !runs) return '';
  return [gateAbout(view, idea), gate ? clock(gate.at, view.now) : 'runs'].filter((one) => one !== '').join(', ');
}

/** `iteration 4`, `on the merged tree` */
export function gateAbout(view: View, idea: IdeaModel): string {
  const { run, merged } = gateOf(view, idea);
  return merged ? 'on the merged tree' : run ? runName(run) : '';
}

/** One line per command: sign, command, time, exit code, tests. */
export function commandLines(
  idea: IdeaModel,
  { gate, runs }: ShownGate,
  now: number,
  columns: number,
  /** All configured commands, in order. */
  known: readonly string[] = [],
): Line[] {
  const size = Math.max(12, Math.min(24, Math.floor(columns / 3)));
  const lines: Line[] = (gate?.commands ?? []).map(
    ({ command, exitCode, durationMs, tests, waitedMs, again: rerun }) => {
      const ok = passed({ command, exitCode }, gate);
      const code =
        exitCode === 0 || columns < 60 ? '' : `   ${exitCode === null ? 'stopped' : `exit code ${exitCode}`}`;
      const roomy = !rerun || columns >= 76;
      const counts = tests ? `   ${tests.passed}/${tests.total}${roomy ? ' passing' : ''}` : '';
      const again = gate?.flaky.includes(command)
        ? '   passed when run again'
        : rerun
          ? `   again: ${outcome(rerun)}`
          : '';
      const waited = waitedMs ? `   waited ${lasted(waitedMs)}` : '';
      return line(
        ' ',
        coloured(ok ? '✓' : '✗', ok ? 'green' : 'red'),
        ` ${pad(clean(command), size)} ${pad(lasted(durationMs), 5, 'right')}${code}${counts}${again}${waited}`,
      );
    },
  );
  if (gate?.none) lines.push(line(dim(' no gate is configured: only the agent says that its work is done')));
  else if (gate && gate.commands.length === 0) {
    const tests = gate.tests ? `   ${gate.tests.passed}/${gate.tests.total} passing` : '';
    lines.push(
      line(
        ' ',
        coloured(gate.pass ? '✓' : '✗', gate.pass ? 'green' : 'red'),
        ` ${clean(gate.command ?? 'all commands')}${tests}`,
      ),
    );
  }
  const gateNow = runs ? idea.gateNow : undefined;
  const ran = new Set(gate?.commands.map(({ command }) => command));
  if (gate && !gate.pass && !gateNow && known.length > 0 && [...ran].every((one) => known.includes(one)))
    for (const command of known.filter((one) => !ran.has(one)))
      lines.push(line(dim(` · ${pad(clean(command), size)}         not run`)));
  if (runs && idea.activity) {
    const { at } = idea.activity;
    lines.push(
      line(' ', coloured('▹', 'blue'), ` ${activityWords(idea.activity, clean)} ${duration(now - at)}   runs`),
    );
  } else if (gateNow) {
    for (const command of known.slice(0, gateNow.number - 1))
      lines.push(line(dim(` · ${pad(clean(command), size)}         has run`)));
    lines.push(
      line(
        ' ',
        coloured('▹', 'blue'),
        ` ${pad(clean(gateNow.command), size)} ${pad(duration(now - gateNow.at), 5, 'right')}   runs, ${gateNow.number} of ${gateNow.of}${gateNow.merged ? ', on the merged tree' : ''}`,
      ),
    );
  }
  return lines.length > 0 ? lines : [line(dim(' the gate has not run'))];
}

const outcome = ({ exitCode, tests }: NonNullable<GateCommandResult['again']>): string =>
  tests ? `${tests.passed}/${tests.total}` : exitCode === null ? 'stopped' : `exit code ${exitCode}`;

/** Why the gate is red, where no exit code says it. */
export const whyLines = (gate: GateRun | undefined, columns: number): Line[] =>
  (gate ? whyRed(gate) : []).flatMap((text) =>
    wrap(text, columns - 3).map((part, at) =>
      line(at === 0 ? ' ' : '   ', at === 0 ? coloured('!', 'red') : '', at === 0 ? ` ${part}` : part),
    ),
  );

/** The end of a path tells more than its beginning. */
const fitted = (name: string, cells: number): string =>
  /^\S*\/\S*$/.test(name) && width(name) > cells ? `…${tail(name, cells - 1)}` : name;

/** Failing tests, then what else is worth a look. */
export const failingLines = (gate: GateRun | undefined, columns: number): Line[] => [
  ...redLines(gate, columns),
  ...lookLines(gate),
];

/** Failing tests; those that this idea broke come first. */
function redLines(gate: GateRun | undefined, columns: number): Line[] {
  if (!gate) return [];
  const size = columns < 60 ? Math.max(8, columns - 4) : Math.min(34, columns - 40);
  const one = (name: string, why: string): Line =>
    line(' ', coloured('✗', 'red'), ` ${pad(fitted(clean(name), size), size)} `, dim(columns < 60 ? '' : why));
  return [
    ...gate.newTests.map((name) => one(name, 'new: not red where the idea began')),
    ...gate.knownTests.map((name) => one(name, 'fails where the idea began, too')),
  ];
}

/** What a person should look at, also where the gate is green. */
function lookLines(gate: GateRun | undefined): Line[] {
  if (!gate) return [];
  return [
    ...gate.tripwires.map((text) => line(' ', coloured('!', 'yellow'), ` ${clean(text)}`)),
    ...gate.tolerated.map((text) => line(' ', coloured('!', 'yellow'), ` ${clean(text)}: red on the base, tolerated`)),
  ];
}

export function gateTab(view: View, idea: IdeaModel, columns: number, height: number): TabBody {
  const { now, ui } = view;
  const shown = gateOf(view, idea);
  const { gate } = shown;
  const told = toldOf(view, idea);
  const lines = commandLines(idea, shown, now, columns, told?.gateCommands);
  lines.push(...whyLines(gate, columns));
  const failing = redLines(gate, columns);
  const look = lookLines(gate);
  const third = Math.floor(height / 3);
  const tests = gate?.tests;
  if (failing.length > 0)
    lines.push(
      rule('failing', tests ? `${tests.failed} of ${tests.total}` : '', columns),
      ...failing.slice(0, Math.max(1, third - look.length)),
    );
  if (look.length > 0) lines.push(rule('worth a look', '', columns), ...look.slice(0, Math.max(1, third)));
  const key = gateKey(shown);
  const isRead = key === undefined || told?.outputOf === key;
  const output = isRead ? told?.gateOutput : undefined;
  const room = height - lines.length - 1;
  if (!isRead && (gate || shown.runs)) lines.push(loading('the output of this gate'));
  if (!output || room < 1) return { lines: lines.slice(0, height) };
  const wanted = ui.search.trim().toLowerCase();
  const found = wanted === '' ? output.lines : output.lines.filter((text) => text.toLowerCase().includes(wanted));
  const most = Math.max(0, found.length - room);
  const back = Math.min(ui.scroll['idea gate'] ?? 0, most);
  const end = found.length - back;
  const all = many(output.total, 'line');
  const title =
    wanted === ''
      ? `output, ${back === 0 ? 'last of ' : ''}${all}`
      : `output, ${whole(found.length)} of ${all} have /${clean(ui.search.trim())}`;
  lines.push(
    rule(title, wanted === '' ? 'g first  / find' : 'Esc all lines', columns),
    ...found.slice(Math.max(0, end - room), end).map((text) => line(` ${clean(text.replace(/\t/g, '  '))}`)),
  );
  return { lines, most };
}
