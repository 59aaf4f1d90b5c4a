/** The Gate tab: its commands, failing tests first, then the output (G1). */
import type { GateRun, IdeaModel, Iteration } from '../model/model.js';
import { coloured, dim, type Line, line, rule } from './line.js';
import { whole } from './numbers.js';
import { clean, pad } from './text.js';
import { clock, duration } from './time.js';
import { chosenRun } from './timeline.js';
import type { View } from './view.js';

/** The gate of the shown iteration; for the last iteration also the command that runs now. */
export function gateOf(view: View, idea: IdeaModel): { run?: Iteration; gate?: GateRun } {
  const run = chosenRun(idea, view.ui.serial);
  if (view.ui.serial === undefined) {
    const judged = idea.iterations.findLast((one) => one.gate);
    return { ...(judged ? { run: judged } : {}), ...(idea.gate ? { gate: idea.gate } : {}) };
  }
  return { ...(run ? { run } : {}), ...(run?.gate ? { gate: run.gate } : {}) };
}

/** `iteration 4, 23:31` */
export function gateWhen(view: View, idea: IdeaModel): string {
  const { run, gate } = gateOf(view, idea);
  return gate ? `${run ? `iteration ${run.number}, ` : ''}${clock(gate.at, view.now)}` : '';
}

/** One line per command: sign, command, time, exit code, tests. */
export function commandLines(
  idea: IdeaModel,
  gate: GateRun | undefined,
  now: number,
  columns: number,
  /** All configured commands, in order. */
  known: readonly string[] = [],
): Line[] {
  const size = Math.max(12, Math.min(24, Math.floor(columns / 3)));
  const lines: Line[] = (gate?.commands ?? []).map(({ command, exitCode, durationMs, tests }) => {
    const ok = exitCode === 0;
    const code = ok || columns < 60 ? '' : `   ${exitCode === null ? 'stopped' : `exit code ${exitCode}`}`;
    const counts = tests ? `   ${tests.passed}/${tests.total} passing` : '';
    const again = gate?.flaky.includes(command) ? '   passed when run again' : '';
    return line(
      ' ',
      coloured(ok ? '✓' : '✗', ok ? 'green' : 'red'),
      ` ${pad(clean(command), size)} ${pad(exact(durationMs), 5, 'right')}${code}${counts}${again}`,
    );
  });
  if (gate && gate.commands.length === 0) {
    const tests = gate.tests ? `   ${gate.tests.passed}/${gate.tests.total} passing` : '';
    lines.push(
      line(
        ' ',
        coloured(gate.pass ? '✓' : '✗', gate.pass ? 'green' : 'red'),
        ` ${clean(gate.command ?? 'all commands')}${tests}`,
      ),
    );
  }
  const { gateNow } = idea;
  const ran = new Set(gate?.commands.map(({ command }) => command));
  if (gate && !gate.pass && !gateNow && known.length > 0 && [...ran].every((one) => known.includes(one)))
    for (const command of known.filter((one) => !ran.has(one)))
      lines.push(line(dim(` · ${pad(clean(command), size)}         not run`)));
  if (gateNow)
    lines.push(
      line(
        ' ',
        coloured('▹', 'blue'),
        ` ${pad(clean(gateNow.command), size)} ${pad(duration(now - gateNow.at), 5, 'right')}   runs, ${gateNow.number} of ${gateNow.of}${gateNow.merged ? ', on the merged tree' : ''}`,
      ),
    );
  return lines.length > 0 ? lines : [line(dim(' the gate has not run'))];
}

/** A gate that has ended has an exact duration. */
const exact = (ms: number): string => (ms < 60_000 ? `${Math.round(ms / 1000)}s` : duration(ms));

/** Failing tests; those that this idea broke come first. */
export function failingLines(gate: GateRun | undefined, columns: number): Line[] {
  if (!gate) return [];
  const size = columns < 60 ? Math.max(8, columns - 4) : Math.min(34, columns - 40);
  const one = (name: string, why: string): Line =>
    line(' ', coloured('✗', 'red'), ` ${pad(clean(name), size)} `, dim(columns < 60 ? '' : why));
  return [
    ...gate.newTests.map((name) => one(name, 'new: green where the idea began')),
    ...gate.knownTests.map((name) => one(name, 'fails where the idea began, too')),
    ...gate.tripwires.map((text) => line(' ', coloured('!', 'yellow'), ` ${clean(text)}`)),
    ...gate.tolerated.map((text) => line(' ', coloured('!', 'yellow'), ` ${clean(text)}: red on the base, tolerated`)),
  ];
}

export function gateTab(view: View, idea: IdeaModel, columns: number, height: number): Line[] {
  const { details, now, ui } = view;
  const { gate } = gateOf(view, idea);
  const told = details.idea?.id === idea.id ? details.idea : undefined;
  const lines = commandLines(idea, gate, now, columns, told?.gateCommands);
  const failing = failingLines(gate, columns);
  if (failing.length > 0) {
    const tests = gate?.tests;
    lines.push(
      rule('failing', tests ? `${tests.failed} of ${tests.total}` : '', columns),
      ...failing.slice(0, Math.floor(height / 3)),
    );
  }
  const output = told?.gateOutput;
  const room = height - lines.length - 1;
  if (!output || room < 1) return lines.slice(0, height);
  const back = Math.max(0, Math.min(ui.scroll['idea gate'] ?? 0, output.lines.length - room));
  const end = output.lines.length - back;
  const shown = output.lines.slice(Math.max(0, end - room), end);
  lines.push(
    rule(
      back === 0 ? `output, last of ${whole(output.total)} lines` : `output, ${whole(output.total)} lines`,
      'g first  / find',
      columns,
    ),
    ...shown.map((text) => line(` ${clean(text.replace(/\t/g, '  '))}`)),
  );
  return lines;
}
