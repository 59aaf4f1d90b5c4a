/** A bench whose repository has a remote: a bare repository beside it. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { recordRemote } from '../../src/git/delivery/remote.js';
import type { KnownTips, PushTargetResult } from '../../src/protocol/delivery.js';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import { writeRun } from '../../src/run-files/run.js';
import { roadmap } from '../support/program.js';
import { type Bench, type BenchOptions, bench, idea, say } from './bench.js';

export const tasks = roadmap([{ id: 't-1' }, { id: 't-2' }, { id: 't-3' }]);

export interface Pushing {
  b: Bench;
  /** The bare repository, and another person's clone of it. */
  bare: string;
  other: string;
  inBare(...args: string[]): Promise<string>;
  /** The other person commits and pushes. */
  otherPushes(files: Record<string, string>, message?: string): Promise<string>;
  /** Prepares, works on and lands an idea; its files. */
  lands(id: string, files?: Record<string, string>): Promise<LandResult>;
  /** Works on the idea. */
  works(id: string, files?: Record<string, string>): Promise<LandInput>;
  land(input: LandInput): Promise<LandResult>;
  push(known?: KnownTips): Promise<PushTargetResult>;
  /** A hook of the bare repository. */
  hook(name: string, script: string): Promise<void>;
  /** Ideas named by the commits of a branch, newest first. */
  ideasIn(dir: string, branch?: string): Promise<string[]>;
}

export async function pushing(options: BenchOptions = {}): Promise<Pushing> {
  const ideas = ['t-1', 't-2', 't-3'].map((id) => idea(id));
  const files = { 'base.txt': 'base\n', 'roadmap.md': tasks, ...options.files };
  const config = { ...options.config, landing: { mode: 'push', ...(options.config?.landing as object | undefined) } };
  const b = await bench({ ideas, ...options, files, config });
  const bare = join(b.base, 'bare.git');
  const other = join(b.base, 'other');
  await b.gitIn(b.base, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  await b.git('remote', 'add', 'origin', bare);
  await b.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  await b.gitIn(b.base, 'clone', '--quiet', bare, other);
  for (const [key, value] of [
    ['user.name', 'Other Person'],
    ['user.email', 'other@localhost'],
  ] as const)
    await b.gitIn(other, 'config', key, value);
  const remote = await recordRemote(b.repo, { name: 'origin', branch: 'main' });
  await writeRun(b.root, { ...b.file, remote }, b.ideas);
  const works = async (id: string, made: Record<string, string> = { [`${id}.txt`]: `${id}\n` }): Promise<LandInput> => {
    const lines = Object.entries(made).map(([path, text]) => `printf '%s' '${text}' > '${path}'`);
    await b.setAgent(`cat > /dev/null\n${lines.join('\n')}\n${say('COMPLETE')}`);
    const at = await b.prepare(id);
    const { head } = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id })).done;
    const { worktree, branch, base } = at;
    return { ...b.ref, idea: id, title: `Do ${id}`, agentName: 'ed-001', worktree, branch, base, head };
  };
  const land = (input: LandInput): Promise<LandResult> => b.call(b.activities.landIdea, input).done;
  return {
    ...{ b, bare, other, works, land },
    inBare: (...args) => b.gitIn(bare, ...args),
    otherPushes: async (made, message = 'of another person') => {
      await b.gitIn(other, 'pull', '--quiet', '--rebase');
      await b.write(made, other);
      await b.gitIn(other, 'add', '--all');
      await b.gitIn(other, 'commit', '--quiet', '--message', message);
      await b.gitIn(other, 'push', '--quiet');
      return b.gitIn(other, 'rev-parse', 'HEAD');
    },
    lands: async (id, made) => land(await works(id, made)),
    push: (known) => b.call(b.activities.pushTarget, { ...b.ref, ...(known ? { known } : {}) }).done,
    hook: async (name, script) => {
      const path = join(bare, 'hooks', name);
      await writeFile(path, `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o755);
    },
    ideasIn: async (dir, branch = 'main') => {
      const { stdout } = await execa(
        'git',
        ['log', '--format=%(trailers:key=Ralph-Idea,valueonly,separator=%x2C)', branch],
        {
          cwd: dir,
          env: b.env,
          extendEnv: false,
        },
      );
      return stdout.split('\n').filter(Boolean);
    },
  };
}
