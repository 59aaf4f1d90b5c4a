/** Every error class of the program: a person reads it and the CLI exits with its code, or it is listed as internal. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { explain } from '../../../src/client/output.js';
import { EXIT, type ExitCode, UserError } from '../../../src/protocol/user-error.js';

const SRC = join(import.meta.dirname, '../../../src');

/** They never reach a command: somebody turns each into an error for people, a check or a failure of an idea. */
const INTERNAL = [
  'ForgeError',
  'GitEnded',
  'GitError',
  'InputError',
  'NoFileError',
  'PipesRemoved',
  'Refused',
  'RemoteChanged',
  'ShellError',
  'TooComplexError',
  'TrackerError',
  'Unreachable',
  'WorkError',
];

const problems = [{ file: 'roadmap.md', line: 3, message: 'no title', fix: 'write one' }];
const owner = { pid: 4711, startTime: '1', bootId: 'boot' };
/** How each class is made, the text of its fix, its exit code. */
const SAMPLES: Record<string, { args: unknown[]; fix?: string; exit?: ExitCode }> = {
  UserError: {
    args: ['no run is open. Start one with: ralphctl start', EXIT.noRun, 'ralphctl start'],
    fix: 'ralphctl start',
    exit: EXIT.noRun,
  },
  UndoRefused: {
    args: ['a-1 stays landed: main has later changes. Free it with: ralphctl sync', EXIT.refused, 'ralphctl sync'],
    fix: 'ralphctl sync',
    exit: EXIT.refused,
  },
  ProblemsError: { args: [problems], fix: 'write one' },
  ConfigError: { args: [problems], fix: 'write one' },
  BacklogError: { args: [problems], fix: 'write one' },
  StoredFileError: { args: ['/runs/run.json', 'broken', 'is damaged', 'Remove it'], fix: 'Remove it' },
  RepositoryError: { args: ['The branch is gone.', 'Make it again.'], fix: 'Make it again.' },
  TargetBusy: { args: ['A merge is in progress.', 'Finish it.'], fix: 'Finish it.' },
  TemplateError: { args: ['The prompt template uses {{x}}.'] },
  AgentConfigError: { args: ['there is no agent x'] },
  ScriptError: { args: ['It needs a text.'] },
  SetupError: { args: ['npm ci failed', 'tail'] },
  SystemError: {
    args: ['ENOSPC', '/state/x', 'cannot write /state/x: the disk is full (ENOSPC)', 'Free space'],
    fix: 'Free space',
  },
  RunClosed: { args: ['run-1', { cause: new Error('out of memory') }], exit: EXIT.noRun },
  LockTimeoutError: { args: ['/locks/a', owner, 1_000], fix: 'ps -fp 4711', exit: EXIT.unreachable },
  ServerStartError: { args: ['it ended', 'disk full', '/server.log'], fix: '/server.log', exit: EXIT.unreachable },
};

interface Found {
  name: string;
  file: string;
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const classes: Found[] = sources.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/class (\w+) extends \w*Error\b/g)].map(([, name = '']) => ({
    name,
    file,
  })),
);

const forPeople = classes.filter(({ name }) => !INTERNAL.includes(name));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('errors of the program', () => {
  it('are listed here, each with a sample or as internal', () => {
    expect(classes.map(({ name }) => name).sort()).toEqual([...Object.keys(SAMPLES), ...INTERNAL].sort());
  });

  it.each(forPeople)(
    '$name is for people: printed as it stands, with its fix and exit code',
    async ({ name, file }) => {
      const sample = SAMPLES[name];
      if (!sample) throw new Error(`no sample of ${name}`);
      const module = (await import(join(SRC, file))) as Record<string, new (...args: unknown[]) => Error>;
      const make = module[name];
      if (!make) throw new Error(`${file} does not export ${name}`);
      const error = new make(...sample.args);
      expect(error).toBeInstanceOf(UserError);
      expect(error.name).toBe(name);
      const text = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const)
        vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
          text[stream] += String(chunk);
          return true;
        });
      const exit = sample.exit ?? EXIT.usage;
      expect(explain(error, false)).toBe(exit);
      expect(text.stderr).toBe(`ralphctl: ${error.message}\n`);
      expect(text.stderr).toContain(sample.fix ?? error.message);
      expect(explain(error, true)).toBe(exit);
      const record = JSON.parse(text.stdout) as Record<string, unknown>;
      expect(record).toMatchObject({ kind: 'error', message: error.message, exitCode: exit });
      if (sample.fix === undefined) expect(record).not.toHaveProperty('fix');
      else expect(record.fix).toContain(sample.fix);
      expect(record.problems).toEqual(sample.args[0] === problems ? problems : undefined);
    },
  );

  it('and any other error is a fault of ralphctl', () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(explain(new TypeError('x is undefined'), false)).toBe(EXIT.internal);
  });
});
