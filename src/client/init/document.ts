/** The text of a first `ralphctl.yaml`: what was found, and the keys that people change next, each with a word. Pure. */
import { stringify } from 'yaml';
import type { Proposal } from './proposal.js';

export interface Findings extends Proposal {
  /** Installed agents, the proposed one first. */
  agents: readonly string[];
  target?: string;
  /** Relative to the folder of the configuration. */
  backlog?: string;
  /** Folder of the configuration, from the top of the repository, where it is another. */
  folder?: string;
}

export function configDocument(found: Findings): string {
  const [agent, ...others] = found.agents;
  const value = (data: unknown): string => stringify(data, { lineWidth: 0 }).trimEnd();
  const lines = [
    '# How ralphctl works in this repository. Every key: docs/configuration.md; check it with: ralphctl doctor',
    ...(found.folder === undefined
      ? []
      : [`# It counts for ralphctl called in ${found.folder}. Commands still run at the top of the repository.`]),
    'version: 1',
    '',
    '# Branch that finished work lands on.',
    found.target === undefined ? '# target: main' : value({ target: found.target }),
    '',
    '# Where the ideas stand: roadmap.md, or ideas as YAML or JSON.',
    found.backlog === undefined ? '# backlog: roadmap.md' : value({ backlog: found.backlog }),
    '',
    '# Who does the work. Known: claude, codex, gemini, opencode, aider, copilot, qwen, pi; your own: docs/agents.md',
    agent === undefined ? '# agent: claude        # none was found on PATH' : value({ agent }),
    others.length > 0
      ? `# Others found here can take over at a limit:\n# ${value({ fallback: [...others] }).replaceAll('\n', '\n# ')}`
      : '# fallback: []',
    '',
    '# How many of them at once.',
    'slots: 3',
    '',
    '# Commands that must all pass before anything lands, in this order.',
    ...gateLines(found),
    '',
    '# What makes a fresh checkout ready, e.g. installs dependencies.',
    ...setupLines(found),
    '',
    '# Limits of one idea. Tasks of a roadmap get 30 iterations where nothing is said, other ideas 50.',
    '# maxIterations: 30',
    '# timeoutMinutes: 30',
  ];
  return `${lines.join('\n')}\n`;
}

function gateLines({ gate, missing }: Findings): string[] {
  const others = missing.map(
    ({ run, from, program }) => `# Not proposed, as ${program} is not installed: ${JSON.stringify(run)} (from ${from})`,
  );
  if (gate.length === 0)
    return [
      '# None was found: without one, nothing but the agent says that work is good.',
      '# gate:',
      '#   - npm test',
      ...others,
    ];
  return ['gate:', ...gate.map(({ run, from }) => `  - ${JSON.stringify(run)} # from ${from}`), ...others];
}

function setupLines({ setup }: Findings): string[] {
  if (!setup) return ['# setup:', '#   run: npm ci', '#   copy: [.env]'];
  return ['setup:', `  run: ${JSON.stringify(setup.run)} # from ${setup.from}`, '  # copy: [.env]'];
}
