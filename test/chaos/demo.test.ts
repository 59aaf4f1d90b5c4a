/** `ralphctl demo --chaos`, run as a person does. Features: C1 C6 G8. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cliPath } from '../support/program.js';
import { processes } from './lib/processes.js';

const exec = promisify(execFile);
let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ralphctl-demo-test-'));
});
afterEach(() => rm(base, { recursive: true, force: true, maxRetries: 3 }));

describe.runIf(process.platform === 'linux')('ralphctl demo --chaos', () => {
  it('kills worker and server, says so, lands everything once and leaves nothing (C1, C6)', async () => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: base,
      TMPDIR: base,
      // Would be the user's own; the demo must not touch it.
      RALPHCTL_HOME: join(base, 'mine'),
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'),
    };
    const repo = join(base, 'repo');
    const done = await execa(process.execPath, [cliPath, 'demo', '--chaos', '--keep', repo], {
      ...{ cwd: base, env, extendEnv: false, reject: false },
    });
    expect(done.exitCode, done.stderr + done.stdout).toBe(0);
    for (const what of ['worker', 'server']) {
      expect(done.stderr.match(new RegExp(`chaos: killed the ${what} \\(process \\d+\\)`, 'g'))).toHaveLength(2);
    }
    expect(done.stdout).toContain('SIGKILL: worker 2 times, server 2 times');
    expect(done.stdout).toContain('6 ideas landed; landed twice: none');
    const { stdout: log } = await exec('git', [
      ...['-C', repo, 'log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main'],
    ]);
    const ideas = ['greet-001', 'shout-001', 'slug-001', 'welcome-001', 'title-001', 'docs-001'];
    expect([...new Set(log.split('\n').filter(Boolean))].sort()).toEqual(ideas.sort());
    const { stdout: tests } = await exec(process.execPath, ['--test'], { cwd: repo });
    expect(tests).toMatch(/fail 0/);
    expect(processes().filter((one) => one.args.some((arg) => arg.startsWith(base)))).toEqual([]);
    expect((await readdir(base)).filter((name) => name.startsWith('ralphctl-demo-') || name === 'mine')).toEqual([]);
  }, 300_000);
});
