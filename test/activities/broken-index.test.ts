/**
 * An agent breaks the index of the user's checkout: no idea fails at that, what was staged is staged again, and a person is
 * told. Real git, agents as shell scripts. Feature: C5.
 */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../src/git/landing/behind.js';
import { syncCheckout } from '../../src/git/landing/sync.js';
import { shellQuoted } from '../../src/protocol/shell-words.js';
import { type Bench, type BenchOptions, bench, idea, say, whileAgentWorks } from './bench.js';

const BREAKS: ReadonlyArray<readonly [name: string, script: string]> = [
  ['truncates it', 'head -c 40 "$INDEX" > "$MARKS/cut"; cat "$MARKS/cut" > "$INDEX"'],
  ['empties it', ': > "$INDEX"'],
  ['puts garbage there', 'head -c 300 /dev/urandom > "$INDEX"'],
  ['puts a folder there', 'rm "$INDEX"; mkdir "$INDEX"'],
  ['removes it', 'rm "$INDEX"'],
];

async function begun(options: BenchOptions = {}): Promise<Bench> {
  const b = await bench({ ideas: ['t-1', 't-2'].map((id) => idea(id)), ...options });
  await b.write({ 'staged.txt': 'staged\n' });
  await b.git('add', 'staged.txt');
  return b;
}

const breaking = (b: Bench, script: string): string =>
  `cat > /dev/null; INDEX='${b.repo}/.git/index'; echo work > work.txt; ${script}; ${say('COMPLETE')}`;

/** The agent's output names what it does. */
const shown = (b: Bench, script: string): string =>
  `echo ${shellQuoted(`$ ${script.replaceAll('$INDEX', `${b.repo}/.git/index`)}`)}; ${script}`;

/** The agent of t-2 works, and its work lands. */
async function goOn(b: Bench) {
  await b.setAgent(`cat > /dev/null; echo other > other.txt; ${say('COMPLETE')}`);
  const at = await b.prepare('t-2', { agentName: 'ed-002' });
  const ran = await b.call(b.activities.runAgent, b.agentInput(at, { idea: 't-2', agentName: 'ed-002' })).done;
  const { worktree, branch, base } = at;
  const work = { title: 'Other', agentName: 'ed-002', worktree, branch, base, head: ran.head };
  const landed = await b.call(b.activities.landIdea, { ...b.ref, idea: 't-2', ...work }).done;
  return { ran, landed, at };
}

describe('C5: an agent breaks the index of the checkout', () => {
  it.each(BREAKS)(
    '%s: it is asked, the staged work is back, and the next idea lands',
    { timeout: 60_000 },
    async (_, script) => {
      const b = await begun();
      const permissions = async () => (await stat(join(b.repo, '.git', 'index'))).mode;
      const before = await permissions();
      await b.setAgent(breaking(b, shown(b, script)));
      const { strayed } = await b.runAgent();
      expect(await permissions()).toBe(before);
      expect(strayed?.what.join('\n')).toMatch(/(?:broke|removed) the index of .*; ralphctl put back its last copy/);
      expect(await b.git('status', '--porcelain')).toBe('A  staged.txt');
      const aside = (await readdir(join(b.repo, '.git'))).filter((name) => name.startsWith('index.'));
      expect(aside).toEqual(script === 'rm "$INDEX"' ? [] : ['index.broken']);
      const { ran, landed } = await goOn(b);
      expect(ran.strayed).toBeUndefined();
      expect(landed).toMatchObject({ kind: 'landed' });
      expect(JSON.stringify(landed)).not.toContain('index');
      expect(await b.git('status', '--porcelain')).toBe('A  staged.txt');
      expect(await readFile(join(b.repo, 'other.txt'), 'utf8')).toBe('other\n');
    },
  );

  it.each(BREAKS)(
    '%s without a word of it: nobody is asked, and it is told',
    { timeout: 60_000 },
    async (_, script) => {
      const b = await begun();
      await b.setAgent(breaking(b, script));
      const { strayed, noticed } = await b.runAgent();
      expect(strayed).toBeUndefined();
      expect(noticed).toMatch(
        /while t-1 ran, an agent, another program or a person (?:broke|removed) the index of .*; ralphctl put back its last copy/,
      );
      expect(await b.git('status', '--porcelain')).toBe('A  staged.txt');
    },
  );

  it.each(['rm', 'truncate -s 0'])(
    'a person breaks it (%s) while one agent alone works: the agent is not asked about, and it is told',
    { timeout: 60_000 },
    async (command) => {
      const b = await begun();
      const index = join(b.repo, '.git', 'index');
      const breaks = async () => execa('sh', ['-c', `${command} ${shellQuoted(index)}`]);
      // Its own index is another file, and reading is no proof.
      const first = `echo "$ rm $(git rev-parse --git-path index)"; echo '$ git -C ${b.repo} status; ls -l ${index} 2>/dev/null'`;
      const ran = await whileAgentWorks(b, breaks, { first });
      expect(ran.strayed).toBeUndefined();
      expect(ran.signal.kind).toBe('complete');
      expect(ran.noticed).toMatch(/an agent, another program or a person (?:broke|removed) the index of .*put back/);
      expect(await b.git('status', '--porcelain')).toBe('A  staged.txt');
      const { ran: next, landed } = await goOn(b);
      expect(next.strayed).toBeUndefined();
      expect(JSON.stringify([next, landed])).not.toContain('the index of');
    },
  );

  it('beside another agent: nobody is accused, and both end as they would', { timeout: 60_000 }, async () => {
    const b = await begun();
    const other = await b.prepare('t-2', { agentName: 'ed-002' });
    const first = await whileAgentWorks(
      b,
      async () => {
        await b.setAgent(breaking(b, ': > "$INDEX"'));
        const second = await b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2', agentName: 'ed-002' }))
          .done;
        expect(second.strayed).toBeUndefined();
        expect(second.noticed).toMatch(
          /while t-2 ran, an agent, another program or a person broke the index of .*; ralphctl put back its last copy and kept the broken one as .*index\.broken/,
        );
        expect(second.signal.kind).toBe('complete');
      },
      {},
    );
    expect(first.strayed).toBeUndefined();
    expect(await b.git('status', '--porcelain')).toBe('A  staged.txt');
  });

  it('after a commit of the person: the copy would undo it, and stays away', { timeout: 60_000 }, async () => {
    const files = { 'base.txt': 'base\n', '.gitignore': '.env\n' };
    const b = await begun({ files, config: { setup: { copy: ['.env'] } } });
    await b.write({ '.env': 'mine\n' });
    const ran = await whileAgentWorks(
      b,
      async () => {
        await b.git('commit', '-qm', 'mine');
        await writeFile(join(b.repo, '.git/index'), 'garbage');
      },
      {},
    );
    expect(ran.strayed).toBeUndefined();
    const fix = ran.noticed?.match(/rebuild it: (mv .*? reset -q)/)?.[1] ?? '';
    expect(fix).toContain('reset -q');
    expect(await readFile(join(b.repo, '.git/index'), 'utf8')).toBe('garbage');
    // Without an index, nothing shows whose commit that is. Once a person has seen that, it lands.
    await expect(goOn(b)).rejects.toThrow(/nothing shows a commit, merge or pull there, as git cannot read .*index/);
    const { ran: next, landed, at } = await goOn(b);
    expect(next.noticed).toBeUndefined();
    expect(await readFile(join(at.worktree, '.env'), 'utf8')).toBe('mine\n');
    expect(landed).toMatchObject({
      kind: 'landed',
      note: expect.stringMatching(/the index of .* is broken; its files stay as they were while main moved on/),
    });
    expect(await readFile(join(b.repo, '.git/index'), 'utf8')).toBe('garbage');
    expect((await checkoutsBehind(b.repo, 'main')).join()).toMatch(/the index of .* is broken.*rebuild it \(mv /);
    await execa('sh', ['-c', fix]);
    await syncCheckout(b.repo, 'main');
    expect(await b.git('status', '--porcelain')).toBe('');
    expect(await readFile(join(b.repo, 'other.txt'), 'utf8')).toBe('other\n');
  });

  it('what a person stages meanwhile stays', { timeout: 60_000 }, async () => {
    const b = await begun();
    const ran = await whileAgentWorks(
      b,
      async () => {
        await b.write({ 'more.txt': 'more\n' });
        await b.git('add', 'more.txt');
      },
      {},
    );
    expect(ran.strayed).toBeUndefined();
    expect(await b.git('status', '--porcelain')).toBe('A  more.txt\nA  staged.txt');
  });
});
