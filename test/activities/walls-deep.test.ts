/**
 * What an agent writes into the settings of another worktree or of a submodule never runs in a git of ours, and what git
 * and our own set-up write there holds nobody up. Every attack is made for real; a canary tells whether anything ran.
 * Feature: C5.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../src/git/status.js';
import { until } from '../support/program.js';
import { type Bench, bench, idea, say } from './bench.js';

const ANY = ['-c', 'protocol.file.allow=always'];
const TIME = { timeout: 120_000 };

async function project(how: 'submodule' | 'worktree config'): Promise<Bench> {
  const b = await bench({ ideas: ['t-1', 't-2', 't-3'].map((id) => idea(id)) });
  if (how === 'worktree config') {
    await b.git('config', 'core.repositoryformatversion', '1');
    await b.git('config', 'extensions.worktreeConfig', 'true');
    await b.git('config', '--worktree', 'core.sparseCheckout', 'false');
    return b;
  }
  const work = join(b.base, 'make-x');
  const origin = join(b.base, 'x.git');
  await b.git('init', '-q', '--bare', '-b', 'main', origin);
  await b.git(...ANY, 'clone', '-q', origin, work);
  await b.write({ 'lib.txt': 'lib\n' }, work);
  await b.gitIn(work, 'add', '-A');
  await b.gitIn(work, '-c', 'user.name=L', '-c', 'user.email=l@localhost', 'commit', '-qm', 'lib');
  await b.gitIn(work, 'push', '-q', 'origin', 'HEAD:main');
  await b.git(...ANY, 'submodule', '-q', 'add', origin, 'libs/x');
  await b.commit('submodule');
  return b;
}

/** t-1's agent runs `script`, and goes on working until `done` is called. */
async function attacked(b: Bench, script: string) {
  const at = await b.prepare('t-1');
  await b.setAgent(
    `GITDIR='${b.repo}/.git'; cat > /dev/null; echo work > work.txt\n${script.replaceAll('@MARKS@', b.marks)}\ntouch "$MARKS/written"; until [ -e "$MARKS/go" ]; do sleep 0.05; done\n${say('COMPLETE')}`,
  );
  const running = b.call(b.activities.runAgent, b.agentInput(at)).done;
  await until('the attack', async () => (await readdir(b.marks)).includes('written'));
  return async () => {
    await writeFile(join(b.marks, 'go'), '');
    return running;
  };
}

async function goOn(b: Bench, id: string) {
  await b.setAgent(`cat > /dev/null; echo other > ${id}.txt; ${say('COMPLETE')}`);
  const at = await b.prepare(id, { agentName: 'ed-002' });
  const ran = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName: 'ed-002' })).done;
  const { worktree, branch, base } = at;
  const work = { title: 'Other', agentName: 'ed-002', worktree, branch, base, head: ran.head };
  await b.call(b.activities.landIdea, { ...b.ref, idea: id, ...work }).done;
  await readStatus(worktree);
  await readStatus(b.repo);
  return ran;
}

const FILTER = `[filter "x"]\\n\\tclean = touch @MARKS@/canary; cat\\n\\tsmudge = touch @MARKS@/canary; cat\\n[core]\\n\\tfsmonitor = touch @MARKS@/canary\\n`;
/** So that git has to read its files again. */
const TOUCH = `find . "${'$GITDIR'}/.." -name lib.txt -not -path '*/.git/*' -exec touch -d '2001-01-01' {} +`;
const INTO = (pattern: string): string =>
  `for m in ${pattern}; do printf '${FILTER}' >> "$m/config"; mkdir -p "$m/info" "$m/hooks"; echo '* filter=x' > "$m/info/attributes"; printf '#!/bin/sh\\ntouch @MARKS@/canary\\n' > "$m/hooks/post-checkout"; chmod +x "$m/hooks/post-checkout"; done; ${TOUCH}`;

const ATTACKS = [
  [
    'the settings of other worktrees',
    'worktree config',
    `for w in "$GITDIR"/worktrees/*; do printf '${FILTER}' >> "$w/config.worktree"; done; echo '* filter=x' > .gitattributes`,
    /set .*filter\.x\.clean.* in \.git\/worktrees\/[^/]+\/config\.worktree/,
  ],
  [
    'the settings, attributes and hooks of a submodule of the checkout',
    'submodule',
    INTO('"$GITDIR"/modules/libs/x'),
    /set .*filter\.x\.clean.* in \.git\/modules\/libs\/x\/config/,
  ],
  [
    'those of the submodules of worktrees',
    'submodule',
    INTO('"$GITDIR"/worktrees/*/modules/libs/x'),
    /set .*filter\.x\.clean.* in \.git\/worktrees\/[^/]+\/modules\/libs\/x\/config/,
  ],
  [
    'a link in place of a submodule, to one of its own',
    'submodule',
    `cp -r "$GITDIR/modules/libs/x" @MARKS@/x; printf '${FILTER}' >> @MARKS@/x/config; ln -s @MARKS@/x "$GITDIR/modules/libs/y"`,
    /made \.git\/modules\/libs\/y/,
  ],
] as const;

describe('nothing that an agent wrote runs in a git of ours', () => {
  it.each(ATTACKS)('C5: %s', TIME, async (_, how, script, said) => {
    const b = await project(how);
    // Another idea's worktree and the one for landings are there when it begins.
    await goOn(b, 't-2');
    const done = await attacked(b, script);
    const canary = async () => (await readdir(b.marks)).includes('canary');
    await readStatus(b.repo);
    await goOn(b, 't-3');
    expect(await canary()).toBe(false);
    const result = await done();
    expect(result.strayed?.what.join('\n')).toMatch(said);
    expect(await canary()).toBe(false);
  });
});

describe('holds nobody up', () => {
  it.each(['submodule', 'worktree config'] as const)('C5: set-up of other worktrees, with a %s', TIME, async (how) => {
    const b = await project(how);
    const update = `git -c protocol.file.allow=always submodule -q update --init`;
    const done = await attacked(b, how === 'submodule' ? update : 'true');
    expect((await goOn(b, 't-2')).strayed).toBeUndefined();
    await b.call(b.activities.cleanupIdea, { ...b.ref, idea: 't-2' }).done;
    expect((await goOn(b, 't-3')).strayed).toBeUndefined();
    if (how === 'submodule') await b.git(...ANY, 'submodule', '-q', 'update', '--init');
    expect((await done()).strayed).toBeUndefined();
    expect(await b.git('show', 'main:t-3.txt')).toBe('other');
  });
});
