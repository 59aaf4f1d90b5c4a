/** The model of the full screen, kept from the files of a run: no server, no worker. Features: G4. */
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptGone } from '../../../src/client/report/gone.js';
import { farewell } from '../../../src/client/screen/farewell.js';
import { RunSource } from '../../../src/client/screen/source.js';
import { takeStatus } from '../../../src/client/screen/take-status.js';
import { defaultConfig } from '../../../src/config/load.js';
import { runDir } from '../../../src/config/paths.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { RunStatus } from '../../../src/protocol/views.js';
import { noteAbandoned } from '../../../src/run-files/carried.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { keep } from '../../../src/run-files/kept.js';
import { addIdeas, writeRun } from '../../../src/run-files/run.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { compose } from '../../../src/screen/compose.js';
import { ideaWish } from '../../../src/screen/control/verbs.js';
import { noDetails } from '../../../src/screen/details.js';
import { listsOf } from '../../../src/screen/lists.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { idea } from '../../activities/idea.js';
import { until } from '../../support/program.js';

const ref = { project: 'p', runId: '20260101-000000-aaaa' };
let root: string;
let source: RunSource | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-source-'));
});
afterEach(async () => {
  await source?.close();
  source = undefined;
  await rm(root, { recursive: true, force: true });
});

const file: RunFile = {
  ...{ version: 1, ...ref, repo: '/no/such/repo', target: 'main', config: defaultConfig(), tick: true },
  backlog: { file: '/no/such/repo/roadmap.md', format: 'roadmap', sha256: '' },
  createdAt: new Date(0).toISOString(),
};
const context = () => ({ root, cacheRoot: root, cwd: root, env: process.env, json: false });

async function tell(...events: RunEvent[]): Promise<void> {
  const path = eventsPath(root, ref);
  await mkdir(dirname(path), { recursive: true });
  const at = new Date(1000).toISOString();
  await appendFile(path, events.map((event) => `${JSON.stringify({ at, ...event })}\n`).join(''));
}

/** The page that lists requests and warnings, without spaces: a path may be broken at the edge of the screen. */
const needs = (model: RunModel): string =>
  compose(
    model,
    { ...initialUi(), screen: 'needs' },
    noDetails(),
    { columns: 80, rows: 24 },
    { colour: false, ascii: false },
    2000,
  )
    .lines.map(plainLine)
    .join('')
    .replace(/\s+/g, '');

const started = (id: string): RunEvent => ({ kind: 'idea', idea: id, title: id, status: 'running' });

it('an added idea whose file is damaged is a warning until the file can be read, and then has its text', async () => {
  await writeRun(root, file, [idea('a')]);
  await addIdeas(root, ref, [idea('b', { title: 'Later', text: 'The whole text' })]);
  const added = join(runDir(root, ref.project, ref.runId), 'added', 'b.json');
  const whole = await readFile(added, 'utf8');
  await writeFile(added, '{"version":');
  await tell(started('a'));
  source = new RunSource(context(), ref, () => {}, new KeptGone());
  const model = await source.open();
  expect(needs(model)).not.toContain('damaged');

  await tell(started('b'));
  await until('the warning is on the page', async () => needs(model).includes('b.jsonisdamaged'));
  await writeFile(added, whole);
  await until('the warning is gone', async () => !needs(model).includes('damaged'));
  expect(model.warnings).toEqual([]);
  expect(model.ideas.get('b')?.text).toBe('The whole text');
});

it('a warning that comes without an event is on the page of what needs a person at once', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a')]);
  fold(model, { at: new Date(1000).toISOString(), kind: 'run', state: 'completed', landed: 0, total: 1 });
  expect(needs(model)).not.toContain('revert');
  model.warnings = [{ kind: 'outside', text: 'A commit there would revert the landed work', since: 2000 }];
  expect(needs(model)).toContain('Acommittherewouldrevertthelandedwork');
});

describe('the open warnings of an answer', () => {
  const answer = (warnings: RunStatus['warnings'], more?: RunStatus['more']): RunStatus =>
    ({
      state: 'running',
      next: [],
      slots: 1,
      ...(warnings ? { warnings } : {}),
      ...(more ? { more } : {}),
    }) as unknown as RunStatus;
  const made = (): RunModel => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
      idea('a'),
      idea('b'),
      idea('c'),
    ]);
    const told: RunEvent[] = [
      started('a'),
      started('b'),
      { kind: 'warning', warning: 'errors', text: '3 ideas failed' },
      { kind: 'warning', warning: 'budget', text: '8 of 10 dollars' },
      { kind: 'warning', idea: 'a', warning: 'stuck', text: 'no progress' },
    ];
    for (const event of told) fold(model, { at: new Date(1000).toISOString(), ...event });
    return model;
  };
  const kinds = (model: RunModel): string[] =>
    listsOf(model).warnings.map(({ idea: id, kind }) => (id ? `${id} ${kind}` : kind));

  it('are all that the page shows, also where it has none', () => {
    const model = made();
    expect(kinds(model)).toEqual(['errors', 'budget', 'a stuck']);
    const stuck = { idea: 'b', kind: 'stuck' as const, text: 'no progress' };
    takeStatus(model, answer([{ kind: 'budget', text: '9 of 10 dollars' }, stuck]), { asked: 2000, at: 2100 });
    expect(kinds(model)).toEqual(['budget', 'b stuck']);
    expect(model.warnings).toEqual([{ kind: 'budget', text: '9 of 10 dollars', since: 1000 }]);
    takeStatus(model, answer(undefined), { asked: 3000, at: 3100 });
    expect(kinds(model)).toEqual([]);
    expect(needs(model)).not.toContain('stuck');
  });

  it('are not all, where an event came after the question', () => {
    const model = made();
    takeStatus(model, answer(undefined), { asked: 500, at: 2100 });
    expect(kinds(model)).toEqual(['errors', 'budget', 'a stuck']);
  });

  it('leave those of ideas to the events, where there are too many to list', () => {
    const model = made();
    takeStatus(model, answer(undefined, { warnings: 3 }), { asked: 2000, at: 2100 });
    expect(kinds(model)).toEqual(['a stuck']);
  });

  it('are no longer answered by c, and neither are those of an idea that a stop cut off', () => {
    const stopped = made();
    fold(stopped, { at: new Date(1500).toISOString(), kind: 'idea', idea: 'a', title: 'a', status: 'pending' });
    const answered = made();
    takeStatus(answered, answer(undefined), { asked: 2000, at: 2100 });
    for (const model of [stopped, answered]) {
      const a = model.ideas.get('a');
      expect(a && ideaWish('continue', model, a)).toMatchObject({ refused: 'a has no warnings' });
      expect(kinds(model)).not.toContain('a stuck');
    }
    const open = made();
    const a = open.ideas.get('a');
    expect(a && ideaWish('continue', open, a)).toMatchObject({ act: { do: 'tell' } });
  });
});

it('the line after the screen steers no terminal, whatever the folder of the repository is called', () => {
  const model = newModel(
    { project: 'p', runId: 'r', name: 'sh\u001b]2;owned\u0007op\u0007', target: 'ma\u001b[31min' },
    [],
  );
  expect(farewell(model)[0]).toBe('shop  onto main: idle; 0 of 0 landed, 0 need you');
});

it('G5: a run that has told nothing yet does not count as to do what it leaves out', async () => {
  const ideas = ['a-1', 'b-1', 'c-1', 'd-1'].map((id) => idea(id));
  await writeRun(root, { ...file, again: ['d-1'] }, ideas);
  await noteAbandoned(root, ref.project, 'a-1');
  await keep(root, ref.project, 'b-1', { verb: 'skip', at: new Date(0).toISOString() });
  await noteAbandoned(root, ref.project, 'd-1');
  source = new RunSource(context(), ref, () => {}, new KeptGone());
  const model = await source.open();
  expect(model.state).toBe('idle');
  expect(model.counts).toMatchObject({ total: 4, todo: 2, skipped: 2 });
  expect(listsOf(model).ready).toEqual(['c-1', 'd-1']);
  // Its events overrule that.
  await tell({ kind: 'idea', idea: 'b-1', title: 'b-1', status: 'pending' });
  await until('the event', async () => model.counts.todo === 3);
});
