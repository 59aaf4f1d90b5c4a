/** Agents that are killed, or that take their job process or worker down, on the real program. Features: B4, B7. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { recordedRun, recordedStatus } from '../../src/client/views/recorded.js';
import type { RunSummary } from '../../src/protocol/run.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenAllLanded } from '../support/told.js';

let box: Sandbox;
afterEach(() => box?.dispose());
const SLOW = 160_000;

/** `k-1` does `harm` in each of its runs, and says so in `harm`; the others take a while and land. */
async function harmed(harm: string, config: Record<string, unknown> = {}, ideas = ['k-1', 'i-1']): Promise<void> {
  box = await sandbox(inject('stateRoot'), { 'roadmap.md': roadmap(ideas.map((id) => ({ id }))) });
  const script = `cat > /dev/null
if [ "$RALPHCTL_IDEA" = k-1 ] && [ ! -e ${box.scratch}/good ]; then
  echo run >> ${box.scratch}/harm
  echo "half of it" > half.txt; git add half.txt; git commit -qm half
  ${harm}
fi
sleep 2
echo "$RALPHCTL_IDEA" > "$RALPHCTL_IDEA.txt"
printf '<ralph nonce="%s">COMPLETE</ralph>\\n' "$RALPHCTL_NONCE"
`;
  await box.write({
    'agent.sh': script,
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'sh', slots: 2, stepDelayMs: 0, gate: ['true'] },
      agents: { sh: { adapter: 'command', command: ['/bin/sh', join(box.repo, 'agent.sh')] } },
      ...config,
    }),
  });
  await box.commit('agent');
}

const runs = async (): Promise<number> =>
  (await readFile(join(box.scratch, 'harm'), 'utf8').catch(() => '')).split('\n').filter(Boolean).length;
const status = async (): Promise<RunStatus | undefined> =>
  (await box.run('status', '--json')).json[0]?.status as RunStatus | undefined;

/** Ends a process that is one of ours, and nothing else. */
const end = (pid: string): string =>
  `p=${pid}; tr '\\0' ' ' < "/proc/$p/cmdline" | grep -q 'dist/' && kill -9 "$p"; sleep 60`;

/** Outcomes that the usage file has of the idea, in this run. */
async function booked(runId: string, idea: string): Promise<string[]> {
  const root = join(inject('stateRoot'), 'projects');
  const outcomes: string[] = [];
  for (const project of await readdir(root)) {
    const dir = join(root, project, 'usage');
    for (const file of await readdir(dir).catch(() => [])) {
      const lines = (await readFile(join(dir, file), 'utf8')).split('\n').filter(Boolean);
      const rows = lines.map((line) => JSON.parse(line) as { run: string; idea: string; outcome: string });
      outcomes.push(...rows.filter((row) => row.run === runId && row.idea === idea).map(({ outcome }) => outcome));
    }
  }
  return outcomes;
}

describe('B4 what is cut off from outside again and again', () => {
  it.each([
    ['its own agent', 'kill -9 $$', 'killed'],
    ['its job process', end('$PPID'), 'lost'],
    ['its worker', end('$(ps -o ppid= -p $PPID | tr -d " ")'), 'lost'],
  ])(
    'an idea that kills %s is asked about after five runs; the one beside it lands; answered, it goes on where it was',
    async (_what, harm, outcome) => {
      await harmed(harm, { errors: { retryBaseMs: 10 }, budget: { run: { tokens: 1_000_000 } } });
      const started = await box.run('start', '--detach', '--json');
      const runId = String(started.json[0]?.runId);
      const asks = await until(
        'the question, and the landing of the other idea',
        async () => {
          const now = await status();
          return now?.counts['needs-human'] === 1 && now.counts.landed === 1 ? now : undefined;
        },
        SLOW,
      );
      expect(JSON.stringify(asks)).toContain('5 agent runs in a row were ended from outside');
      expect(await runs()).toBe(5);
      // The budget of the run counts each of them, and the one of the other idea.
      const [budget] = asks.budget ?? [];
      expect(budget).toMatchObject({ scope: 'run', dimension: 'tokens' });
      expect(budget?.unknown).toBeGreaterThanOrEqual(6);
      // So does the record, which answers while no worker does.
      const recorded = await recordedRun(inject('stateRoot'), String(started.json[0]?.project), runId);
      const [line] = (recorded && recordedStatus(recorded).budget) ?? [];
      expect(line).toMatchObject({ scope: 'run', dimension: 'tokens' });
      expect(line?.unknown).toBeGreaterThanOrEqual(6);
      expect(await box.git('show', 'main:i-1.txt')).toBe('i-1');
      await writeFile(join(box.scratch, 'good'), '');
      expect((await box.run('answer', 'k-1', 'it is safe now')).code).toBe(0);
      const all = await whenAllLanded(box, runId, SLOW);
      expect(await booked(runId, 'k-1')).toEqual([...Array.from({ length: 5 }, () => outcome), 'ok']);
      // What was done before is kept, and none of it was charged.
      expect(await box.git('show', 'main:half.txt')).toBe('half of it');
      const charged = all.filter(
        (event) => event.kind === 'iteration-end' && event.idea === 'k-1' && event.outcome === 'ok',
      );
      expect(charged).toMatchObject([{ iteration: 1 }]);
    },
    2 * SLOW,
  );
});

describe('B7 strategies, of an agent that is killed', () => {
  it('skip: the idea is skipped at once, counts as no failure, the rest lands', async () => {
    await harmed('kill -9 $$', { errors: { strategy: 'skip', threshold: 1 } });
    const done = await box.run('start', '--json', '--wait');
    const summary = done.json.at(-1) as unknown as RunSummary;
    expect(summary).toMatchObject({ outcome: 'completed', landed: 1, notLanded: [{ idea: 'k-1', status: 'skipped' }] });
    expect(await runs()).toBe(1);
  });

  it('abort: the idea fails at once, and ends the run', async () => {
    await harmed('kill -9 $$', { slots: 1, errors: { strategy: 'abort' } });
    const done = await box.run('start', '--json', '--wait');
    const summary = done.json.at(-1) as unknown as RunSummary;
    expect(summary).toMatchObject({ outcome: 'stopped', landed: 0 });
    expect(summary.notLanded).toMatchObject([
      { idea: 'k-1', status: 'failed' },
      { idea: 'i-1', status: 'pending' },
    ]);
    expect(await runs()).toBe(1);
  });
});
