/** Usage limits, logins and launches on the real program. Features: B8, C6, G6. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { RunSummary } from '../../src/protocol/run.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { eventProblems } from '../support/event-schema.js';
import { events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenAllLanded } from '../support/told.js';

let box: Sandbox;
let runId = '';
/** Milliseconds that a condition may take on a busy machine. */
const SLOW = 120_000;
afterEach(() => box?.dispose());

/** Each call is a line in `calls`; while the file `open-<agent>` is missing the agent says `refusal` and fails. */
async function limitedBox(options: {
  ideas: string[];
  refusal: string;
  config?: Record<string, unknown>;
  steps?: { signal: string }[];
  /** An idea with which the agent always ends at once. */
  crash?: string;
}): Promise<void> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(options.ideas.map((id) => ({ id }))),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'first', slots: 3, stepDelayMs: 0, gate: ['true'] },
      agents: {
        first: { adapter: 'scripted', env: { FIRST_API_KEY: 'secret-one' } },
        second: { adapter: 'scripted', env: { SECOND_API_KEY: 'secret-two' } },
      },
      ...options.config,
    }),
  });
  const call = (n: number) => ({
    run: [
      `echo "$RALPHCTL_IDEA $RALPHCTL_AGENT ${n} begin" >> ${box.scratch}/calls`,
      `if [ "$RALPHCTL_IDEA" = "${options.crash ?? ''}" ]; then exit 3; fi`,
      `if [ ! -e ${box.scratch}/open-$RALPHCTL_AGENT ]; then echo "${options.refusal}" >&2; exit 1; fi`,
    ].join('\n'),
  });
  const step = (n: number, signal: string) => ({
    do: [
      call(n),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
      { append: { path: '${IDEA}.txt', text: `${n}\n` } },
      { run: `echo "$RALPHCTL_IDEA $RALPHCTL_AGENT ${n} end" >> ${box.scratch}/calls` },
    ],
    signal,
  });
  const steps = options.steps ?? [{ signal: 'COMPLETE' }];
  await box.write({ '.ralph-script.yaml': yaml({ default: steps.map(({ signal }, i) => step(i + 1, signal)) }) });
  await box.commit('script');
}

const calls = async (): Promise<string[]> =>
  (await readFile(join(box.scratch, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const open = (agent: string) => writeFile(join(box.scratch, `open-${agent}`), '');
const status = async (): Promise<RunStatus> => {
  const { json } = await box.run('status', '--json');
  return json[0]?.status as RunStatus;
};
const standing = (check: (status: RunStatus) => unknown, what: string) =>
  until(
    what,
    async () => {
      const now = await status();
      return now && check(now) ? now : undefined;
    },
    SLOW,
  );
/** Starts the run and comes back at once. */
async function begin(): Promise<void> {
  const started = await box.run('start', '--detach', '--json');
  expect(started.code, started.stderr).toBe(0);
  runId = String(started.json[0]?.runId);
}
const finish = (): Promise<StampedEvent[]> => whenAllLanded(box, runId, SLOW);
const charged = (all: StampedEvent[]) =>
  all.filter((event) => event.kind === 'iteration-end' && event.outcome === 'ok').length;

describe('limits', () => {
  it('B8: three slots at one limit all wait, over a restart of the worker; one goes first, all go on, none is charged', async () => {
    await limitedBox({ ideas: ['l-1', 'l-2', 'l-3'], refusal: "You've hit your limit, try again in 12 seconds" });
    await begin();
    const still = await standing(({ state, resumesAt }) => state === 'paused' && resumesAt, 'the standstill');
    expect(still.why).toContain('first is at a usage limit until');
    expect(still.accounts).toMatchObject([{ agents: ['first'], state: 'parked', kind: 'limited' }]);
    expect(JSON.stringify(still)).not.toContain('secret');
    expect(still.counts['wants-slot']).toBeGreaterThan(0);
    expect((await box.run('worker', '--stop')).code).toBe(0);
    const before = await calls();
    await open('first');
    expect((await box.run('start', '--detach')).code).toBe(0);
    const all = await finish();
    const later = (await calls()).slice(before.length);
    // The first try had the account to itself.
    expect(later[0]).toMatch(/ begin$/);
    expect(later[1]).toBe(later[0]?.replace('begin', 'end'));
    expect(later.filter((line) => line.endsWith('begin'))).toHaveLength(3);
    expect(Date.now()).toBeGreaterThanOrEqual(still.resumesAt ?? Number.POSITIVE_INFINITY);
    expect(charged(all)).toBe(3);
    const ends = all.filter((event) => event.kind === 'iteration-end' && event.outcome === 'ok');
    expect(ends.every((event) => event.kind === 'iteration-end' && event.iteration === 1)).toBe(true);
    expect(all.filter((event) => event.kind === 'account').map(({ account }) => account.state)).toEqual(
      expect.arrayContaining(['parked', 'probing', 'open']),
    );
    const stood = all.filter((event) => event.kind === 'all-limited');
    expect(stood[0]?.why).toContain('first is at a usage limit');
    // On a busy machine the standstill that was seen can be a later one.
    expect(stood.map((event) => event.until)).toContain(still.resumesAt);
    expect(await eventProblems(all)).toEqual([]);
  });

  it('B8: limits retry does not wait for the stated time', async () => {
    await limitedBox({ ideas: ['r-1', 'r-2'], refusal: "You've hit your limit, try again in 5 hours" });
    await begin();
    await standing(({ resumesAt }) => resumesAt, 'the standstill');
    const listed = await box.run('limits');
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(/first .*is at a usage limit.*resumes at/)]);
    const wrong = await box.run('limits', 'retry', 'nobody');
    expect([wrong.code, wrong.stderr]).toEqual([7, expect.stringContaining('Waiting: first')]);
    await open('first');
    expect((await box.run('limits', 'retry', 'first')).code).toBe(0);
    await finish();
  });

  it('B8: the fallback works with its own command and comes into play at once; the primary is taken again between iterations', async () => {
    await limitedBox({
      ideas: ['f-1'],
      refusal: "You've hit your limit, try again in 5 hours",
      config: { fallback: ['second'] },
      steps: [{ signal: 'PROGRESS:30' }, { signal: 'PROGRESS:60' }, { signal: 'COMPLETE' }],
    });
    await open('second');
    // The second iteration waits, so that the primary can open meanwhile.
    const script = await readFile(join(box.repo, '.ralph-script.yaml'), 'utf8');
    const go = join(box.scratch, 'go');
    await box.write({
      '.ralph-script.yaml': script.replace(
        /- append:\n {10}path: "?\$\{IDEA\}\.txt"?\n {10}text: \|\n {12}2\n/,
        (found) => `- waitFor:\n          path: ${go}\n      ${found}`,
      ),
    });
    await box.commit('the second iteration waits');
    await begin();
    await until('the second iteration', async () => (await calls()).includes('f-1 second 2 begin'), SLOW);
    await open('first');
    await box.run('limits', 'retry');
    await standing(({ accounts = [] }) => accounts.some(({ probe }) => probe === 'f-1'), 'the right to try');
    await writeFile(go, '');
    const all = await finish();
    expect(await calls()).toEqual([
      ...['f-1 first 1 begin', 'f-1 second 1 begin', 'f-1 second 1 end', 'f-1 second 2 begin', 'f-1 second 2 end'],
      ...['f-1 first 3 begin', 'f-1 first 3 end'],
    ]);
    const switches = all.flatMap((event) => (event.kind === 'agent' ? `${event.before} -> ${event.agent}` : []));
    expect(switches).toEqual(['first -> second', 'second -> first']);
    const whys = all.flatMap((event) => (event.kind === 'agent' ? (event.why ?? '') : []));
    expect(whys[0]).toMatch(/^first is at a usage limit until .*hit your limit/);
    expect(whys[1]).toBe('first can work again');
    expect(await eventProblems(all)).toEqual([]);
    expect(charged(all)).toBe(3);
  });

  it('B8: a login that has run out parks its agent only, and waits for a person', async () => {
    await limitedBox({
      ideas: ['a-1'],
      refusal: 'Invalid API key · Please run /login',
      config: { errors: { threshold: 1 } },
    });
    await begin();
    const still = await standing(({ state }) => state === 'paused', 'the standstill');
    expect(still.resumesAt).toBeUndefined();
    expect(still.why).toContain('first needs a login');
    expect(await calls()).toEqual(['a-1 first 1 begin']);
    // Without a terminal, start comes back: only a person can go on.
    const back = await box.run('start', '--json', '--no-wait');
    expect(back.code).toBe(4);
    await open('first');
    await box.run('limits', 'retry');
    const all = await finish();
    expect(charged(all)).toBe(1);
  });

  it('B8: an outage of the provider hands over to the fallback: all lands, nothing is charged, fails or waits for a review', async () => {
    await limitedBox({
      ideas: ['o-1', 'o-2', 'o-3'],
      refusal: 'API Error: 529 Overloaded',
      config: {
        fallback: ['second'],
        errors: { threshold: 1, retryBaseMs: 10 },
        limits: { backoffMs: 50, factor: 1, maxRateLimitRetries: 2 },
      },
    });
    await open('second');
    await begin();
    const all = await finish();
    expect(charged(all)).toBe(3);
    expect(all.filter((event) => event.kind === 'iteration-end' && event.iteration > 1)).toEqual([]);
    expect(all.filter((event) => event.kind === 'idea' && event.status === 'failed')).toEqual([]);
    expect(JSON.stringify(all)).not.toContain('review');
    const closed = all.flatMap((event) =>
      event.kind === 'account' && event.account.state === 'parked' ? [event.account] : [],
    );
    expect(closed[0]).toMatchObject({ agents: ['first'], kind: 'provider', reason: expect.stringContaining('529') });
    expect((await calls()).filter((line) => line.includes('second') && line.endsWith('end'))).toHaveLength(3);
  });

  it('B8: without a fallback the run waits for the provider, seconds and then minutes, and lands afterwards by itself', async () => {
    await limitedBox({
      ideas: ['w-1', 'w-2'],
      refusal: 'fetch failed: ECONNREFUSED',
      config: {
        errors: { threshold: 1, retryBaseMs: 10 },
        limits: { backoffMs: 200, factor: 1, maxRateLimitRetries: 40 },
      },
    });
    await begin();
    const still = await standing(({ state, resumesAt }) => state === 'paused' && resumesAt, 'the standstill');
    expect(still.why).toContain('first gets no answer from its provider');
    expect(still.accounts).toMatchObject([{ agents: ['first'], state: 'parked', kind: 'provider' }]);
    // More tries than failures were ever allowed.
    await until('five tries', async () => (await calls()).filter((line) => line.endsWith('begin')).length >= 5, SLOW);
    await open('first');
    const all = await finish();
    expect(charged(all)).toBe(2);
    expect(all.filter((event) => event.kind === 'idea' && event.status === 'failed')).toEqual([]);
  });

  it('B4: an idea with which the agent ends at once fails after its tries, and holds up nobody', async () => {
    await limitedBox({
      ideas: ['c-1', 'c-2', 'c-3', 'c-4'],
      refusal: '',
      crash: 'c-1',
      config: { slots: 1, errors: { retryBaseMs: 10 } },
    });
    await open('first');
    const done = await box.run('start', '--json', '--wait');
    const summary = done.json.at(-1) as unknown as RunSummary;
    expect(summary).toMatchObject({ landed: 3, notLanded: [{ idea: 'c-1', status: 'failed' }] });
    expect(summary.notLanded[0]?.reason).toMatch(
      /^first ended right at its start 3 times: .+\. Its output: ralphctl logs c-1$/,
    );
    expect((await calls()).filter((line) => line.startsWith('c-1'))).toHaveLength(3);
    expect(events(done).filter((event) => event.kind === 'account')).toEqual([]);
  });

  it('three launches in a row, of several ideas, park the agent and charge nothing', async () => {
    await limitedBox({
      ideas: ['b-1', 'b-2'],
      refusal: 'segmentation fault',
      config: { errors: { retryBaseMs: 50 } },
    });
    await begin();
    const still = await standing(
      ({ accounts = [] }) => accounts.some(({ key }) => key === 'agent:first'),
      'the breaker',
    );
    await standing(({ resumesAt }) => (resumesAt ?? 0) > Date.now() + 60_000, 'the long wait');
    expect(still.accounts?.[0]).toMatchObject({ kind: 'launch' });
    expect((await calls()).length).toBeGreaterThanOrEqual(3);
    expect((await calls()).length).toBeLessThanOrEqual(4);
    await open('first');
    await box.run('limits', 'retry', 'first');
    expect(charged(await finish())).toBe(2);
    expect(existsSync(join(box.repo, 'b-1.txt'))).toBe(true);
  });
});
