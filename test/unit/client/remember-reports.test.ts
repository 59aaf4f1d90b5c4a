/** What `ralphctl triage` reads after a run. Features: E3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunPlan } from '../../../src/client/plan/run-plan.js';
import { rememberReports } from '../../../src/client/plan/waves.js';
import { lastSource } from '../../../src/run-files/triage.js';

it('E3 is the file of the last run, and a tracker once a run had one', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl-reports-'));
  const ran = (config?: object): Promise<void> =>
    rememberReports(root, {
      project: { id: 'p', repository: { root: '/shop' } },
      ...(config ? { tracker: { config } } : {}),
    } as unknown as RunPlan);
  try {
    await ran({ tracker: 'jsonl', file: 'old.jsonl' });
    expect(await lastSource(root, 'p')).toBe('/shop/old.jsonl');
    await ran();
    expect(await lastSource(root, 'p')).toBe('/shop/old.jsonl');
    await ran({ tracker: 'github' });
    expect(await lastSource(root, 'p')).toBeUndefined();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
