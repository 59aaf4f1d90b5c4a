/** Checks and installation of a Python project. Reads only. */
import type { Candidate, Candidates, Read } from './proposal.js';
import { NOTHING } from './proposal.js';

const TOOLS: readonly (readonly [tool: string, args: string])[] = [
  ['ruff', 'ruff check .'],
  ['mypy', 'mypy .'],
  ['pytest', 'pytest -q'],
];
const REQUIREMENTS = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt'];
/** Extras of a package that hold what checks it. */
const EXTRAS = ['dev', 'test', 'tests', 'testing', 'lint'];

const names = (text: string, tool: string): boolean =>
  new RegExp(`(?:^|[\\s"'[.])${tool}(?:$|[\\s"'\\]=<>~.[,])`, 'm').test(text);

export async function python(read: Read): Promise<Candidates> {
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
 * Without a manager of its own: a virtual environment with what the project lists. A tool that is only configured is not
 * in it, so it must be on PATH.
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
