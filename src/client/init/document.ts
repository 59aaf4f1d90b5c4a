/**
 * Writes the text of a first `ralphctl.yaml`: the findings, and the keys that people change next, each with a comment.
 * Pure.
 */

import { readdir } from 'node:fs/promises';
import { stringify } from 'yaml';
import { backlogsIn } from '../../backlog/index.js';
import { CONFIG_FILES } from '../../config/file-names.js';
import { foldersUpTo } from '../../config/load.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Proposal } from './proposal.js';

export interface Findings extends Proposal {
  /** Installed agents, the proposed one first. */
  agents: readonly string[];
  target?: string;
  /** Relative to the folder of the configuration. */
  backlog?: string;
  /** Of a backlog of another tool. */
  backlogFormat?: FormatName;
  /** What was read in the backlog, or why it cannot be read. */
  backlogSays?: string;
  /** Files of which a person has to choose one. */
  backlogs?: readonly string[];
  /** Folder of the configuration, relative to the top of the repository; absent for the top. */
  folder?: string;
}

export function configDocument(found: Findings): string {
  const [agent, ...others] = found.agents;
  const value = (data: unknown): string => stringify(data, { lineWidth: 0 }).trimEnd();
  const lines = [
    '# Configuration of ralphctl. All keys: ralphctl help config. Check it with: ralphctl doctor',
    ...(found.folder === undefined
      ? []
      : [`# It applies to ralphctl in ${found.folder}. Commands still run at the top of the repository.`]),
    'version: 1',
    '',
    '# Branch that finished work lands on.',
    found.target === undefined ? '# target: main' : value({ target: found.target }),
    '',
    ...backlogLines(found).map((line) => (typeof line === 'string' ? line : value(line))),
    '',
    '# Agent that does the work: claude, codex, gemini, opencode, aider, copilot, qwen, pi, or your own (ralphctl help agents).',
    agent === undefined
      ? '# agent: claude        # none was found on PATH\n# agent: scripted      # for a rehearsal without a model, with a script of yours (ralphctl help agents)'
      : value({ agent }),
    others.length > 0
      ? `# Other installed agents can take over at a usage limit:\n# ${value({ fallback: [...others] }).replaceAll('\n', '\n# ')}`
      : '# fallback: []',
    '',
    '# Number of agents that run at once.',
    'slots: 3',
    '',
    '# Commands that must all pass before anything lands, in this order.',
    ...gateLines(found),
    '',
    '# Prepares a fresh checkout, e.g. installs dependencies.',
    ...setupLines(found),
    '',
    '# Limits of one idea. Without them, a roadmap task gets 30 iterations with ralph: true and a single one without,',
    '# and an idea of another backlog 50.',
    '# maxIterations: 30',
    '# timeoutMinutes: 30',
  ];
  return `${lines.join('\n')}\n`;
}

function backlogLines({ backlog, backlogFormat, backlogSays, backlogs }: Findings): (string | object)[] {
  const head = '# File with the ideas: roadmap.md, ideas as YAML or JSON, or a backlog of another tool.';
  if (backlogs)
    return [
      head,
      '# More than one file could be it. Choose one:',
      ...backlogs.map((one) => `# backlog: ${JSON.stringify(one)}`),
    ];
  if (backlog === undefined) return [head, '# backlog: roadmap.md'];
  return [
    head,
    ...(backlogSays === undefined ? [] : [`# ${backlogSays}`]),
    { backlog, ...(backlogFormat === undefined ? {} : { backlogFormat }) },
  ];
}

function gateLines({ gate, missing }: Findings): string[] {
  const others = missing.map(
    ({ run, from, program }) =>
      `# Left out, because ${program} is not installed: ${JSON.stringify(run)} (from ${from})`,
  );
  if (gate.length === 0)
    return [
      '# None found. Without a gate, only the agent says that work is done.',
      '# gate:',
      '#   - npm test',
      ...others,
    ];
  return ['gate:', ...gate.map(({ run, from }) => `  - ${JSON.stringify(run)} # from ${from}`), ...others];
}

function setupLines({ setup }: Findings): string[] {
  if (!setup)
    return ['# setup:', '#   run: npm ci        # or pip install -r requirements.txt, and so on', '#   copy: [.env]'];
  return ['setup:', `  run: ${JSON.stringify(setup.run)} # from ${setup.from}`, '  # copy: [.env]'];
}

/* Finds the folder for `init`: in a monorepo, the project around the current folder. Reads only. */

/** A folder with one of these files is a project of its own. */
const MARKS = new Set<string>([
  ...CONFIG_FILES,
  'package.json',
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'requirements.txt',
  'Cargo.toml',
  'go.mod',
  'Gemfile',
  'composer.json',
  'mix.exs',
  'Makefile',
  'gradlew',
  'pom.xml',
  'deno.json',
  'deno.jsonc',
]);

/** The nearest folder from `from` up to `root` that is a project; otherwise `root`. */
export async function projectFolder(from: string, root: string): Promise<string> {
  for (const dir of await foldersUpTo(from, root)) {
    const names = await readdir(dir).catch(() => []);
    if (names.some((name) => MARKS.has(name)) || (await backlogsIn(dir)).length > 0) return dir;
  }
  return root;
}
