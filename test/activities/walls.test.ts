/**
 * What an agent writes into the repository's own settings never runs in a git of ours, and its idea stops at a person. Every
 * attack is made for real, with plain writes and with git that hides from the trace; a canary file tells whether anything
 * of it ran. Feature: C5; attacks 1, 2, 4.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../src/git/status.js';
import { until } from '../support/program.js';
import { type Bench, bench, idea, say } from './bench.js';

const HIDDEN = 'env -u GIT_TRACE2_EVENT git';
const FILTER = `[filter "x"]\\n\\tclean = touch @MARKS@/canary; cat\\n\\tsmudge = touch @MARKS@/canary; cat\\n[merge "md"]\\n\\tdriver = touch @MARKS@/canary\\n`;
const WORK = 'cat > /dev/null; echo work >> work.txt';

/** Attacks of an agent; `$GITDIR` is the repository's, `@MARKS@` the folder of the canary. */
const ATTACKS: ReadonlyArray<readonly [name: string, script: string, said: RegExp]> = [
  [
    'a filter and a merge driver, written into config and info/attributes',
    `printf '${FILTER}' >> "$GITDIR/config"; mkdir -p "$GITDIR/info"; echo '* filter=x merge=md' >> "$GITDIR/info/attributes"`,
    /set .*filter\.x\.clean.* in \.git\/config/,
  ],
  [
    'the same with git, behind the trace',
    `${HIDDEN} config filter.x.clean "touch @MARKS@/canary; cat"; ${HIDDEN} config filter.x.smudge "touch @MARKS@/canary; cat"; echo '* filter=x' > .gitattributes`,
    /set .*filter\.x\.clean.* in \.git\/config/,
  ],
  [
    'an include',
    `printf '${FILTER}' > "$MARKS/evil"; printf '[include]\\n\\tpath = %s\\n' "$MARKS/evil" >> "$GITDIR/config"; echo '* filter=x' > .gitattributes`,
    /set include\.path in \.git\/config/,
  ],
  [
    'hooks, and a path to others',
    `mkdir -p "$GITDIR/hooks"; printf '#!/bin/sh\\ntouch "@MARKS@/canary"\\n' > "$GITDIR/hooks/post-checkout"; chmod +x "$GITDIR/hooks/post-checkout"; cp "$GITDIR/hooks/post-checkout" "$GITDIR/hooks/pre-commit"; printf '[core]\\n\\thooksPath = %s\\n' "$GITDIR/hooks" >> "$GITDIR/config"`,
    /made \.git\/hooks\/p/,
  ],
  [
    'an external diff, a textconv, fsmonitor, a pager',
    `printf '[diff]\\n\\texternal = touch @MARKS@/canary\\n[core]\\n\\tfsmonitor = touch @MARKS@/canary\\n\\tpager = touch @MARKS@/canary\\n[diff "z"]\\n\\ttextconv = touch @MARKS@/canary;cat\\n' >> "$GITDIR/config"; echo '* diff=z' > "$GITDIR/info/attributes"`,
    /set .*diff\.external/,
  ],
  [
    'settings in place of a file: a link to its own',
    `cp "$GITDIR/config" "$MARKS/evil"; printf '${FILTER}' >> "$MARKS/evil"; rm "$GITDIR/config"; ln -s "$MARKS/evil" "$GITDIR/config"; echo '* filter=x' > .gitattributes`,
    /replaced \.git\/config/,
  ],
  [
    'its worktree led to a repository of its own',
    `cp -r "$GITDIR" "$MARKS/git"; printf '${FILTER}' >> "$MARKS/git/config"; name=$(basename $(git rev-parse --absolute-git-dir)); echo '* filter=x' > .gitattributes; echo "gitdir: $MARKS/git/worktrees/$name" > .git`,
    /made .*\.git point elsewhere/,
  ],
  [
    'the registration of its worktree led there',
    `cp -r "$GITDIR" "$MARKS/git"; printf '${FILTER}' >> "$MARKS/git/config"; echo '* filter=x' > .gitattributes; echo "$MARKS/git" > "$(git rev-parse --absolute-git-dir)/commondir"`,
    /made .*commondir point elsewhere/,
  ],
  [
    'replace refs',
    `${HIDDEN} replace HEAD:base.txt $(echo green | git hash-object -w --stdin)`,
    /made refs\/replace\//,
  ],
  [
    'objects from elsewhere',
    `mkdir -p "$MARKS/objects"; echo "$MARKS/objects" > "$GITDIR/objects/info/alternates"`,
    /made \.git\/objects\/info\/alternates/,
  ],
  [
    'pipes in place of files that every git reads',
    `for one in config packed-refs; do rm -f "$GITDIR/$one"; mkfifo "$GITDIR/$one"; done`,
    /put a named pipe at \.git\/packed-refs; ralphctl removed it.*[\s\S]*replaced \.git\/config|replaced \.git\/config[\s\S]*put a named pipe at \.git\/packed-refs/,
  ],
  [
    'pipes in the registration of its worktree',
    `own="$(git rev-parse --absolute-git-dir)"; for one in "$own/HEAD" "$own/commondir"; do rm "$one"; mkfifo "$one"; done`,
    /put a named pipe at \.git\/worktrees\/[^/]+\/HEAD; ralphctl removed it/,
  ],
  ['history cut off', `git rev-parse HEAD > "$GITDIR/shallow"`, /made \.git\/shallow/],
];

/** `t-1` attacks and goes on working until `done` is called. */
async function attacked(script: string, config: Record<string, unknown> = {}) {
  const b = await bench({
    ideas: ['t-1', 't-2', 't-3'].map((id) => idea(id)),
    config,
    files: { 'base.txt': 'base\n' },
  });
  const shape = async () => [
    await b.read(join(b.repo, '.git/config')),
    await readdir(join(b.repo, '.git/hooks')),
    await readdir(join(b.repo, '.git/info')),
  ];
  const before = await shape();
  const wait = 'touch "$MARKS/written"; until [ -e "$MARKS/go" ]; do sleep 0.05; done';
  await b.setAgent(
    `GITDIR='${b.repo}/.git'\n${WORK}\n${script.replaceAll('@MARKS@', b.marks)}\n${wait}\n${say('COMPLETE')}`,
  );
  const running = b.runAgent();
  running.catch(() => undefined);
  await until('the attack', async () => (await readdir(b.marks)).includes('written'));
  const done = async () => {
    await writeFile(join(b.marks, 'go'), '');
    return running;
  };
  return { b, shape, before, done };
}

const canary = async (b: Bench): Promise<boolean> => (await readdir(b.marks)).includes('canary');

/** What ralphctl does with git for another idea: its worktree, its agent's work, its landing, the user's checkout. */
async function goOn(b: Bench, id: string, agentName: string) {
  await b.setAgent(`cat > /dev/null; echo other > ${id}.txt; ${say('COMPLETE')}`);
  const at = await b.prepare(id, { agentName });
  const ran = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName })).done;
  const { worktree, branch, base } = at;
  const work = { title: 'Other', agentName, worktree, branch, base, head: ran.head };
  await b.call(b.activities.landIdea, { ...b.ref, idea: id, ...work }).done;
  await readStatus(b.repo);
  return ran;
}

describe('nothing that an agent wrote runs in a git of ours', () => {
  it.each(ATTACKS)('%s', { timeout: 60_000 }, async (_, script, said) => {
    const { b, shape, before, done } = await attacked(script);
    // While it is at work still; its agent's script has been read.
    await goOn(b, 't-2', 'ed-002');
    expect(await canary(b)).toBe(false);
    const result = await done();
    expect(result.strayed?.what.join('\n')).toMatch(said);
    expect(await canary(b)).toBe(false);
    await goOn(b, 't-3', 'ed-002');
    await b.call(b.activities.cleanupIdea, { ...b.ref, idea: 't-1' }).done;
    expect(await canary(b)).toBe(false);
    expect(await shape()).toEqual(before);
    for (const path of ['t-2.txt', 't-3.txt']) expect(await b.git('show', `main:${path}`)).toBe('other');
    expect(await b.git('fsck', '--no-dangling')).toBe('');
  });
});

describe('a commit-graph that an agent forged', () => {
  const TOOL = fileURLToPath(new URL('../support/forge-index.mjs', import.meta.url));
  const COMMIT = 'git -c user.name=a -c user.email=a@localhost commit -qm';
  /** Two commits, of which the graph gives the first the tree `evil`. */
  const FORGE = `echo work > work.txt; git add -A; ${COMMIT} one; echo more >> work.txt; ${COMMIT} two -a
first=$(git rev-parse HEAD~1); echo $first > "$MARKS/first"; blob=$(echo evil | git hash-object -w --stdin)
evil=$( (git ls-tree $first; printf '100644 blob %s\\tunseen.txt\\n' $blob) | git mktree)
git rev-parse HEAD | git commit-graph write --stdin-commits
${process.execPath} ${TOOL} commit-graph "$GITDIR/objects/info/commit-graph" $first $evil
git log -1 --format=%T $first > "$MARKS/seen"; echo $evil > "$MARKS/evil"`;

  it('F1: changes neither what lands nor what gates see', { timeout: 60_000 }, async () => {
    const b = await bench({ config: { gate: { commands: ['sh gate.sh'], tripwires: { gateFiles: 'off' } } } });
    await b.write({ 'gate.sh': `git log -1 --format=%T "$(cat '${b.marks}/first')" > '${b.marks}/gated'` });
    await b.commit('gate');
    await b.setAgent(`cat > /dev/null; GITDIR='${b.repo}/.git'\n${FORGE}\n${say('COMPLETE')}`);
    const at = await b.prepare();
    const ran = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const mark = async (name: string): Promise<string> => (await b.read(join(b.marks, name))).trim();
    // An ordinary git believes it.
    expect(await mark('seen')).toBe(await mark('evil'));
    const { worktree, branch, base } = at;
    const work = { title: 'Work', agentName: 'ed-001', worktree, branch, base, head: ran.head };
    const landed = await b.call(b.activities.landIdea, { ...b.ref, idea: 't-1', ...work }).done;
    expect(landed).toMatchObject({ kind: 'landed', commits: 2 });
    const real = await b.git('rev-parse', `${await mark('first')}^{tree}`);
    expect(await b.git('rev-parse', 'main~1^{tree}')).toBe(real);
    expect(await mark('gated')).toBe(real);
  });
});

describe('a target that an agent moved', () => {
  it.each([
    [
      'with a git that leaves no trace',
      `git add -A; git commit -qm x; ${HIDDEN} update-ref refs/heads/main HEAD`,
      /holds work from/,
    ],
    [
      'by writing its file',
      `git rev-parse "$(git commit-tree -m y -p HEAD HEAD^{tree})" > "$GITDIR/refs/heads/main"`,
      /wrote its file by hand/,
    ],
  ])('%s: nothing lands on it before a person has seen it', { timeout: 60_000 }, async (_, script, said) => {
    const { b, done } = await attacked(script);
    const moved = await b.git('rev-parse', 'main');
    await expect(goOn(b, 't-2', 'ed-002')).rejects.toThrow(said);
    expect(await b.git('rev-parse', 'main')).toBe(moved);
    expect((await done()).strayed?.what.join()).toMatch(/moved (?:the branch )?main/);
    // Said once, and answered: it may be the person's.
    await expect(goOn(b, 't-2', 'ed-002')).resolves.toBeDefined();
    expect(await b.git('show', 'main:t-2.txt')).toBe('other');
  });

  const BARE = 'env -i /usr/bin/env git';
  const FORGE = `to=$(${BARE} commit-tree -m y -p HEAD "$(cd "$MARKS" && git -C "$GITDIR" mktree </dev/null)"); from=$(git rev-parse main); line="$from $to Test User <test@localhost> $(date +%s) +0000"`;
  const put = (...logs: string[]) =>
    `${FORGE}; echo $to > "$GITDIR/refs/heads/main"${logs.map((log) => `; printf '%s\\tcommit: y\\n' "$line" >> "$GITDIR/logs/${log}"`).join('')}`;

  it.each([
    ['with a line forged in its reflog', put('refs/heads/main'), /reflog of HEAD lacks the move/],
    ['with a line forged in both reflogs', put('refs/heads/main', 'HEAD'), /index of .* still has the files of before/],
    [
      'with a line forged that leads there from elsewhere',
      `${FORGE}; from=$to; line="$from $to Test User <test@localhost> $(date +%s) +0000"; echo $to > "$GITDIR/refs/heads/main"; printf '%s\\tcommit: y\\n' "$line" >> "$GITDIR/logs/refs/heads/main"`,
      /does not follow from the line before it/,
    ],
    ['and its reflog removed', `${put()}; rm "$GITDIR/logs/refs/heads/main"`, /reflog no longer has the tip/],
    [
      'from another worktree, without a trace',
      `${FORGE}; ${BARE} update-ref -m 'commit: y' refs/heads/main $to`,
      /reflog of HEAD lacks the move/,
    ],
  ])('F1: %s: nothing lands on it before a person has seen it', { timeout: 60_000 }, async (_, script, said) => {
    const { b, done } = await attacked(script);
    const moved = await b.git('rev-parse', 'main');
    await expect(goOn(b, 't-2', 'ed-002')).rejects.toThrow(said);
    expect(await b.git('rev-parse', 'main')).toBe(moved);
    await done();
  });

  it.each([
    [
      'a commit, an amend and a rebase',
      [
        ['commit', '-q', '--allow-empty', '-m', 'a'],
        ['commit', '-q', '--amend', '--allow-empty', '-m', 'b'],
        ['rebase', '-q', 'topic'],
      ],
    ],
    [
      'a merge, and a switch there and back',
      [
        ['switch', '-q', 'topic'],
        ['switch', '-q', 'main'],
        ['merge', '-q', 'topic'],
      ],
    ],
    [
      'a fetch into it from another branch',
      [
        ['switch', '-q', '-c', 'other'],
        ['fetch', '-q', '.', 'topic:main'],
      ],
    ],
    [
      'a push into the checkout',
      [
        [
          'push',
          '-q',
          '--receive-pack=git -c receive.denyCurrentBranch=updateInstead receive-pack',
          '@REPO@',
          'topic:main',
        ],
      ],
    ],
    [
      'a cherry-pick and a revert, with edits beside',
      [
        ['cherry-pick', 'topic'],
        ['revert', '--no-edit', 'HEAD'],
        ['rm', '-q', 'base.txt'],
      ],
    ],
    [
      'a hard reset and a branch by force',
      [
        ['reset', '-q', '--hard', 'topic'],
        ['switch', '-q', '-c', 'other'],
        ['branch', '-f', 'main', 'topic'],
      ],
    ],
  ])('F1: %s of a person holds nobody up', { timeout: 60_000 }, async (_, commands) => {
    const { b, done } = await attacked('true');
    await b.git('switch', '-q', '-c', 'topic');
    await b.write({ 'mine.txt': 'mine' });
    await b.commit('mine');
    await b.git('switch', '-q', 'main');
    for (const args of commands) await b.git(...args.map((arg) => arg.replace('@REPO@', b.repo)));
    await goOn(b, 't-2', 'ed-002');
    expect((await done()).strayed).toBeUndefined();
    expect(await b.git('show', 'main:t-2.txt')).toBe('other');
  });

  it('and one that a person moved holds nobody up', { timeout: 60_000 }, async () => {
    const { b, done } = await attacked('true');
    await b.write({ 'mine.txt': 'mine' });
    await b.commit('mine');
    await goOn(b, 't-2', 'ed-002');
    await done();
    expect(await b.git('show', 'main:mine.txt')).toBe('mine');
  });
});
