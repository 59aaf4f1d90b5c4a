/**
 * `ralphctl doctor`: checks everything that a run needs. Invariant: it starts no run and changes none of the user's files;
 * set-up and gate run in a worktree that it removes again.
 */

import pc from 'picocolors';
import { many } from '../../../protocol/many.js';
import { EXIT } from '../../../protocol/user-error.js';
import { type Context, print, printJson } from '../../context.js';
import { checkAgents } from '../../doctor/agents.js';
import { type Check, problem } from '../../doctor/check.js';
import { checkMachine } from '../../doctor/machine.js';
import { checkProject, type ProjectFindings } from '../../doctor/project.js';
import { checkSandbox } from '../../doctor/sandbox.js';
import { checkServices } from '../../doctor/services.js';
import { checkSizes } from '../../doctor/sizes.js';
import { checkUnattended } from '../../doctor/unattended.js';
import { checkScripts } from '../../plan/scripts.js';
import { doing } from '../../progress.js';
import { clean } from '../../views/live-lines.js';
import { usesColour } from '../../views/terminal.js';

export interface DoctorOptions {
  probe?: boolean;
  /** Skips the trial of set-up and gate. */
  quick?: boolean;
}

export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  const machine = checkMachine(context);
  const found = await checkProject(context);
  doing('doctor: set-up and gate in a fresh worktree');
  const gate = options.quick ? found.gate : await tried(context, found);
  if (gate === undefined) return EXIT.interrupted;
  const turns: Check[] = [];
  const answered = new Set<string>();
  if (options.probe) {
    const { probeAgent } = await import('../../doctor/agents.js');
    for (const spec of found.agents) {
      doing(`doctor: asks ${spec.name} for one answer`);
      const turn = await probeAgent(context, spec);
      turns.push(turn);
      if (turn.state === 'ok') answered.add(spec.name);
    }
  }
  doing('doctor: agents and server');
  const checks = [
    ...(await machine),
    ...found.checks,
    ...gate,
    ...(await checkAgents(context, found.agents, answered)),
    ...(await scripts(context, found)),
    ...(await checkServices(context, found.project?.id)),
    ...(await checkSandbox(context, found.config)),
    ...(await checkUnattended(context, found.project, found.config)),
    ...(await checkSizes(context, found.config?.retention)),
    ...turns,
  ];
  const count = (state: Check['state']): number => checks.filter((check) => check.state === state).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (context.json) printJson({ ok: failed === 0, problems: failed, warnings: warned, checks });
  else show(checks, failed, warned);
  return failed === 0 ? EXIT.ok : EXIT.usage;
}

/** A start would refuse an agent whose script is missing. */
async function scripts(context: Context, { project, config, target, agents }: ProjectFindings): Promise<Check[]> {
  if (!project || !config || target === undefined) return [];
  const place = { root: project.repository.root, target };
  const checked = agents.map(({ name }) =>
    checkScripts(context, config, [name], place).then(
      () => [],
      (error: unknown) => [problem(`agent ${name}`, error, 'commit its script')],
    ),
  );
  return (await Promise.all(checked)).flat();
}

/** Undefined: a person ended the trial. */
async function tried(context: Context, found: ProjectFindings): Promise<readonly Check[] | undefined> {
  const { project, config, target, gate } = found;
  if (!project || !config || target === undefined) return gate;
  const broken = gate.filter((check) => check.state === 'fail' || check.state === 'warn');
  if (config.gate.commands.length === 0 && !config.setup.run && config.setup.copy.length === 0) return gate;
  const { tryGate } = await import('../../doctor/trial.js');
  const without = new Set(broken.map((check) => check.what.replace(/^gate: /, '')));
  // The commands are in process groups of their own: Ctrl-C does not reach them.
  const ended = new AbortController();
  const end = (): void => ended.abort();
  for (const signal of ENDINGS) process.once(signal, end);
  try {
    return [...broken, ...(await tryGate(context, { project, config, target, without, signal: ended.signal }))];
  } catch (error) {
    if (ended.signal.aborted) return undefined;
    return [...gate, problem('set-up and gate', error, 'check that git can create a worktree: git worktree add')];
  } finally {
    for (const signal of ENDINGS) process.off(signal, end);
  }
}

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Characters of a finding. It may quote another program or a file. */
const MOST = 2000;
const MARKS: Readonly<Record<Check['state'], string>> = { ok: '✓', info: '·', warn: '!', fail: '✗' };

function show(checks: readonly Check[], failed: number, warned: number): void {
  const paint = pc.createColors(usesColour());
  const colours = { ok: paint.green, info: paint.dim, warn: paint.yellow, fail: paint.red };
  const width = Math.min(28, Math.max(...checks.map((check) => check.what.length)));
  for (const { what, state, found, fix } of checks) {
    print(`${colours[state](MARKS[state])} ${clean(what).padEnd(width)}  ${clean(found, MOST)}`);
    if (fix !== undefined && (state === 'fail' || state === 'warn'))
      print(`  ${' '.repeat(width)}  ${paint.dim('→')} ${clean(fix, MOST)}`);
  }
  const problems = many(failed, 'problem');
  const warnings = many(warned, 'warning');
  print(failed === 0 ? `ready to start${warned > 0 ? `, with ${warnings}` : ''}` : `${problems}, ${warnings}`);
}
