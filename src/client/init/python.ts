/** Checks and installation of a Python project. Reads only. */
import type { Candidate, Candidates, Read } from './proposal.js';
import { NOTHING } from './proposal.js';

const TOOLS: readonly (readonly [tool: string, args: string])[] = [
  ['ruff', 'ruff check .'],
  ['mypy', 'mypy .'],
  ['pytest', 'pytest -q'],
];
const REQUIREMENTS = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt'];
/** Extras of a package that contain its test tools. */
const EXTRAS = ['dev', 'test', 'tests', 'testing', 'lint'];

const names = (text: string, tool: string): boolean =>
  new RegExp(`(?:^|[\\s"'[.])${tool}(?:$|[\\s"'\\]=<>~.[,])`, 'm').test(text);

export interface PythonTests {
  /** File names in a folder of the project. */
  list: (folder: string) => Promise<string[]>;
  installed: (program: string) => Promise<boolean>;
}

export async function python(read: Read, tests: PythonTests): Promise<Candidates> {
  const named = await tools(read);
  const pytest = named.gate.find(({ run }) => /\bpytest\b/.test(run));
  const runs = pytest && (await Promise.all(pytest.needs.map(tests.installed))).every(Boolean);
  if (runs) return named;
  const found = await unittest(read, tests.list);
  if (!found) return named;
  const { setup } = named;
  if (setup && setup.run !== '') {
    const by = (/^(uv|poetry) /.exec(setup.run) ?? [])[1];
    const run = by
      ? `${by} run ${found.run.replace(/^python3/, 'python')}`
      : found.run.replace(/^python3/, '.venv/bin/python');
    return { gate: [...named.gate, { ...found, run, needs: setup.needs }], setup };
  }
  const needed = (await requirements(read)).filter(({ text }) => /^\s*[^#\s]/m.test(text));
  if (needed.length === 0) return { gate: [...named.gate, found] };
  const install = needed.map(({ file }) => `-r ${file}`).join(' ');
  return {
    gate: [...named.gate, { ...found, run: found.run.replace(/^python3/, '.venv/bin/python') }],
    setup: {
      run: `python3 -m venv .venv && .venv/bin/python -m pip install -q ${install}`,
      from: needed[0]?.file ?? '',
      needs: ['python3'],
    },
  };
}

/** Discovery enters packages only, so the command names a folder without `__init__.py`. */
async function unittest(read: Read, list: PythonTests['list']): Promise<Candidate | undefined> {
  for (const folder of ['', 'tests', 'test']) {
    const names = await list(folder);
    for (const name of names.filter((one) => /^test.*\.py$/.test(one))) {
      const from = folder === '' ? name : `${folder}/${name}`;
      if (!/^\s*(?:import|from)\s+unittest\b/m.test((await read(from)) ?? '')) continue;
      const whole = folder === '' || names.includes('__init__.py');
      return { run: `python3 -m unittest${whole ? '' : ` discover -s ${folder}`}`, from, needs: ['python3'] };
    }
  }
  return undefined;
}

async function tools(read: Read): Promise<Candidates> {
  const [project = '', setupCfg = ''] = await Promise.all(['pyproject.toml', 'setup.cfg'].map(read));
  const lists = await requirements(read);
  const all = [project, setupCfg, ...lists.map(({ text }) => text)].join('\n');
  if (all.trim() === '') return NOTHING;
  const from = project ? 'pyproject.toml' : (lists[0]?.file ?? 'setup.cfg');
  const used = TOOLS.filter(([tool]) => names(all, tool));
  const through = (manager: string): Candidate[] =>
    used.map(([, args]) => ({ run: `${manager} run ${args}`, from, needs: [manager] }));
  if ((await read('uv.lock')) !== undefined) {
    return { gate: through('uv'), setup: { run: 'uv sync --frozen', from: 'uv.lock', needs: ['uv'] } };
  }
  if ((await read('poetry.lock')) !== undefined) {
    return { gate: through('poetry'), setup: { run: 'poetry install', from: 'poetry.lock', needs: ['poetry'] } };
  }
  return inVenv(used, project, lists, from);
}

/**
 * Without a package manager: a virtual environment with the listed dependencies. A tool that the project only
 * configures is not in it, so it must be on PATH.
 */
function inVenv(
  used: readonly (readonly [tool: string, args: string])[],
  project: string,
  lists: readonly { file: string; text: string }[],
  from: string,
): Candidates {
  const extras = EXTRAS.filter((name) => extra(project, name) !== undefined);
  const listed = [...lists.map(({ text }) => text), ...extras.map((name) => extra(project, name) ?? '')].join('\n');
  const gate = used.map(([tool, args]): Candidate => {
    if (!names(listed, tool)) return { run: args, from, needs: [tool] };
    return { run: `.venv/bin/python -m ${args}`, from, needs: ['python3'] };
  });
  if (!gate.some(({ run }) => run.startsWith('.venv/'))) return { gate };
  const install = [
    ...lists.map(({ file }) => `-r ${file}`),
    ...(extras.length > 0 ? [`-e '.[${extras.join(',')}]'`] : []),
  ].join(' ');
  const run = `python3 -m venv .venv && .venv/bin/python -m pip install -q ${install}`;
  return { gate, setup: { run, from: lists[0]?.file ?? from, needs: ['python3'] } };
}

async function requirements(read: Read): Promise<{ file: string; text: string }[]> {
  const texts = await Promise.all(REQUIREMENTS.map(async (file) => ({ file, text: await read(file) })));
  return texts.filter((one): one is { file: string; text: string } => one.text !== undefined);
}

/** The list of one extra in `[project.optional-dependencies]`, as text. */
function extra(project: string, name: string): string | undefined {
  const table = /^\[project\.optional-dependencies\]\s*$([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(project)?.[1] ?? '';
  return new RegExp(`^${name}\\s*=\\s*\\[([\\s\\S]*?)\\]\\s*$`, 'm').exec(table)?.[1];
}
