/** Runs that are over, as files of a state folder: what a cleaning finds after some months. */
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../../src/config/paths.js';
import { type Config, configSchema } from '../../src/config/schema/config.js';

const DAY = 86_400_000;

export interface OldRun {
  project: string;
  repo: string;
  /** When it ended. */
  at: number;
  /** Ideas, each with as many agent runs. */
  ideas?: string[];
  agentRuns?: number;
  /** Bytes of the output of each agent run, and of each gate log. */
  output?: number;
  gateLog?: number;
  config?: Config;
  /** No end is recorded. */
  open?: boolean;
  report?: boolean;
}

export const runIdAt = (at: number, tail = 'aaaa'): string =>
  `${new Date(at).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}-${tail}`;

export const daysBefore = (now: number, days: number): number => now - days * DAY;

/** Returns its id. */
export async function oldRun(root: string, run: OldRun): Promise<string> {
  const { project, repo, at, ideas = ['a-1'], agentRuns = 2, output = 20_000, gateLog = 5000 } = run;
  const began = at - 3_600_000;
  const runId = runIdAt(began, Math.random().toString(36).slice(2, 6).padEnd(4, '0'));
  const dir = runDir(root, project, runId);
  const time = (ms: number): string => new Date(ms).toISOString();
  const about = { id: '', title: '', text: 'Do it', blue: false, dependsOn: [], tags: [], done: false };
  const idea = (id: string) => ({
    ...about,
    id,
    title: `Do ${id}`,
    ralph: true,
    success: [],
    allowEmpty: false,
    source: {},
  });
  const config = run.config ?? configSchema.parse({});
  const file = {
    ...{ version: 1, project, runId, repo, target: 'main', config, tick: true, createdAt: time(began) },
    backlog: { file: join(repo, 'roadmap.md'), format: 'roadmap', sha256: '' },
  };
  const events: object[] = [
    { kind: 'run', state: 'running', landed: 0, total: ideas.length },
    ...ideas.flatMap((id) => told(id, agentRuns)),
    ...(run.open ? [] : [{ kind: 'run', state: 'completed', landed: ideas.length, total: ideas.length }]),
  ];
  await mkdir(join(dir, 'ideas'), { recursive: true });
  const put = async (path: string, text: string): Promise<void> => {
    await writeFile(join(dir, path), text);
    await utimes(join(dir, path), at / 1000, at / 1000);
  };
  await put('backlog.json', JSON.stringify(ideas.map(idea)));
  await put('run.json', JSON.stringify(file));
  await put(
    'events.jsonl',
    events.map((event, n) => `${JSON.stringify({ at: time(began + n * 1000), ...event })}\n`).join(''),
  );
  if (!run.open) {
    const status = { runId, statistics: { iterations: { total: agentRuns * ideas.length }, runtimeMs: 3_600_000 } };
    await put('summary.json', JSON.stringify({ outcome: 'completed', landed: ideas.length, notLanded: [], status }));
  }
  if (run.report) for (const name of ['report.md', 'report.html']) await put(name, `the report of ${runId}`);
  for (const id of ideas) {
    for (let serial = 1; serial <= agentRuns; serial++) {
      const place = `ideas/${id}/${String(serial).padStart(3, '0')}`;
      await mkdir(join(dir, place, 'gate'), { recursive: true });
      await put(`${place}/prompt.md`, `the prompt of ${id}`);
      await put(`${place}/output.log`, 'o'.repeat(output));
      await put(`${place}/stream.jsonl`, '{"kind":"text","text":"done"}\n');
      await put(`${place}/final-message.md`, 'done');
      await put(`${place}/result.json`, '{"exitCode":0}');
      await put(`${place}/notes.json`, JSON.stringify({ answers: [{ question: 'Which?', answer: `this ${serial}` }] }));
      await put(`${place}/gate/1-test.log`, 'g'.repeat(gateLog));
    }
    await mkdir(join(dir, `ideas/${id}/landing`), { recursive: true });
    await put(`ideas/${id}/landing/1-test.log`, 'g'.repeat(gateLog));
  }
  return runId;
}

const told = (idea: string, agentRuns: number): object[] => [
  { kind: 'idea', idea, title: `Do ${idea}`, status: 'running' },
  ...Array.from({ length: agentRuns }, (_, n) => [
    { kind: 'iteration', idea, serial: n + 1, iteration: n + 1, max: 30, agentName: 'ed-001' },
    {
      ...{ kind: 'iteration-end', idea, serial: n + 1, iteration: n + 1, outcome: 'ok', durationMs: 1000, commits: 1 },
      signal: { kind: 'complete' },
    },
  ]).flat(),
  { kind: 'idea', idea, title: `Do ${idea}`, status: 'landed', commit: '0123456789012345678901234567890123456789' },
];
