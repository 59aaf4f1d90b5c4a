/**
 * Repositories inside of repositories: submodules are there wherever work is done and gated, and no link to a commit that
 * only a worktree has can land. Real git throughout. Features: B2 D1; field pain E.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILURE } from '../../src/protocol/failures.js';
import type { LandResult } from '../../src/protocol/git-work.js';
import { type Bench, bench, idea, say } from './bench.js';

const ANY = ['-c', 'protocol.file.allow=always'];

/** A repository with the submodule libs/x, which has the submodule inner; agents do what `scripts` says for their idea. */
async function project(scripts: Record<string, string> = {}, config: Record<string, unknown> = {}) {
  const cases = Object.entries(scripts).map(([id, script]) => `${id}) ${script} ;;`);
  const b = await bench({
    agent: `cat > /dev/null\necho work > "$RALPHCTL_IDEA.txt"\ncase "$RALPHCTL_IDEA" in\n${cases.join('\n')}\nesac\n${say('COMPLETE')}`,
    ideas: ['t-1', 't-2', 't-3'].map((id) => idea(id)),
    config: {
      gate: { commands: ['test -s libs/x/lib.txt && test -s libs/x/inner/in.txt'], tripwires: { gateFiles: 'off' } },
      ...config,
    },
  });
  const origin = (name: string): string => join(b.base, `${name}.git`);
  for (const name of ['inner', 'x']) {
    const work = join(b.base, `make-${name}`);
    await b.git('init', '-q', '--bare', '-b', 'main', origin(name));
    await b.git(...ANY, 'clone', '-q', origin(name), work);
    if (name === 'x') await b.gitIn(work, ...ANY, 'submodule', '-q', 'add', '../inner.git', 'inner');
    await b.write({ [name === 'x' ? 'lib.txt' : 'in.txt']: `${name}\n`, '.gitignore': '*.o\n' }, work);
    await b.gitIn(work, 'add', '-A');
    await b.gitIn(work, '-c', 'user.name=L', '-c', 'user.email=l@localhost', 'commit', '-qm', 'lib');
    await b.gitIn(work, 'push', '-q', 'origin', 'HEAD:main');
  }
  await b.git(...ANY, 'submodule', '-q', 'add', '-b', 'main', origin('x'), 'libs/x');
  await b.git(...ANY, 'submodule', '-q', 'update', '--init', '--recursive');
  await b.commit('submodule');
  return { b, origin };
}
async function worked(b: Bench, id: string) {
  const at = await b.prepare(id);
  const run = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id })).done;
  return { at, run };
}
async function land(b: Bench, id: string, { at, run }: Awaited<ReturnType<typeof worked>>): Promise<LandResult> {
  const { worktree, branch, base } = at;
  const names = { ...b.ref, idea: id, title: `Do ${id}`, agentName: 'ed-001' };
  return b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: run.head }).done;
}
const ME = 'git -c user.name=a -c user.email=a@localhost';
const COMMIT_INSIDE = `(cd libs/x && echo more >> lib.txt && ${ME} commit -qam inside)`;

describe('submodules', () => {
  it('are there for idea and landing, from the copy of the checkout, whose settings stay as they are', async () => {
    const { b, origin } = await project();
    const config = await b.read(join(b.repo, '.git/config'));
    for (const name of ['x', 'inner']) await rm(origin(name), { recursive: true });
    const one = await worked(b, 't-1');
    expect(await b.read(join(one.at.worktree, 'libs/x/lib.txt'))).toBe('x\n');
    expect(await b.read(join(one.at.worktree, 'libs/x/inner/in.txt'))).toBe('inner\n');
    expect(await b.gitIn(one.at.worktree, 'status', '--porcelain')).toBe('');
    expect((await land(b, 't-1', one)).kind).toBe('landed');
    expect((await worked(b, 't-2')).at).toMatchObject({ origin: 'recycled', worktree: one.at.worktree });
    expect(await b.read(join(b.repo, '.git/config'))).toBe(config);
    expect(await b.git('status', '--porcelain')).toBe('');
  });

  it('come from their origin where the checkout has no copy; what cannot be had is named', async () => {
    const { b, origin } = await project();
    await b.git('submodule', '-q', 'deinit', '-f', '--all');
    await rm(join(b.repo, '.git/modules'), { recursive: true });
    const { worktree } = await b.prepare('t-1');
    expect(await b.read(join(worktree, 'libs/x/inner/in.txt'))).toBe('inner\n');
    await rm(origin('x'), { recursive: true });
    const failed = await b.prepare('t-2').catch((error: unknown) => error);
    expect(failed).toMatchObject({ type: FAILURE.repository });
    expect((failed as Error).message).toMatch(
      /submodule libs\/x cannot be set up.*git submodule update --init 'libs\/x'/,
    );
  });

  it('an idea that commits inside one is stopped, and its commit stays; nor can it land by another way', async () => {
    const { b } = await project({ 't-1': COMMIT_INSIDE });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toMatch(
      /^the submodule libs\/x points to [0-9a-f]{10}, which is in no branch or tag of its origin/,
    );
    const inside = await b.gitIn(join(one.at.worktree, 'libs/x'), 'rev-parse', 'HEAD');
    await b.prepare('t-1', { agentName: 'ed-002' });
    expect(await b.gitIn(join(one.at.worktree, 'libs/x'), 'rev-parse', 'HEAD')).toBe(inside);
    const before = await b.git('rev-parse', 'main');
    await expect(land(b, 't-1', one)).rejects.toMatchObject({ type: FAILURE.repository });
    expect(await b.git('rev-parse', 'main')).toBe(before);
  });

  it.each([
    ['a tag of the agent', 'git -C libs/x tag v1'],
    ['a remote-tracking branch that the agent wrote', 'git -C libs/x update-ref refs/remotes/origin/x HEAD'],
    [
      'an origin of the agent',
      `git init -q --bare -b main "$MARKS/mine.git"; git -C libs/x remote set-url origin "$MARKS/mine.git"; git -C libs/x push -q origin HEAD:main`,
    ],
    [
      'a branch that the agent pushed into the copy of the checkout',
      `git -C libs/x push -q "$(git rev-parse --git-common-dir)/modules/libs/x" HEAD:refs/heads/mine`,
    ],
  ])('A5: %s does not publish a commit inside one', async (_, script) => {
    const { b } = await project({ 't-1': `${COMMIT_INSIDE}; ${script}` });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toMatch(
      /the submodule libs\/x points to [0-9a-f]{10}, which is in no branch or tag of its/,
    );
    const before = await b.git('rev-parse', 'main');
    await expect(land(b, 't-1', one)).rejects.toMatchObject({ type: FAILURE.repository });
    expect(await b.git('rev-parse', 'main')).toBe(before);
  });

  it('A5: a commit below the tip of a branch of the origin lands; one of an origin that is gone does not', async () => {
    const push = `git -C libs/x push -q origin HEAD:main; (cd libs/x && echo on >> lib.txt && ${ME} commit -qam on && git push -q origin HEAD:main && git checkout -q HEAD~1)`;
    const gone = 'rm -rf "$(git -C libs/x config remote.origin.url)"';
    const { b } = await project({ 't-1': `${COMMIT_INSIDE}; ${push}`, 't-2': `${COMMIT_INSIDE}; ${push}; ${gone}` });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toBeUndefined();
    expect((await land(b, 't-1', one)).kind).toBe('landed');
    expect((await worked(b, 't-2')).run.unfinished).toMatch(/libs\/x points to .*its origin .*x\.git does not answer/);
  });

  it('one that is pushed first lands, and the next idea has it', async () => {
    const { b } = await project({ 't-1': `${COMMIT_INSIDE}; git -C libs/x push -q origin HEAD:main` });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toBeUndefined();
    expect((await land(b, 't-1', one)).kind).toBe('landed');
    const two = await worked(b, 't-2');
    expect(await b.read(join(two.at.worktree, 'libs/x/lib.txt'))).toBe('x\nmore\n');
    expect((await land(b, 't-2', two)).kind).toBe('landed');
  });

  it('edits inside that no commit holds are named, not lost in silence', async () => {
    const { b } = await project({ 't-1': 'echo edit >> libs/x/lib.txt' });
    expect((await worked(b, 't-1')).run.unfinished).toMatch(/^files inside submodules were changed.*libs\/x/);
  });

  it('what a build leaves inside neither holds a worktree back nor reaches the next idea', async () => {
    const { b } = await project({ 't-1': 'echo x > libs/x/built; echo x > libs/x/lib.o' });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toBeUndefined();
    expect((await land(b, 't-1', one)).kind).toBe('landed');
    const { worktree, origin } = await b.prepare('t-2');
    expect(origin).toBe('recycled');
    for (const left of ['built', 'lib.o'])
      await expect(readFile(join(worktree, 'libs/x', left))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('what the tests of one idea do to one in the worktree of landings does not reach the next', async () => {
    const poison = 'case "$PWD" in */integration/*) echo poison > libs/x/lib.txt ;; esac';
    const { b } = await project(
      { 't-1': `printf '%s\\n' '${poison}' > app.sh`, 't-2': 'echo ": " > app.sh' },
      { gate: { commands: ['test ! -e app.sh || sh app.sh', 'test ! -e t-2.txt || grep -qx x libs/x/lib.txt'] } },
    );
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('landed');
  });
});

describe('a repository that an agent makes inside its worktree', () => {
  const MAKE = `mkdir tool && (cd tool && git init -q && echo x > f && git add . && ${ME} commit -qm x) && git add tool 2>/dev/null && ${ME} commit -qm link`;

  it('and adds as a link is no finished work, and never lands as an empty folder', async () => {
    const { b } = await project({ 't-1': MAKE });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toMatch(
      /^these folders are committed as links to repositories that exist only here.*: tool;/,
    );
    const before = await b.git('rev-parse', 'main');
    const failed = await land(b, 't-1', one).catch((error: unknown) => error);
    expect(failed).toMatchObject({ type: FAILURE.repository });
    expect((failed as Error).message).toMatch(
      /t-1 cannot land: these folders are committed as links.*ralphctl retry t-1/,
    );
    expect(await b.git('rev-parse', 'main')).toBe(before);
  });

  it('counts as work once its files are added instead', async () => {
    const { b } = await project({
      't-1': `${MAKE}; git rm -q --cached tool; rm -rf tool/.git; git add tool; ${ME} commit -q --amend -m tool`,
    });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toBeUndefined();
    expect((await land(b, 't-1', one)).kind).toBe('landed');
    expect(await b.git('show', 'main:tool/f')).toBe('x');
  });
});

describe('links that do not lead where they say', () => {
  const GHOST = `${ME} update-index --add --cacheinfo 160000,$(git rev-parse HEAD),ghost; ${ME} commit -qm ghost; git rm -q --cached ghost; ${ME} commit -qm gone`;
  /** The tip merges the branch that had the link for a while. */
  const MERGED = `git switch -q -c side; ${GHOST}; git switch -q -; git add -A; ${ME} commit -qm more; ${ME} merge -q --no-ff -m merge side`;
  const said = (text: string): RegExp => new RegExp(text);

  it.each([
    [
      'a link in a commit before the tip',
      GHOST,
      said('the commit [0-9a-f]{10} links ghost to a repository that exists only'),
    ],
    [
      'a link in a branch that its tip merges',
      MERGED,
      said('the commit [0-9a-f]{10} links ghost to a repository that exists only'),
    ],
    [
      'an address where nothing is',
      `git config -f .gitmodules submodule.libs/x.url /nowhere/at/all.git; git add .gitmodules; ${ME} commit -qm url`,
      said('the submodule libs/x is to come from /nowhere/at/all\\.git, where no repository'),
    ],
    [
      'a .git of a submodule that leads elsewhere',
      `git clone -q libs/x "$MARKS/evil"; echo "gitdir: $MARKS/evil/.git" > libs/x/.git`,
      said('libs/x/\\.git does not lead to the submodule'),
    ],
  ])('A5: %s is no finished work', async (_, script, text) => {
    const { b } = await project({ 't-1': script });
    expect((await worked(b, 't-1')).run.unfinished).toMatch(text);
  });

  it.each([
    ['', GHOST, 'rebase'],
    ['with landing.strategy: merge', GHOST, 'merge'],
    ['in a branch that the tip merges', MERGED, 'merge'],
  ])('A5: a link before the tip does not land by another way %s', async (_, script, strategy) => {
    const { b } = await project({ 't-1': script }, { landing: { strategy } });
    const one = await worked(b, 't-1');
    const before = await b.git('rev-parse', 'main');
    await expect(land(b, 't-1', one)).rejects.toThrow(/t-1 cannot land: the commit [0-9a-f]{10} links ghost/);
    expect(await b.git('rev-parse', 'main')).toBe(before);
  });

  it('A5: an address where nothing is does not land by another way', async () => {
    const { b } = await project({
      't-1': `git config -f .gitmodules submodule.libs/x.url /nowhere/at/all.git; git add .gitmodules; ${ME} commit -qm url`,
    });
    const one = await worked(b, 't-1');
    await expect(land(b, 't-1', one)).rejects.toMatchObject({ type: FAILURE.repository });
  });

  it('A5: with one commit for all, a link that is gone again does not matter', async () => {
    const { b } = await project({ 't-1': GHOST }, { landing: { strategy: 'squash' } });
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toBeUndefined();
    expect((await land(b, 't-1', one)).kind).toBe('landed');
  });

  it('A5: a new submodule whose address has its commit lands', async () => {
    const { b, origin } = await project({
      't-1': `git -c protocol.file.allow=always submodule -q add '@ORIGIN@' libs/y; ${ME} commit -qm y`.replace(
        '@ORIGIN@',
        '$(git config remote.libs.url)',
      ),
    });
    await b.git('config', 'remote.libs.url', origin('inner'));
    const one = await worked(b, 't-1');
    expect(one.run.unfinished).toBeUndefined();
    expect((await land(b, 't-1', one)).kind).toBe('landed');
  });
});
