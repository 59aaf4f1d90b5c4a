/**
 * The chaos suite with a fixed seed, short (`npm run chaos` goes on for as long as it is told to), and proof that its
 * invariants can fail. Features: C1 C6 D1.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { cliPath } from '../support/program.js';
import { DRILLS, planDrill } from './lib/drills.js';
import { runEpisode } from './lib/episode.js';
import { lookAtCheckout, violations } from './lib/invariants.js';
import { describeShock, type Episode, PHASES, planEpisode, SAYINGS } from './lib/plan.js';
import { POINTS } from './lib/points.js';
import { makePlace, type Place } from './lib/sandbox.js';

const lib = (name: string): string => fileURLToPath(new URL(`lib/${name}`, import.meta.url));
const program = { cli: cliPath, agent: lib('agent.mjs'), clock: lib('clock.mjs') };
const onLinux = describe.runIf(process.platform === 'linux');

onLinux('episodes', () => {
  const short = planEpisode(20261, 0, { canMount: false, short: true });
  /** `npm run test:full` runs more of them. */
  const more: [string, Episode][] = [
    ['landing: swap', planDrill('landing: swap')],
    ['clock: to and fro', planDrill('clock: to and fro')],
    ['of another seed', planEpisode(20262, 0, { canMount: false, short: true })],
  ];
  it.each([['of a seed', short], ...(process.env.RALPHCTL_TEST_FULL ? more : [])] as [string, Episode][])(
    '%s: everything lands once, whatever is killed and however clocks jump (C1, C6)',
    async (_name, episode) => {
      const { wrong, story } = await runEpisode(episode, program);
      expect(wrong, [...episode.shocks.map(describeShock), ...story].join('\n')).toEqual([]);
    },
    600_000,
  );
});

describe('the plan of an episode', () => {
  const plans = Array.from({ length: 300 }, (_, step) => planEpisode(5, step, { canMount: true }));

  it('is the same for the same seed and step, and another one otherwise', () => {
    expect(planEpisode(5, 7, { canMount: true })).toEqual(plans[7]);
    expect(new Set(plans.map((plan) => JSON.stringify(plan.shocks))).size).toBeGreaterThan(290);
    expect(planEpisode(6, 7, { canMount: true }).shocks).not.toEqual(plans[7]?.shocks);
  });

  it('comes to every process, at every boundary, in every way', () => {
    const shocks = plans.flatMap((plan) => plan.shocks);
    expect(new Set(shocks.flatMap((shock) => ('targets' in shock ? shock.targets : []))).size).toBe(5);
    const places = shocks.map(({ when }) => ('point' in when ? `${when.side} ${when.point}` : when.phase));
    expect(new Set(places).size).toBe(PHASES.length + Object.keys(POINTS).length * 2);
    expect(new Set(shocks.map((shock) => shock.do)).size).toBe(8);
    expect(new Set(shocks.flatMap((shock) => ('what' in shock ? shock.what : []))).size).toBe(SAYINGS.length - 1);
    expect(plans.filter(({ rollAfter }) => rollAfter !== undefined).length).toBeGreaterThan(50);
    expect(planEpisode(5, 7, { canMount: false }).smallDisk).toBe(false);
  });

  it('has a drill for every place, with every process killed there', () => {
    for (const point of Object.keys(POINTS)) {
      const { shocks } = planDrill(point);
      const killed = shocks.flatMap((shock) => (shock.do === 'kill' ? shock.targets.join('+') : []));
      expect(killed, point).toEqual([
        'worker',
        'launcher',
        'server',
        'supervisor',
        'supervisor+server+worker+launcher+agent',
      ]);
    }
    for (const name of DRILLS) expect(planDrill(name).shocks.length, name).toBeGreaterThan(0);
    expect(() => planDrill('none')).toThrow('there is no drill "none"; there are: prepare');
  });
});

onLinux('the invariants', () => {
  let place: Place | undefined;
  afterEach(() => place?.remove());

  it('name every kind of harm', async () => {
    const episode: Episode = { ...planEpisode(1, 0, { canMount: false }), ideas: 3, shared: 1, checkout: 'elsewhere' };
    place = await makePlace(episode, program);
    const { repo, root, git, ideas, gate, gated, diary } = place;
    const before = await lookAtCheckout(repo);
    const project = 'harmed';
    // i-2 lands twice over, in the name of another; i-3 is missing; main is red; the checkout is edited.
    await git('worktree', 'add', '--quiet', join(root, 'elsewhere'), 'main');
    const commit = async (path: string, text: string, idea: string): Promise<void> => {
      const dir = join(root, 'elsewhere');
      await writeFile(join(dir, path), text);
      await git('-C', dir, 'add', '--all');
      await git('-C', dir, 'commit', '--quiet', '--message', `feat: ${path}\n\nRalph-Idea: ${idea}`);
    };
    await commit('i-2-1.txt', 'i-2 1\n', 'i-3');
    await git('-C', join(root, 'elsewhere'), 'rm', '--quiet', 'i-2-1.txt');
    await commit('i-2-2.txt', '<<<<<<< ours\n', 'i-2');
    await commit('i-2-1.txt', 'i-2 1\n', 'i-2');
    // A landing whose gate saw another tree.
    const tip = await git('rev-parse', 'main');
    await writeFile(gated, `${await git('rev-parse', 'main~1^{tree}')}\n`);
    await git('update-ref', 'refs/heads/main', `${tip}~1`);
    await git('update-ref', '-m', 'ralphctl: land i-2', 'refs/heads/main', tip);
    await writeFile(join(repo, 'base.txt'), 'edited again\n');
    await mkdir(join(root, 'projects', project, 'worktrees', 'ed-001-lost'), { recursive: true });
    await git(
      'worktree',
      'add',
      '--quiet',
      '--detach',
      join(root, 'projects', project, 'worktrees', 'ed-002-i-3'),
      'main',
    );
    await writeFile(join(root, 'projects', project, 'worktrees', 'ed-002-i-3', 'unsaved.txt'), 'work\n');
    await writeFile(diary, '{"what":"overlap","idea":"i-2"}\n');
    const row = JSON.stringify({
      ...{ n: 2, id: 'x', prev: '', op: 'evidence', run: 'r', idea: 'i-2', data: { serial: 1, head: 'h' } },
    });
    await writeFile(join(root, 'projects', project, 'ledger.jsonl'), `${row}\n${row}\n`);
    const wrong = await violations({
      ...{ repo, root, project, ideas, gate, gated, diary },
      notLanded: [{ idea: 's-1', status: 'pending' }],
      ...{ parts: new Set<string>(), replaced: new Set<string>(), undone: new Map<string, number>() },
      charged: { failed: ['i-2 #1: failed'], allowed: 0 },
      checkout: { before, onTarget: false },
    });
    const text = wrong.join('\n');
    for (const part of [
      'i-2-1.txt was taken off main 1 times, and asked for 0 times',
      "i-2-1.txt came with another idea's commit",
      'i-3-1.txt was added 0 times',
      'operation 2 of the ledger does not follow operation 0',
      'the ledger has r/i-2 agent run 1 2 times',
      'the ledger has 0 landings of i-2, and main has 1',
      'i-3 is not ticked',
      's-1 did not land (pending): nothing says why',
      '1 runs counted as failed, not 0',
      'ed-001-lost is no worktree that git knows',
      'ed-002-i-3 holds unsaved work',
      'the gate is red on main',
      "the checkout's edits was changed",
      'two agents in one worktree',
      'no gate has seen the tree of a move of main',
    ]) {
      expect(text).toContain(part);
    }
  });
});
