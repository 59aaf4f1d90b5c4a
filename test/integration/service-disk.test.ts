/**
 * The command line of the service after a boot on a full disk: a real small file system. Mounting one needs root (or the
 * right to): elsewhere this is left out, and says so.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';
import { runningWorker } from '../../src/worker/record.js';
import { Held } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held | undefined;
let disk: string | undefined;
afterEach(async () => {
  await held?.box.run('server', 'stop', '--force');
  await held?.box.dispose();
  if (disk) await execa('umount', ['--lazy', disk], { reject: false });
  if (disk) await rm(disk, { recursive: true, force: true });
});

async function mount(): Promise<string | undefined> {
  disk = await mkdtemp(join(tmpdir(), 'ralphctl-boot-'));
  const { exitCode, stderr } = await execa('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'ralphctl-test', disk], {
    reject: false,
  });
  return exitCode === 0 ? undefined : `no small file system can be mounted here: ${stderr}`;
}

/** As systemd says of a service that ended with this code. */
async function standIns(code: number): Promise<void> {
  const { box } = held ?? {};
  if (!box) throw new Error('no sandbox');
  const bin = join(box.scratch, 'bin');
  await mkdir(bin, { recursive: true });
  const show = `echo UnitFileState=enabled; echo ActiveState=activating; echo SubState=auto-restart; echo ExecMainCode=1; echo ExecMainStatus=${code}`;
  for (const [name, body] of [
    ['systemctl', `case "$*" in *show*) ${show};; esac`],
    ['loginctl', 'echo yes'],
  ] as const) {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  }
  box.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
}

it('G5: a service that comes up on a full disk ends with a code after which it is tried again, says why once, and goes on when there is room', async (context) => {
  const why = await mount();
  if (why !== undefined) context.skip(why);
  const root = join(disk ?? '', 'state');
  held = await Held.open(root, [{ id: 'q-1', steps: [{ signal: 'NEEDS_HUMAN: which colour?', free: true }] }], {
    disk: { minFreeMegabytes: 1, minFreeInodes: 1 },
  });
  const { box } = held;
  await standIns(0);
  expect((await box.run('service', 'install')).code).toBe(0);
  await held.start();
  await held.idea('q-1', 'needs-human');
  const project = String((await box.run('service', 'status', '--json')).json[0]?.project);
  expect((await box.run('worker', '--stop')).code).toBe(0);
  expect((await box.run('server', 'stop', '--force')).code).toBe(0);

  const fill = join(disk ?? '', 'fill');
  await execa('dd', ['if=/dev/zero', `of=${fill}`, 'bs=4k'], { reject: false });
  for (const command of [['service', 'run', '--project', project], ['worker']]) {
    const full = await box.run(...command);
    expect(full, command.join(' ')).toMatchObject({ code: 5, stdout: '' });
    expect(full.stderr.match(/the disk is full/g), full.stderr).toHaveLength(1);
    expect(full.stderr.trim().split('\n')).toHaveLength(1);
    expect(full.stderr).toContain(`df -h ${root}`);
  }
  await standIns(5);
  const status = await box.run('service', 'status');
  expect(status.stdout).toContain(
    `! it cannot work, and it tries again by itself: cannot use the state folder ${root} (from RALPHCTL_HOME): the disk is full (ENOSPC)\n`,
  );
  expect(status.stdout).toContain('it fails (exit code 5)');
  expect((await box.run('doctor')).stdout).toMatch(
    /service .*it cannot work, and it tries again by itself: .*disk is full/,
  );

  await rm(fill);
  box.spawn('service', 'run', '--project', project);
  await until('the worker', () => runningWorker(root, project));
  await until('the run', async () => (await held?.status())?.state !== undefined);
  expect((await box.run('worker', '--stop')).code).toBe(0);
}, 240_000);
