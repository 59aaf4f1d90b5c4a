/**
 * Holds ralphctl's own git commands at a named place, so that a kill comes exactly there: a `git` that stands first on
 * PATH and waits, before or after the real one, until the suite lets it go on. What is not waited for passes at once.
 */
import { access, chmod, constants, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Shell patterns for the words of a command, without its `-c` settings. */
export const POINTS = {
  'prepare: register the worktree': 'worktree add --no-checkout -q *-b ralph/*',
  'prepare: fill the worktree': 'reset -q --hard',
  'prepare: take a used worktree': 'worktree move *',
  'prepare: reset a used worktree': 'checkout -q -f --no-track -B ralph/*',
  'agent end: stage': 'add -A -- *',
  'agent end: commit': 'commit --quiet *',
  save: 'update-ref --create-reflog *refs/ralphctl/save/*',
  'landing: candidate': 'commit-tree *',
  'landing: check out the candidate': 'reset -q --hard ?*',
  'landing: tick': 'update-index --add --cacheinfo *',
  'landing: swap': 'update-ref -m ralphctl: land * --stdin',
  'landing: fast-forward the checkout': 'merge --ff-only *',
  'landing: let the worktree go': 'update-ref --no-deref -m ralphctl: landed HEAD *',
  'landing: drop the branch': 'update-ref --stdin',
  'undo: swap': 'update-ref -m ralphctl: undo * --stdin',
  'rollback: branch back': 'checkout -q -f -B ralph/*',
  'rollback: clean': 'clean -fdq',
  'cleanup: remove the worktree': 'worktree remove *',
} as const;
export type PointName = keyof typeof POINTS;
export type Side = 'before' | 'after';

export interface Place {
  point: PointName;
  side: Side;
}

/** A git command that stands still. */
export interface HeldGit extends Place {
  /** Lets it go on; `die`: it ends there without doing anything more, as in a power cut. */
  release(how?: 'die'): Promise<void>;
}

const slug = ({ point, side }: Place): string => `${side}.${point.replaceAll(/\W+/g, '-')}`;

/** A held command goes on by itself after some 20 s, so that a suite that died leaves nothing behind. */
const SHIM = (real: string, dir: string): string => `#!/bin/sh
[ -e '${dir}/armed' ] || exec '${real}' "$@"
line= skip=
for word do
  if [ -n "$skip" ]; then skip=; continue; fi
  if [ -z "$line" ] && [ "$word" = -c ]; then skip=1; continue; fi
  line="$line\${line:+ }$word"
done
before= after=
while IFS='|' read -r name side pattern; do
  case "$line" in
    $pattern) if [ "$side" = before ]; then before=$name; else after=$name; fi ;;
  esac
done < '${dir}/armed'
hold() {
  file='${dir}'/held.$1.$$
  : > "$file"
  n=0
  while [ -e "$file" ] && [ $n -lt 800 ]; do sleep 0.02; n=$((n + 1)); done
  [ ! -e "$file.die" ] || exit 1
}
[ -z "$before" ] || hold "$before"
[ -n "$after" ] || exec '${real}' "$@"
'${real}' "$@"
code=$?
hold "$after"
exit $code
`;

export class Points {
  #names = new Map<string, Place>();

  private constructor(
    private readonly dir: string,
    /** Goes first on PATH. */
    readonly bin: string,
  ) {}

  static async install(base: string, realGit: string): Promise<Points> {
    const [dir, bin] = [join(base, 'points'), join(base, 'bin')];
    await mkdir(dir);
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'git'), SHIM(realGit, dir));
    await chmod(join(bin, 'git'), 0o755);
    return new Points(dir, bin);
  }

  /** From here on, commands at these places are held. */
  async arm(places: readonly Place[]): Promise<void> {
    this.#names = new Map(places.map((place) => [slug(place), place]));
    const armed = join(this.dir, 'armed');
    if (places.length === 0) return rm(armed, { force: true });
    const lines = [...this.#names].map(([name, { point, side }]) => `${name}|${side}|${POINTS[point]}\n`);
    await writeFile(`${armed}.new`, lines.join(''));
    await rename(`${armed}.new`, armed);
  }

  /** Those that are held now and were not given before. */
  async held(seen: Set<string>): Promise<HeldGit[]> {
    const names = (await readdir(this.dir)).filter((name) => /^held\..*\.\d+$/.test(name) && !seen.has(name));
    return names.flatMap((name) => {
      seen.add(name);
      const place = this.#names.get(name.slice('held.'.length, name.lastIndexOf('.')));
      const file = join(this.dir, name);
      const release = async (how?: 'die'): Promise<void> => {
        if (how) await writeFile(`${file}.die`, '');
        await rm(file, { force: true });
      };
      if (place) return [{ ...place, release }];
      // Armed no more.
      void release();
      return [];
    });
  }
}

/** Where git really is. */
export async function findGit(path: string): Promise<string> {
  for (const dir of path.split(':')) {
    const file = join(dir, 'git');
    const runs = access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (await runs) return file;
  }
  throw new Error('there is no git on PATH');
}
