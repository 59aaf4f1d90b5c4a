/** docs/recipes.md, as it stands: each configuration is read from there and lands ideas in a repository of its kind. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

/** Each worktree installs for itself, which takes a busy machine minutes. */
const SLOW = { timeout: 600_000 };

let box: Sandbox;
afterEach(() => box?.dispose());

/** The first block of a language in a section of the recipes. */
async function recipe(section: string, language: 'yaml' | 'markdown' = 'yaml'): Promise<string> {
  const text = await readFile(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
  const [, body = ''] = text.split(`\n## ${section}\n`);
  const block = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(body.split('\n## ')[0] ?? '')?.[1];
  expect(block, section).toBeDefined();
  return block ?? '';
}
/** One idea after another, so that the second gets the worktree of the first. */
const scripted = (configuration: string): string => `${configuration}agent: scripted\nslots: 1\nstepDelayMs: 0\n`;
const two = roadmap([{ id: 't-1' }, { id: 't-2', depends: 't-1' }]);

async function repository(files: Record<string, string>, script: object): Promise<void> {
  box = await sandbox(inject('stateRoot'), { ...files, '.ralph-script.yaml': yaml(script) });
}

/** `at`: folder that it is called in. */
async function doctorIsContent(at = ''): Promise<void> {
  const doctor = await box.run('-C', join(box.repo, at), 'doctor');
  expect(doctor.code, doctor.stdout).toBe(0);
  expect(doctor.stdout).toContain('green in a fresh worktree of main');
  expect(doctor.stdout).not.toContain('files left behind');
}
async function landsAll(ids: string[], at = ''): Promise<void> {
  const folder = ['-C', join(box.repo, at)];
  const run = await box.run(...folder, 'start', '--json', '--no-wait');
  expect(run.code, `${run.stdout}\n${run.stderr}`).toBe(0);
  const landed = await box.git('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main');
  expect([...new Set(landed.split('\n').filter(Boolean))].sort()).toEqual([...ids].sort());
}
const files = async (): Promise<string[]> => (await box.git('ls-tree', '-r', '--name-only', 'main')).split('\n');

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
const WORK = { append: { path: '${IDEA}.txt', text: 'work\n' } };
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in

describe('recipes', () => {
  it('npm without a lock file: the checker is installed, and no lock file is committed', SLOW, async () => {
    const checker = { name: 'checker', version: '1.0.0', bin: 'cli.js' };
    await repository(
      {
        'roadmap.md': two,
        '.gitignore': 'node_modules/\n',
        'package.json': JSON.stringify({ scripts: { test: 'checker' }, devDependencies: { checker: 'file:checker' } }),
        'checker/package.json': JSON.stringify(checker),
        'checker/cli.js': '#!/usr/bin/env node\nconsole.log("checked");\n',
        'ralphctl.yaml': scripted(await recipe('npm without a lock file')),
      },
      { default: [{ do: [WORK], signal: 'COMPLETE' }] },
    );
    // As npm makes them, which links to folders of the repository instead of unpacking.
    await chmod(join(box.repo, 'checker/cli.js'), 0o755);
    await box.commit('executable');
    await doctorIsContent();
    await landsAll(['t-1', 't-2']);
    expect(await files()).not.toContain('package-lock.json');
  });

  it(
    'Python with a virtual environment: it works in the next worktree, and when its list has changed',
    SLOW,
    async () => {
      await repository(
        {
          'roadmap.md': two,
          '.gitignore': '.venv/\n__pycache__/\n',
          'ralphctl.yaml': scripted(await recipe('Python with a virtual environment')),
        },
        {
          ideas: {
            't-2': [
              { do: [WORK, { append: { path: 'requirements.txt', text: '# and no more\n' } }], signal: 'COMPLETE' },
            ],
          },
          default: [{ do: [WORK], signal: 'COMPLETE' }],
        },
      );
      await wheel();
      await box.write({ 'requirements.txt': './wheels/pytest-99.0-py3-none-any.whl\n' });
      await box.commit('what is required');
      await landsAll(['t-1', 't-2']);
    },
  );

  it('a folder of a monorepo: its own file, backlog and checks', SLOW, async () => {
    const workspace = { private: true, workspaces: ['apps/*', 'tools/*'] };
    await repository(
      {
        '.gitignore': 'node_modules/\n',
        'package.json': JSON.stringify(workspace),
        'tools/checker/package.json': JSON.stringify({ name: 'checker', version: '1.0.0', bin: 'cli.js' }),
        'tools/checker/cli.js': '#!/usr/bin/env node\nconsole.log("checked");\n',
        'apps/web/package.json': JSON.stringify({ name: 'web', version: '1.0.0', scripts: { test: 'checker' } }),
        'apps/web/roadmap.md': two,
        'apps/web/ralphctl.yaml': scripted(await recipe('A folder of a monorepo')),
      },
      { default: [{ do: [WORK], signal: 'COMPLETE' }] },
    );
    await execa('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], { cwd: box.repo });
    await chmod(join(box.repo, 'tools/checker/cli.js'), 0o755);
    await box.commit('lock file');
    await doctorIsContent('apps/web');
    await landsAll(['t-1', 't-2'], 'apps/web');
    expect(await box.git('show', 'main:apps/web/roadmap.md')).toMatch(/\[x\] \*\*t-1\*\*[\s\S]*\[x\] \*\*t-2\*\*/);
  });

  it('submodules: they are there for agents and gates, and stay where they point', async () => {
    await repository(
      {
        'roadmap.md': two,
        '.gitignore': 'built\n',
        Makefile: 'lib:\n\tcp vendor/lib/source.txt built\ntest:\n\tgrep -q source built\n',
        'ralphctl.yaml': scripted(await recipe('Submodules')),
      },
      { default: [{ do: [{ run: 'test -s vendor/lib/source.txt' }, WORK], signal: 'COMPLETE' }] },
    );
    const lib = join(box.scratch, 'lib');
    await box.git('init', '-q', '--initial-branch=main', lib);
    await writeFile(join(lib, 'source.txt'), 'source\n');
    await box.git('-C', lib, 'add', '.');
    await box.git('-C', lib, '-c', 'user.name=A', '-c', 'user.email=a@localhost', 'commit', '-qm', 'lib');
    await box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'vendor/lib');
    await box.commit('a submodule');
    const link = await box.git('rev-parse', 'main:vendor/lib');
    await doctorIsContent();
    expect(await box.git('worktree', 'list')).not.toContain('\n');
    await landsAll(['t-1', 't-2']);
    expect(await box.git('rev-parse', 'main:vendor/lib')).toBe(link);
  });

  it('a repository without tests: what does not parse is fixed before it lands', async () => {
    const section = 'A repository without tests';
    const test = "import test from 'node:test';\ntest('is there', () => {});\n";
    const broken = { write: { path: 'login.js', text: 'export const login = (;\n' } };
    const fixed = { write: { path: 'login.js', text: 'export const login = () => true;\n' } };
    await repository(
      {
        'roadmap.md': await recipe(section, 'markdown'),
        'index.js': 'export const one = 1;\n',
        'package.json': '{"type":"module"}\n',
        'ralphctl.yaml': scripted(await recipe(section)),
      },
      {
        ideas: {
          'tests-001': [{ do: [{ write: { path: 'test/index.test.js', text: test } }], signal: 'COMPLETE' }],
          'login-001': [
            { do: [broken], signal: 'COMPLETE' },
            { do: [fixed], signal: 'COMPLETE' },
          ],
        },
      },
    );
    await doctorIsContent();
    await landsAll(['tests-001', 'login-001']);
    expect(await box.git('show', 'main:login.js')).toBe('export const login = () => true;');
  });
});

/** A package that needs no index: a `pytest` that is always content. */
async function wheel(): Promise<void> {
  const info = 'pytest-99.0.dist-info';
  await box.write({
    'build/pytest/__init__.py': 'def main():\n    print("1 passed in 0.01s")\n',
    [`build/${info}/METADATA`]: 'Metadata-Version: 2.1\nName: pytest\nVersion: 99.0\n',
    [`build/${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`build/${info}/entry_points.txt`]: '[console_scripts]\npytest = pytest:main\n',
    [`build/${info}/RECORD`]: '',
    'wheels/.keep': '',
  });
  const zip = ['-m', 'zipfile', '-c', '../wheels/pytest-99.0-py3-none-any.whl', 'pytest', info];
  await execa('python3', zip, { cwd: join(box.repo, 'build') });
}
