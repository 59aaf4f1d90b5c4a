/** The report of a real run: when it is over, without a server, and beside the run after it. Features: G1 G2 G4. */
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import type { LedgerRow } from '../../src/protocol/ledger.js';
import { type Report, reportSchema } from '../../src/report/schema.js';
import { NIGHT_FILES, playNight, REPAIRED } from '../support/night.js';
import { cliPath, roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox;
let runId: string;
beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), NIGHT_FILES);
  runId = await playNight(box);
}, 300_000);
afterAll(() => box?.dispose());

const read = async (...args: string[]): Promise<Report> => {
  const { json, code, stderr } = await box.run('report', '--json', ...args);
  expect(code, stderr).toBe(0);
  return reportSchema.parse(json[0]);
};

const projectId = async (): Promise<string> => (await box.run('status', '--json')).json[0]?.project as string;

it('says what to do first, each with its command, then what landed, and why the rest did not', async () => {
  const { code, stdout } = await box.run('report');
  expect(code).toBe(0);
  const place = (text: string): number => {
    expect(stdout).toContain(text);
    return stdout.indexOf(text);
  };
  const order = [
    '3 landed   5 not   ',
    'TO DO (5)',
    '? ask-1        Which colour?',
    'ralphctl answer ask-1 "…", then: ralphctl start',
    '⊗ block-1      the deploy key is not available',
    'ralphctl abandon block-1',
    '✗ fail-1       ',
    '◔ red-1        2 of 2 iterations used; 2 times in a row the gate was red',
    'branch ralph/red-1 is kept, 2 commits',
    'LANDED (3)',
    '✓ land-1       Make the <b>table</b> & its index',
    'the agents did not report their cost',
    'ALSO NOT LANDED (1)',
    '· after-1      after: waits for block-1',
    'WORTH A LOOK',
    '1 answer',
    'commits: git log ',
  ].map(place);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

it('has commits and lines of each landing from git, and the gate of the last one', async () => {
  const report = await read();
  expect(report.run).toMatchObject({ runId, over: true, state: 'stopped', target: 'main' });
  const shown = new Map(report.landed.map((one) => [one.idea, one]));
  expect([...shown.keys()].sort()).toEqual(['land-1', 'land-2', 'told-1']);
  for (const [id, added] of [
    ['land-1', 2],
    ['land-2', 2],
    ['told-1', 1],
  ] as const) {
    // A landing also ticks the backlog: one line out, one in.
    expect(shown.get(id)?.lines, id).toEqual({ added: added + 1, deleted: 1 });
  }
  expect(shown.get('told-1')?.said).toMatchObject([{ verb: 'answer', text: expect.stringContaining('half even') }]);
  expect(shown.get('land-2')?.runs.map(({ signal }) => signal)).toEqual(['PROGRESS 40', 'COMPLETE']);
  expect(report.target).toMatchObject({ green: true, to: await box.git('rev-parse', 'main') });
  const range = `${report.target?.from}..${report.target?.to}`;
  expect(await box.git('log', '--format=%s', range)).toContain('#told-1');
  expect(report.slots.flatMap(({ bars }) => bars).filter(({ kind }) => kind === 'agent').length).toBe(
    report.counts.runs ?? report.counts.iterations,
  );
});

it('tells the same without a server, and as Markdown', async () => {
  const [before, after] = await Promise.all([
    box.run('report'),
    // An address where nobody answers.
    execa(process.execPath, [cliPath, 'report'], {
      cwd: box.repo,
      env: { ...box.env, TEMPORAL_ADDRESS: '127.0.0.1:9' },
      extendEnv: false,
    }),
  ]);
  expect(after.stdout).toBe(before.stdout);
  const { stdout } = await box.run('report', '--md');
  expect(stdout).toContain('## To do (5)');
  expect(stdout).toContain('Make the &lt;b&gt;table&lt;/b&gt; &amp; its index');
});

it('names what is missing', async () => {
  const { code, stderr } = await box.run('report', '--run', 'nope');
  expect(code).toBe(6);
  expect(stderr).toContain('there is no run nope. List the runs: ralphctl runs');
});

it('keeps the report with the run, and writes a page', async () => {
  const { stdout, stderr } = await box.run('report', '--html');
  const path = stdout.trim();
  expect(path, stderr).toMatch(new RegExp(`${runId}/report\\.html$`));
  const page = await readFile(path, 'utf8');
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(page).toContain('Make the &lt;b&gt;table&lt;/b&gt; &amp; its index');
  expect(await readFile(path.replace(/html$/, 'md'), 'utf8')).toBe(`${(await box.run('report', '--md')).stdout}\n`);
  const other = await box.run('report', '--html', join(box.scratch, 'page.html'));
  expect(other.code, other.stderr).toBe(0);
  expect(await readFile(join(box.scratch, 'page.html'), 'utf8')).toContain('</html>');
  for (const page of [path, join(box.scratch, 'page.html')])
    expect(await readFile(page, 'utf8')).toContain('<summary>last gate output</summary>');
  expect((await box.run('report', '--html', '/nowhere/page.html')).stderr).toContain('Name another file');
  expect((await box.run('report', '--md', '--json')).code).toBe(2);
});

it('shows an idea after the run: card, timeline, gate, and one agent run', async () => {
  const { code, stdout, stderr } = await box.run('show', 'told-1');
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^repo › told-1 {2}Round the prices\n┌ ✓ landed ─+ \d\d:\d\d on main ─┐/);
  expect(stdout).toContain('you said: half even, please');
  expect(stdout).toMatch(/#1 .*NEEDS_/);
  expect(stdout).toMatch(/#2 .*COMPLETE/);
  expect(stdout).toContain('last gate on the merged tree: green');
  expect(stdout).not.toContain('R roll back');
  const red = (await box.run('show', 'red-1')).stdout;
  expect(red).toContain('┌ ◔ timed out ');
  expect(red).toMatch(/branch +ralph\/red-1, 2 commits/);
  expect(red).toContain('ralphctl start continues from its branch');
  const one = (await box.run('show', 'told-1', '--iteration', '2')).stdout;
  expect(one).toMatch(/^told-1 agent run 2, iteration \d/);
  expect(one).toContain('half even, please');
  expect(one).toMatch(/── gate ──\ngreen/);
  const [asked] = (await box.run('show', 'told-1', '--iteration', '1', '--json')).json;
  expect(asked).toMatchObject({
    ...{ idea: 'told-1', runId, serial: 1, number: 1, agent: 'scripted', outcome: 'ok' },
    ...{ signal: { kind: 'needs-human' }, prompt: expect.stringContaining('Round the prices') },
    ...{ words: expect.stringContaining('NEEDS_HUMAN'), dir: expect.stringMatching(/\/told-1\/001$/) },
  });
  const [data] = (await box.run('show', 'told-1', '--json')).json;
  expect(data).toMatchObject({ idea: 'told-1', status: 'landed', iterations: 2, run: { runId } });
  const missing = await box.run('show', 'told-9');
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('no run of this project has an idea told-9. Did you mean told-1?');
});

it('gives a reader of raw output that is slow to begin all of it', async () => {
  const dir = join(box.env.RALPHCTL_HOME ?? '', 'projects', await projectId(), 'runs', runId, 'ideas', 'land-1', '001');
  const printed = await readFile(join(dir, 'output.log'), 'utf8');
  const whole = `${printed}${'more of it, and more\n'.repeat(100_000)}the last line\n`;
  await writeFile(join(dir, 'output.log'), whole);
  const command = `${process.execPath} ${cliPath} logs land-1 --raw --iteration 1 | (sleep 2; cat)`;
  const { stdout } = await execa('sh', ['-c', command], { cwd: box.repo, env: box.env, extendEnv: false });
  await writeFile(join(dir, 'output.log'), printed);
  // The output of its gate follows.
  expect(stdout.length).toBeGreaterThanOrEqual(whole.length - 1);
  expect(stdout.startsWith(whole.trimEnd())).toBe(true);
});

it('E5: the ledger has a chain for every idea, with hashes of what it is about, and shows where it broke', async () => {
  const { json, code } = await box.run('ledger', '--json');
  expect(code).toBe(0);
  const rows = json as unknown as LedgerRow[];
  const of = (idea: string) => rows.filter((row) => row.idea === idea);
  const steps = (idea: string) =>
    of(idea).map(({ op, kind, pass }) => [kind ?? op, pass].filter((one) => one !== undefined));
  expect(steps('land-1').slice(0, 4)).toEqual([['commit'], ['claim'], ['fix-applied', true], ['build', true]]);
  expect(steps('land-1').at(-1)).toEqual(['submit', true]);
  expect(steps('red-1').filter(([step]) => step === 'build')).toEqual([
    ['build', false],
    ['build', false],
  ]);
  expect(steps('red-1').at(-1)).toEqual(['submit', false]);
  // A question that nobody answered is no failure.
  expect(steps('ask-1').at(-1)).toEqual(['progress', true]);
  expect(steps('after-1')).toEqual([['commit']]);

  const places = new Map(rows.map(({ id, n }) => [id, n]));
  expect(places.size).toBe(rows.length);
  for (const { n, refs } of rows) for (const ref of refs) expect(places.get(ref)).toBeLessThan(n);

  const work = of('land-1').find(({ kind }) => kind === 'fix-applied');
  expect(work).toMatchObject({
    run: runId,
    actor: { kind: 'agent', name: 'scripted' },
    durationMs: expect.any(Number),
  });
  expect(work?.data).toMatchObject({ serial: 1, commits: 1, linesAdded: 2, linesRemoved: 0, filesChanged: ['table'] });
  const dir = join(box.env.RALPHCTL_HOME ?? '', 'projects', await projectId(), 'runs', runId, 'ideas', 'land-1', '001');
  const prompt = createHash('sha256')
    .update(await readFile(join(dir, 'prompt.md')))
    .digest('hex');
  expect(work?.hashes?.prompt).toBe(prompt);
  const landed = new Map((await read()).landed.map((one) => [one.idea, one.commit]));
  expect(of('land-1').at(-1)?.data.commit).toContain(landed.get('land-1'));

  const red = (await box.run('ledger', 'red-1')).stdout;
  for (const part of [
    'red-1 in run',
    ': timed out (',
    'planned: ',
    'took it, on ralph/red-1 from',
    'gate red: test ! -e broken',
  ])
    expect(red).toContain(part);
  expect(red).toMatch(/the chain broke at #\d+: gate red: .*exit code 4/);
  const all = (await box.run('ledger')).stdout;
  expect(all).toMatch(/^land-2 +landed, .*$/m);
  expect(all).toMatch(/^block-1 +blocked, .*; broke at #\d+: ended as blocked: the deploy key is not available$/m);
  expect((await box.run('ledger', 'land-9')).stderr).toContain('Did you mean "land-');
});

it('E5: the ledger ends an idea whose set-up is red: no agent run of it began', async () => {
  const other = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'a-1', text: 'Never begun' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'], setup: { run: 'exit 3' } },
      errors: { maxRetries: 0 },
    }),
  });
  onTestFinished(() => other.dispose());
  const { stdout, stderr } = await other.run('start', '--json', '--wait');
  const rows = (await other.run('ledger', '--json')).json as unknown as LedgerRow[];
  expect(
    rows.map(({ op, pass }) => [op, pass]),
    `${stderr}${stdout}`,
  ).toEqual([
    ['commit', undefined],
    ['submit', false],
  ]);
  expect((await other.run('ledger')).stdout).toMatch(
    /^a-1 +failed, .*; broke at #2: ended as failed: The setup command failed .*\(exit 3\)/m,
  );
});

it('E5: ledger verify finds a change in the middle, export writes one document, and both name what they cannot do', async () => {
  const whole = await box.run('ledger', 'verify', '--json');
  expect(whole).toMatchObject({ code: 0, json: [{ whole: true, faults: [], torn: false }] });
  const { file, head } = whole.json[0] as { file: string; head: string };
  expect((await box.run('ledger', 'verify', '--head', head)).code).toBe(0);
  // The head of an empty ledger is the beginning of every other.
  expect((await box.run('ledger', 'verify', '--head', `0:${'0'.repeat(64)}`)).code).toBe(0);
  const before = await readFile(file, 'utf8');
  try {
    await writeFile(file, before.replace('"exitCode":4', '"exitCode":0'));
    const changed = await box.run('ledger', 'verify');
    expect(changed).toMatchObject({ code: 7 });
    expect(changed.stdout).toMatch(/^line \d+: operation \d+ does not follow operation \d+: someone changed/);
    expect((await box.run('ledger')).stderr).toContain('is not whole');
    // Without its last line, the chain is whole, but the head is gone.
    await writeFile(file, before.slice(0, before.lastIndexOf('\n', before.length - 2) + 1));
    expect((await box.run('ledger', 'verify')).code).toBe(0);
    const shorter = await box.run('ledger', 'verify', '--head', head);
    expect(shorter).toMatchObject({ code: 7 });
    expect(shorter.stdout).toContain('the chain is whole');
    expect(shorter.stdout).toContain('so operations at its end were removed');
  } finally {
    await writeFile(file, before);
  }
  const out = join(box.scratch, 'ledger.json');
  expect((await box.run('ledger', 'export', '--out', out)).code).toBe(0);
  const document = JSON.parse(await readFile(out, 'utf8')) as {
    operations: number;
    chains: { idea: string; outcome: string }[];
  };
  expect(document.chains.find(({ idea }) => idea === 'land-1')?.outcome).toBe('landed');
  expect(document.operations).toBe(before.split('\n').length - 1);
  // Evidence is the same wherever it goes: no local times, no signs of another locale.
  const locale = { LANG: 'C', LC_ALL: 'C' };
  const options = { cwd: box.repo, env: { ...box.env, ...locale } };
  const { stdout: printed } = await execa(process.execPath, [cliPath, 'ledger', 'export'], options);
  const ofAnyTime = (text: string): string => text.replace(/"exportedAt": ".*"/, '').trim();
  expect(ofAnyTime(printed)).toBe(ofAnyTime(await readFile(out, 'utf8')));
  expect(await box.run('ledger', 'export', '--out', out)).toMatchObject({ code: 2 });
  for (const [to, said] of [
    ['.', `is a folder. Name a file in it: --out ${join(box.repo, 'ledger.json')}`],
    [join(box.scratch, 'none/ledger.json'), `Create it: mkdir -p ${join(box.scratch, 'none')}`],
  ] as const) {
    const refused = await box.run('ledger', 'export', '--out', to);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(said);
  }
  const other = await box.run('ledger', 'verify', '--head', `1:${'0'.repeat(64)}`);
  expect(other).toMatchObject({ code: 7 });
  expect(other.stdout).toContain('the chain is whole');
  expect(other.stdout).toContain('operation 1 has another hash, so it or one before it was changed');
  expect(await box.run('ledger', '--since', 'soon')).toMatchObject({ code: 2 });
});

it('C5 G4: what a person said after the run is kept for the next start, and is no longer to do', async () => {
  expect((await box.run('retry', 'fail-1')).code).toBe(0);
  expect((await box.run('limit', 'red-1', '3')).code).toBe(0);
  expect((await box.run('skip', 'block-1')).code).toBe(0);
  const asked = (await read()).todo.find(({ idea }) => idea === 'ask-1');
  expect(asked?.commands).toEqual(['ralphctl answer ask-1 "…"', 'ralphctl start']);
  expect((await box.run('answer', 'ask-1', 'green')).code).toBe(0);
  const report = await read();
  const open = new Map(report.open.map((one) => [one.idea, one]));
  expect(open.get('fail-1')).toMatchObject({ state: 'failed', queued: true, forNext: ['retry fail-1'] });
  expect(report.todo.map(({ subject }) => subject)).toEqual(['red-1', 'queued', 'block-1']);
  expect(open.get('ask-1')).toMatchObject({ state: 'asks', answered: true, forNext: ['answer for ask-1'] });
  const { stdout } = await box.run('report');
  expect(stdout).toMatch(
    /TO DO \(3\)[\s\S]*! queued +you queued 1 idea for the next start: fail-1\. you answered 1 idea: ask-1[\s\S]*! block-1 +a start leaves it out, and it is needed first by after-1/,
  );
  expect(stdout).toMatch(/◔ red-1[\s\S]*kept for the next start: limit red-1 \+3/);
  expect(stdout).toMatch(/✗ fail-1 +failed: .*; queued for the next start/);
  expect(stdout).toMatch(/⊗ block-1 +blocked: .*; the next run leaves it out/);
  const page = await box.run('report', '--html', '-');
  expect(page.stdout).toContain('queued for the next start');
  expect((await box.run('runs')).stdout).toMatch(/fail-1 +failed .* queued/);
});

it('lists all runs, and an old report says what landed since', async () => {
  const text = await readFile(join(box.repo, 'roadmap.md'), 'utf8');
  expect(text).toContain('Do fail-1');
  await box.write({ 'roadmap.md': text.replace('Do fail-1', `Do fail-1, ${REPAIRED}`) });
  await box.commit('repair');
  for (const idea of ['red-1', 'ask-1', 'block-1']) await box.run('abandon', idea);
  const started = await box.run('start', '--no-wait');
  expect(started.stdout).toContain('1 landed');
  // The first part of the report, and where the whole is.
  expect(started.stdout).toMatch(/TO DO \(1\)\n {2}! block-1 .*needed first by after-1\n +ralphctl retry block-1/);
  const page = /as a page: (\S+)/.exec(started.stdout)?.[1] ?? '';
  expect(await readFile(page, 'utf8')).toContain('fail-1');

  const { stdout } = await box.run('runs');
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^repo {3}2 runs {3}this month 4 landed/);
  // Three ideas were given up: they wait for nobody.
  expect(lines[2]).toMatch(/^today \d\d:\d\d +\S+ {2}(✓ completed|◫ stopped) +1 +1 +1 +– /);
  expect((await read()).counts).toMatchObject({ landed: 1, open: 1, leftOut: 3 });
  expect(lines[3]).toMatch(new RegExp(`◫ stopped +3 +5 +\\d+ +– +${runId}`));
  expect((await box.run('runs', '--json')).json.map((run) => run.landed)).toEqual([1, 3]);

  const old = await read('--run', runId);
  expect(old.counts).toMatchObject({ landed: 3, open: 5 });
  expect(old.counts).not.toHaveProperty('leftOut');
  expect(old.open.find(({ idea }) => idea === 'fail-1')?.later).toMatch(/^landed /);
  const again = (await box.run('show', 'fail-1')).stdout;
  expect(again).toContain('✓ landed');
  expect(again).toMatch(new RegExp(`in other runs\\n {2}✗ failed .*ralphctl show fail-1 --run ${runId}`));
}, 300_000);

it('G4 C5: landed work that a person took off the target is named everywhere, with its commit and how it runs again', async () => {
  const again = 'ralphctl retry fail-1';
  const commands = [again, 'ralphctl start'];
  await box.git('rm', '-q', 'repaired');
  await box.git('commit', '-q', '-m', 'not wanted');
  const by = await box.git('rev-parse', '--short=8', 'main');
  const words = new RegExp(`fail-1 landed as [0-9a-f]{8}, and ${by} \\(not wanted\\) took it off main again`);
  const report = await read();
  expect(report.counts).toMatchObject({ landed: 1, gone: 1 });
  expect(report.todo).toContainEqual(
    expect.objectContaining({ subject: 'fail-1', text: expect.stringMatching(words), commands }),
  );
  expect((await box.run('report')).stdout).toContain('1 landed in this run (4 in all)   1 of all 4 no longer on main');
  const status = await box.run('status');
  expect(status.stdout).toMatch(words);
  expect(status.stdout).toContain(`Run it again with: ${again}, then: ralphctl start`);
  expect((await box.run('status', '--json')).json[0]?.gone).toMatchObject([{ idea: 'fail-1', command: again }]);
  expect((await box.run('runs')).stdout).toMatch(words);
  const shown = (await box.run('show', 'fail-1')).stdout;
  expect(shown).toMatch(/target +fail-1 landed as .* took it off main again/);
  expect(shown).toMatch(new RegExp(`what helps now\\n {2}${again}`));
  const why = (await box.run('why', 'fail-1')).stdout;
  expect(why).toMatch(words);
  expect(why).toContain('status taken off: fail-1 landed as');
  expect(why).toContain(`possible now:\n  ${again} (with this, the next start runs it again)`);
  expect(why).not.toContain('ralphctl rollback');

  // The branch moved back behind the landing.
  await box.git('reset', '-q', '--hard', 'main~2');
  const rewound = /fail-1 landed as [0-9a-f]{8}, which main does not contain any more: it was reset or rewritten/;
  expect((await read()).todo).toContainEqual(
    expect.objectContaining({ subject: 'fail-1', text: expect.stringMatching(rewound), commands: ['ralphctl start'] }),
  );
  expect((await box.run('status')).stdout).toMatch(
    new RegExp(`${rewound.source}. Run it again with: ralphctl start$`, 'm'),
  );
  expect((await box.run('rollback', 'fail-1')).stderr).toMatch(rewound);
  // The same without a reflog, which a bare repository does not have either.
  await rm(join(box.repo, '.git/logs/refs/heads/main'));
  expect((await box.run('status')).stdout).toMatch(rewound);
  expect((await box.run('show', 'fail-1')).stdout).toContain('┌ ⊖ taken off the target ');
  expect((await box.run('start', '--dry-run')).stdout).toMatch(new RegExp(`${rewound.source}. It runs again`));

  // The branch itself is gone: one loss, with the command that brings it back.
  await box.git('checkout', '-q', '--detach');
  await box.git('branch', '-q', '-D', 'main');
  const lost = 'the branch main does not exist any more, and all that landed on it is gone: fail-1';
  const bring = /git branch main ([0-9a-f]{8})/;
  const [task] = (await read()).todo.filter(({ subject }) => subject === 'main');
  expect(task).toMatchObject({ text: lost, commands: [expect.stringMatching(bring)] });
  for (const view of ['status', 'report', 'runs']) {
    const { stdout } = await box.run(view);
    expect(stdout, view).toContain(lost);
    expect(stdout, view).toMatch(bring);
  }
  const refused = await box.run('rollback', 'fail-1');
  expect(refused.code).toBe(7);
  expect(refused.stderr).toMatch(/that branch does not exist any more\. Bring it back with: git branch main/);
  expect(refused.stderr).not.toContain('the gate runs');
  await box.git('branch', 'main', bring.exec(task?.commands[0] ?? '')?.[1] ?? '');
  await box.git('checkout', '-q', 'main');
  expect((await box.run('status')).stdout).not.toMatch(/fail-1|does not exist/);
});

it('G4: logs without a run takes the last run that worked on the idea, and says which', async () => {
  const logs = await box.run('logs', 'told-1');
  expect(logs.code, logs.stderr).toBe(0);
  expect(logs.stderr).toMatch(
    new RegExp(`run \\S+ did not work on told-1\\. This is run ${runId}, the last one that did`),
  );
  expect(logs.stdout).toContain('NEEDS_HUMAN');
  const advice = (await box.run('show', 'told-1')).stdout;
  expect(advice).toMatch(/what helps now\n(?: {2}.*\n)* {2}ralphctl logs told-1$/m);
  expect((await box.run('show', 'fail-1', '--run', runId)).stdout).toContain(`ralphctl logs fail-1 --run ${runId}`);
  expect((await box.run('show', 'after-1')).stdout).not.toContain('ralphctl logs');
  expect((await box.run('why', 'after-1')).stdout).not.toContain('ralphctl logs');
});
