/** The target follows the remote, also while somebody else moves it. Features: D2. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { followRemote } from '../../../../src/git/delivery/follow.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let integration: string;
const { PATH } = process.env;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  integration = join(repo.scratch, 'integration');
  await sh(repo.root, 'worktree', 'add', '-q', '--detach', integration);
  await sh(repo.root, 'switch', '-q', '--detach');
});
afterEach(async () => {
  process.env.PATH = PATH;
  await repo.remove();
});

/** From now on, somebody else moves the target right before ralphctl does: to these commits, one each time. */
async function racedTo(commits: readonly string[]): Promise<void> {
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const dir = join(repo.scratch, 'bin');
  await mkdir(dir);
  const moves = commits.map(
    (commit, n) => `  ${n}) '${real}' -C '${repo.root}' update-ref refs/heads/main ${commit} ;;`,
  );
  await writeFile(
    join(dir, 'git'),
    `#!/bin/sh
case " $* " in *' update-ref '*)
  n=$(cat '${dir}/count' 2> /dev/null || echo 0)
  echo $((n + 1)) > '${dir}/count'
  case $n in
${moves.join('\n')}
  esac
esac
exec '${real}' "$@"
`,
  );
  await chmod(join(dir, 'git'), 0o755);
  process.env.PATH = `${dir}:${PATH}`;
}

const follow = (tip: string) =>
  followRemote({ repo: repo.root, dir: integration, target: 'main', tip, from: 'origin/main' });

it('D2 takes the commits over, also where others win the race for the branch twice', async () => {
  const commits: string[] = [];
  for (const name of ['b', 'c', 'd']) commits.push(await commitFiles(repo.root, { [name]: name }, name));
  const [first = '', second = '', tip = ''] = commits;
  await racedTo([first, second]);
  expect(await follow(tip)).toBeUndefined();
  expect(await sh(repo.root, 'rev-parse', 'main')).toBe(tip);
});

it('D2 ends where others put the target beside the remote, or beyond it', async () => {
  const tip = await commitFiles(repo.root, { b: 'b' }, 'b');
  const beyond = await commitFiles(repo.root, { c: 'c' }, 'c');
  await sh(repo.root, 'switch', '-q', '--detach', repo.base);
  const beside = await commitFiles(repo.root, { d: 'd' }, 'd');
  await racedTo([beyond, beside]);
  for (const expected of [beyond, beside]) {
    expect(await follow(tip)).toBeUndefined();
    expect(await sh(repo.root, 'rev-parse', 'main')).toBe(expected);
    await sh(repo.root, 'update-ref', 'refs/heads/main', repo.base);
  }
});
