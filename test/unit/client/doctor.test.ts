import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../../src/agents/catalog.js';
import { compareVersions, versionIn } from '../../../src/client/doctor/machine.js';
import { backlogWords } from '../../../src/client/doctor/project.js';
import { AGENT_ADAPTERS } from '../../../src/config/agent-spec.js';

describe('versions', () => {
  it.each([
    ['2.1.329 (Claude Code)', '2.1.329'],
    ['codex-cli 0.169.0', '0.169.0'],
    ['GitHub Copilot CLI 1.0.102.', '1.0.102'],
    ['git version 2.39.5 (Apple Git-154)', '2.39.5'],
    ['nothing', undefined],
  ])('in %s', (text, version) => expect(versionIn(text)).toBe(version));
  it('are compared by number', () => {
    expect(compareVersions('2.9.0', '2.38')).toBeLessThan(0);
    expect(compareVersions('0.170.0', '0.169.9')).toBeGreaterThan(0);
    expect(compareVersions('1.0', '1.0.0')).toBe(0);
  });
});

it('A4: an epic is no idea to do', () => {
  const idea = { done: false, blue: false };
  expect(backlogWords([idea, { ...idea, done: true }])).toBe('1 of 2 ideas to do');
  expect(backlogWords([idea, { ...idea, blue: true }])).toBe('1 of 1 idea to do; 1 epic');
});

describe('the catalog of agents', () => {
  it('has every adapter of a real CLI, with the release that the rig runs', async () => {
    const clis = JSON.parse(await readFile(new URL('../../agents/clis.json', import.meta.url), 'utf8')) as Record<
      string,
      { version: string; bin: string }
    >;
    const known = AGENT_ADAPTERS.filter((name) => name !== 'command' && name !== 'scripted');
    expect(CATALOG.map((entry) => entry.adapter)).toEqual(known);
    for (const { adapter, proven, program } of CATALOG)
      expect(clis[adapter], adapter).toMatchObject({ version: proven, bin: program });
  });
});
