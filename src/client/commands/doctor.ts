/** `ralphctl doctor`: everything that a run here needs, looked at before it is needed. Starts and changes nothing. */
import pc from 'picocolors';
import { type Context, print, printJson } from '../context.js';
import { checkAgents } from '../doctor/agents.js';
import type { Check } from '../doctor/check.js';
import { checkMachine } from '../doctor/machine.js';
import { checkProject } from '../doctor/project.js';
import { checkServices } from '../doctor/services.js';
import { EXIT } from '../exit-codes.js';

export interface DoctorOptions {
  probe?: boolean;
}

export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  const machine = checkMachine(context);
  const found = await checkProject(context);
  const turns: Check[] = [];
  const answered = new Set<string>();
  if (options.probe) {
    const { probeAgent } = await import('../doctor/probe.js');
    for (const spec of found.agents) {
      const turn = await probeAgent(context, spec);
      turns.push(turn);
      if (turn.state === 'ok') answered.add(spec.name);
    }
  }
  const checks = [
    ...(await machine),
    ...found.checks,
    ...(await checkAgents(context, found.agents, answered)),
    ...(await checkServices(context, found.project?.id)),
    ...turns,
  ];
  const count = (state: Check['state']): number => checks.filter((check) => check.state === state).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (context.json) printJson({ ok: failed === 0, problems: failed, warnings: warned, checks });
  else show(checks, failed, warned);
  return failed === 0 ? EXIT.ok : EXIT.usage;
}

const MARKS: Readonly<Record<Check['state'], string>> = { ok: '✓', info: '·', warn: '!', fail: '✗' };

function show(checks: readonly Check[], failed: number, warned: number): void {
  const paint = pc.createColors(Boolean(process.stdout.isTTY) && !process.env.NO_COLOR);
  const colours = { ok: paint.green, info: paint.dim, warn: paint.yellow, fail: paint.red };
  const width = Math.min(28, Math.max(...checks.map((check) => check.what.length)));
  for (const { what, state, found, fix } of checks) {
    print(`${colours[state](MARKS[state])} ${what.padEnd(width)}  ${found}`);
    if (fix !== undefined && (state === 'fail' || state === 'warn'))
      print(`  ${' '.repeat(width)}  ${paint.dim('→')} ${fix}`);
  }
  const problems = failed === 1 ? '1 problem' : `${failed} problems`;
  const warnings = warned === 1 ? '1 warning' : `${warned} warnings`;
  print(failed === 0 ? `ready to start${warned > 0 ? `, with ${warnings}` : ''}` : `${problems}, ${warnings}`);
}
