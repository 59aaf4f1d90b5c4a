/** Names, units and labels by Prometheus' conventions; docs/metrics.md has them as they are. Feature: G9. */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { METRICS, type Metric } from '../../../src/metrics/list.js';

describe.each(Object.entries<Metric>(METRICS))('%s', (name, { type, help, labels, buckets }) => {
  it('has a name that says its unit', () => {
    expect(name).toMatch(/^ralphctl_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    // Base units only; the suffixes are those of histograms.
    expect(name).not.toMatch(/_(?:ms|milliseconds|minutes|hours|kb|megabytes|percent|count|sum|bucket|info_total)$/);
  });
  it('says in a sentence what it is', () => {
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
  });
  it('has few labels with few values, and none for each idea or run', () => {
    expect(Object.keys(labels).length).toBeLessThanOrEqual(2);
    for (const [label, values] of Object.entries(labels)) {
      expect(label).toMatch(/^[a-z]+$/);
      expect(['idea', 'run', 'commit', 'worktree', 'le', 'project', 'instance', 'job']).not.toContain(label);
      if (typeof values !== 'string') expect(new Set(values).size).toBe(values.length);
      expect(values.length).toBeGreaterThan(0);
      if (typeof values !== 'string') expect(values.length).toBeLessThanOrEqual(25);
    }
  });
  it('has growing buckets where it is a histogram', () => {
    expect(buckets !== undefined).toBe(type === 'histogram');
    expect(buckets ?? []).toEqual([...(buckets ?? [])].sort((a, b) => a - b));
  });
});

it('docs/metrics.md lists each with type, unit and labels', async () => {
  const script = fileURLToPath(new URL('../../../scripts/metrics-doc.mjs', import.meta.url));
  const done = await execa(process.execPath, [script, '--check'], { reject: false });
  expect(done.stderr).toBe('');
  expect(done.exitCode).toBe(0);
});
