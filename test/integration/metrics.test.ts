/**
 * Metrics of a whole run, scraped as Prometheus does: while it works, after its worker was killed, at its end, and beside
 * another project that wants the same port. Feature: G9.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { projectOf } from '../support/news.js';
import { pidsWith } from '../support/processes.js';
import { until, yaml } from '../support/program.js';
import { freePort, type Page, scrape } from '../support/prometheus.js';

const opened: Held[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.box.dispose();
});

const CONFIG = { version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] };
const listen = (port: number) => ({ metrics: { listen: `127.0.0.1:${port}` } });

async function start(port: number, id: string): Promise<Held> {
  const ideas = [
    { id: `${id}-1`, steps: [{ signal: 'PROGRESS:50', free: true }, { signal: 'COMPLETE' }] },
    { id: `${id}-2`, depends: `${id}-1`, steps: [DONE] },
  ];
  const held = await Held.open(inject('stateRoot'), ideas, listen(port));
  opened.push(held);
  await held.start();
  return held;
}

const page = (what: string, port: number, fits: (page: Page) => boolean): Promise<Page> =>
  until(what, async () => {
    const found = await scrape(port);
    return fits(found) && found;
  });

it('tell the run while it works, the same after a killed worker, and all of it at the end', async () => {
  const port = await freePort();
  const held = await start(port, 'm');
  const project = projectOf(held.box.repo);
  await held.began('m-1', 2);
  const working = await page('an agent at work', port, (one) => one.value('ralphctl_slots', { use: 'busy' }) === 1);
  const progress = { agent: 'scripted', outcome: 'progress', project };
  expect(working.value('ralphctl_iterations_total', progress)).toBe(1);
  expect(working.value('ralphctl_ideas', { status: 'running' })).toBe(1);
  expect(working.value('ralphctl_run_state', { state: 'running' })).toBe(1);
  expect((await held.box.run('doctor', '--quick', '--json')).stdout).toContain(`http://127.0.0.1:${port}/metrics`);

  const began = working.value('process_start_time_seconds');
  for (const pid of await pidsWith('worker', '--child', '--project', project)) process.kill(pid, 'SIGKILL');
  const again = await page('the next worker', port, (one) => one.value('process_start_time_seconds') !== began);
  expect(again.value('ralphctl_iterations_total')).toBe(1);
  await held.began('m-1', 2, 2);
  await held.go('m-1-2');
  const { landed } = await held.finish();
  expect(landed).toBe(2);

  const over = await page('the end', port, (one) => one.value('ralphctl_run_state', { state: 'completed' }) === 1);
  expect(over.value('ralphctl_ideas', { status: 'landed' })).toBe(2);
  expect(over.value('ralphctl_iterations_total', { outcome: 'complete' })).toBe(2);
  expect(over.value('ralphctl_iteration_duration_seconds_count')).toBe(3);
  expect(over.value('ralphctl_landing_duration_seconds_count', { outcome: 'landed' })).toBe(2);
  expect(over.value('ralphctl_queue_wait_seconds_count', { queue: 'landing' })).toBe(2);
  expect(over.value('ralphctl_gate_duration_seconds_count', { result: 'green' })).toBeGreaterThanOrEqual(2);
  expect(over.value('ralphctl_slots')).toBe(0);
  expect(over.value('ralphctl_slot_seconds_total', { use: 'busy' })).toBeGreaterThan(0);
  expect(over.value('ralphctl_agent_runs_total', { outcome: 'ok' })).toBe(3);

  // What docs/metrics.md says of the SDK is there, in seconds.
  const guide = await readFile(join(fileURLToPath(new URL('../../docs', import.meta.url)), 'metrics.md'), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| `temporal_'));
  expect(rows.length).toBeGreaterThan(4);
  for (const line of rows) {
    const [, names = '', type = ''] = line.split('|');
    // A failed request is nothing that this run can be sure to have.
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g))
      if (!name.includes('failure')) expect(over.types.get(name), name).toBe(type.trim());
  }
  const waits = over.value('temporal_activity_schedule_to_start_latency_seconds_sum') ?? Number.NaN;
  expect(waits).toBeGreaterThan(0);
  expect(waits).toBeLessThan(600);
}, 300_000);

it('of two projects on one port: the second says so and works on, until its configuration names another', async () => {
  const [port, other] = [await freePort(), await freePort()];
  const first = await start(port, 'f');
  await page('the first page', port, (one) => one.value('ralphctl_build_info') === 1);
  const second = await start(port, 's');
  await second.began('s-1', 2);
  const shown = await until('the problem', async () => {
    const { stdout } = await second.box.run('status');
    return stdout.includes('serves no metrics') && stdout;
  });
  expect(shown).toMatch(/! the worker serves no metrics: another program listens on 127\.0\.0\.1:\d+.*config reload/);
  await second.box.write({ 'ralphctl.yaml': yaml({ ...CONFIG, ...listen(other) }) });
  const reload = await second.box.run('config', 'reload');
  expect(reload.code, reload.stderr).toBe(0);
  const project = projectOf(second.box.repo);
  await page('the second page', other, (one) => one.value('ralphctl_build_info', { project }) === 1);
  await until('no problem', async () => !(await second.box.run('status')).stdout.includes('serves no metrics'));
  await second.go('s-1-2');
  expect((await second.finish()).landed).toBe(2);
  expect((await scrape(port)).value('ralphctl_build_info', { project: projectOf(first.box.repo) })).toBe(1);
}, 300_000);
