/** What may change in an open run: every key has a row, and what may not change stays. Feature: A7. */
import { expect, it } from 'vitest';
import { originsIn, parseConfig } from '../../../src/config/load.js';
import { changesOf, RELOAD_TABLE, reloaded, reloadRow } from '../../../src/config/reload.js';
import type { Config } from '../../../src/config/schema/config.js';
import { configJsonSchema } from '../../../src/config/zod-problems.js';

const config = (text: string) => parseConfig(text, 'ralphctl.yaml');

it('every key of the configuration has a row of its own in the table', () => {
  const keys = Object.keys(configJsonSchema().properties ?? {});
  expect(keys.filter((key) => !RELOAD_TABLE[key])).toEqual([]);
  expect(Object.keys(RELOAD_TABLE).filter((row) => !keys.includes(row.split('.')[0] ?? ''))).toEqual([]);
});

it('a row that never changes says why, and what to do instead', () => {
  for (const [key, { counts, why }] of Object.entries(RELOAD_TABLE))
    expect(why !== undefined, key).toBe(counts === 'never');
});

it('the nearest row counts: worktrees.root stays, the rest of worktrees does not', () => {
  expect(reloadRow('worktrees.root')?.counts).toBe('never');
  expect(reloadRow('worktrees.keep')?.counts).toBe('worktree');
  expect(reloadRow('gate.tripwires.newSkips')?.counts).toBe('iteration');
  expect(reloadRow('nonsense')).toBeUndefined();
});

it('what is taken is the new configuration, with what may not change as it was', () => {
  const before = config('target: main\nslots: 2\ngate: [npm test]\n');
  const after = config('target: side\nbacklog: other.md\nslots: 4\nworktrees: {root: /w, recycle: false}\n');
  const next = reloaded(before, after);
  expect(next.target).toBe('main');
  expect(next.backlog).toBeUndefined();
  expect(next.worktrees.root).toBeUndefined();
  expect(next).toMatchObject({ slots: 4, worktrees: { recycle: false }, gate: { commands: [] } });
  const by = (wanted: string) => changesOf(before, after).flatMap(({ key, counts }) => (counts === wanted ? key : []));
  expect(by('never').sort()).toEqual(['backlog', 'target', 'worktrees.root']);
  expect(by('now')).toEqual(['slots']);
  expect(changesOf(next, after).every(({ counts }) => counts === 'never')).toBe(true);
});

/** The default configuration with one more value, as the rows name it: not every key of them has to be legal here. */
function withValue(key: string, value: unknown): Config {
  const made: Config = config('{}');
  const names = key.split('.');
  let at = made as Record<string, unknown>;
  for (const name of names.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  at[names.at(-1) ?? ''] = value;
  return made;
}
const valueAt = (of: Config, key: string): unknown =>
  key.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], of);

it.each(Object.entries(RELOAD_TABLE).map(([key, { counts }]) => [key, counts] as const))(
  'the row %s is taken as it says: %s',
  (key, counts) => {
    // A row of its own below may keep a part of a whole section.
    const below = Object.keys(RELOAD_TABLE).some((other) => other.startsWith(`${key}.`));
    const at = below ? `${key}.another` : key;
    const [old, wanted] = [withValue(at, 'old'), withValue(at, 'wanted')];
    expect(valueAt(reloaded(old, wanted), at)).toBe(counts === 'never' ? 'old' : 'wanted');
    const bare = withValue(at, undefined);
    expect(valueAt(reloaded(bare, wanted), at)).toBe(counts === 'never' ? undefined : 'wanted');
    expect(valueAt(reloaded(old, bare), at)).toBe(counts === 'never' ? 'old' : undefined);
    expect([valueAt(old, at), valueAt(wanted, at)]).toEqual(['old', 'wanted']);
  },
);

it('D2 pull requests stay in the repository that the run began with', () => {
  const before = config('landing: {mode: pr, pr: {repo: me/shop, labels: [a]}}\n');
  const after = config('landing: {mode: pr, pr: {repo: you/other, labels: [b]}}\nwaves: {maxWaves: 9}\n');
  const next = reloaded(before, after);
  expect(next.landing.pr).toMatchObject({ repo: 'me/shop', labels: ['b'] });
  expect(next.waves).toEqual(before.waves);
  expect(reloaded(config('{}'), after).landing.pr).not.toHaveProperty('repo');
});

it('origins are lines of the file, also where a list stands for the whole gate', () => {
  const at = originsIn('# mine\nslots: 4\ngate:\n  - npm test\nbudget:\n  run: { dollars: 3 }\n', 'ralphctl.yaml');
  expect(at(['slots'])).toBe(2);
  expect(at(['gate', 'commands'])).toBe(3);
  expect(at(['gate', 'baseline'])).toBeUndefined();
  expect(at(['budget', 'run', 'dollars'])).toBe(6);
  expect(at(['budget', 'warnAt'])).toBeUndefined();
});
