/**
 * What an agent does to the user's refs with a git that leaves no trace, or with plain writes, is told of with both commits,
 * all who ran and the command that undoes it. A person who does the same is never stopped. Features: C5, F1.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/program.js';
import { shell } from '../unit/git/repo.js';
import { type Bench, bench, idea, say } from './bench.js';

const TIME = { timeout: 60_000 };
const BARE = 'env -i HOME="$PWD" /usr/bin/env git -c user.name=x -c user.email=x@y -C "$ROOT"';

async function project() {
  const b = await bench({ ideas: [idea('t-1'), idea('t-2')], files: { 'base.txt': 'base\n' } });
  await b.git('branch', 'feature');
  await b.git('tag', 'v1');
  await b.write({ 'mine.txt': 'mine\n' });
  await b.git('stash', '-q', '-u');
  return b;
}

const state = async (b: Bench) => [
  await b.git(
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads/main',
    'refs/heads/feature',
    'refs/heads/sneaky',
    'refs/tags',
    'refs/notes',
  ),
  await b.git('stash', 'list', '--format=%H %gs'),
  await b.git('remote'),
  await b.read(join(b.repo, '.git/HEAD')),
];

const DEEDS: ReadonlyArray<readonly [name: string, script: string, said: RegExp]> = [
  ['drops a stash', `${BARE} stash drop -q`, /the stash [0-9a-f]{10} \(On main: .*|WIP on main.*\) was dropped/],
  [
    'rewrites the stash list by hand',
    'rm "$ROOT/.git/refs/stash" "$ROOT/.git/logs/refs/stash"',
    /the stash [0-9a-f]{10} .* was dropped/,
  ],
  ['deletes a branch', `${BARE} branch -D feature`, /the branch feature was deleted, it was at [0-9a-f]{10}/],
  ['deletes a branch by hand', 'rm "$ROOT/.git/refs/heads/feature"', /the branch feature was deleted/],
  [
    'creates a branch by hand',
    'cp "$ROOT/.git/refs/heads/feature" "$ROOT/.git/refs/heads/sneaky"',
    /the branch sneaky was created at [0-9a-f]{10}/,
  ],
  [
    'moves a branch',
    `${BARE} branch -f feature "$(${BARE} commit-tree -m x -p HEAD 'HEAD^{tree}')"`,
    /the branch feature moved from [0-9a-f]{10} to [0-9a-f]{10}/,
  ],
  ['deletes a tag', `${BARE} tag -d v1`, /the tag v1 was deleted, it was at [0-9a-f]{10}/],
  ['creates a tag', `${BARE} tag v2`, /the tag v2 was created at [0-9a-f]{10}/],
  ['writes a note', `${BARE} notes add -m x HEAD`, /refs\/notes\/commits was created/],
  [
    'adds a remote',
    `${BARE} remote add evil https://evil.example/x.git`,
    /the remote evil \(https:\/\/evil\.example\/x\.git\) was added/,
  ],
  [
    'adds a remote by hand',
    `printf '[remote "evil"]\\n\\turl = /tmp/x\\n' >> "$ROOT/.git/config"`,
    /the remote evil \(\/tmp\/x\) was added/,
  ],
  ['switches the checkout', `${BARE} switch -q feature`, /HEAD of your checkout moved from main to feature/],
  [
    'writes HEAD of the checkout',
    `echo 'ref: refs/heads/feature' > "$ROOT/.git/HEAD"`,
    /HEAD of your checkout moved from main to feature/,
  ],
  [
    'commits in the checkout',
    `${BARE} commit -q --allow-empty -m x`,
    /the branch main moved from [0-9a-f]{10} to [0-9a-f]{10}/,
  ],
];

describe('an agent that leaves no trace', () => {
  it.each(DEEDS)('F1: %s: a warning names it, and its command undoes it', TIME, async (_, script, said) => {
    const b = await project();
    const before = await state(b);
    await b.setAgent(`cat > /dev/null; ROOT='${b.repo}'; ${script}; echo work > work.txt; ${say('COMPLETE')}`);
    const result = await b.runAgent();
    expect(await state(b)).not.toEqual(before);
    expect(result.noticed).toMatch(said);
    expect(result.noticed).toMatch(/^while t-1 \(ed-001\) ran, /);
    const report = await b.read(join(result.dir, 'outside.txt'));
    for (const line of report.split('\n').filter((one) => one.startsWith('git '))) await shell(b.repo, line);
    expect(await state(b)).toEqual(before);
  });
});

describe('a person who works beside two agents', () => {
  it('F1: is told once, with all who ran, and stops nobody; landings are none of it', TIME, async () => {
    const b = await project();
    await b.setAgent(
      `cat > /dev/null; echo $RALPHCTL_IDEA > "$RALPHCTL_IDEA.txt"; touch "$MARKS/$RALPHCTL_IDEA"; until [ -e "$MARKS/go" ]; do sleep 0.05; done; ${say('COMPLETE')}`,
    );
    const running = await Promise.all(
      ['t-1', 't-2'].map(async (id, at) => {
        const work = await b.prepare(id, { agentName: `ed-00${at + 1}` });
        const more = { idea: id, agentName: `ed-00${at + 1}` };
        const { done } = b.call(b.activities.runAgent, b.agentInput(work, more));
        return { work, id, more, done };
      }),
    );
    for (const { id } of running)
      await until(id, async () => (await b.read(join(b.marks, id)).catch(() => undefined)) !== undefined);
    await b.git('commit', '-q', '--allow-empty', '-m', 'mine');
    await b.git('tag', 'v3');
    await b.git('stash', 'pop', '-q');
    await b.git('clone', '-q', '--bare', b.repo, join(b.base, 'there.git'));
    await b.git('remote', 'add', 'origin', join(b.base, 'there.git'));
    await b.git('fetch', '-q', 'origin');
    await b.git('pack-refs', '--all');
    await b.git('gc', '-q');
    await rm(join(b.repo, 'mine.txt'));
    await writeFile(join(b.marks, 'go'), '');
    const results = [];
    for (const { done } of running) results.push(await done);
    expect(results.map(({ strayed }) => strayed)).toEqual([undefined, undefined]);
    const notices = results.flatMap(({ noticed }) => noticed?.split('; in your checkout')[0] ?? []);
    expect(notices.filter((text) => text.includes('the branch main moved'))).toHaveLength(1);
    expect(notices.join()).toMatch(/while t-[12] \(ed-00[12]\), t-[12] \(ed-00[12]\) ran, /);
    expect(notices.join()).not.toContain('remote branch');
    for (const [at, { work, id, more }] of running.entries()) {
      const { worktree, branch, base } = work;
      const landing = {
        title: 'Do it',
        agentName: more.agentName,
        worktree,
        branch,
        base,
        head: results[at]?.head ?? '',
      };
      const landed = await b.call(b.activities.landIdea, { ...b.ref, idea: id, ...landing }).done;
      expect(landed.kind).toBe('landed');
    }
  });

  it('F1: a landing while an agent runs is told to nobody', TIME, async () => {
    const b = await project();
    const first = await b.prepare('t-1');
    const ran = await b.runAgent();
    const other = await b.prepare('t-2', { agentName: 'ed-002' });
    await b.setAgent(
      `cat > /dev/null; echo x > x.txt; git switch -q -c try; git switch -q ralph/t-2; touch "$MARKS/there"; until [ -e "$MARKS/go" ]; do sleep 0.05; done; ${say('COMPLETE')}`,
    );
    const { done } = b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2', agentName: 'ed-002' }));
    await until('the agent', async () => (await b.read(join(b.marks, 'there')).catch(() => undefined)) !== undefined);
    const { worktree, branch, base } = first;
    const landing = { title: 'Do it', agentName: 'ed-001', worktree, branch, base, head: ran.head };
    expect((await b.call(b.activities.landIdea, { ...b.ref, idea: 't-1', ...landing }).done).kind).toBe('landed');
    await writeFile(join(b.marks, 'go'), '');
    const result = await done;
    expect([result.strayed, result.noticed]).toEqual([undefined, undefined]);
  });
});
