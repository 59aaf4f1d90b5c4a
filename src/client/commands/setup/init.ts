/**
 * `ralphctl init`: inspects the project in the current folder and writes a first `ralphctl.yaml` there. It overwrites a
 * file only with --force.
 */
import { realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CONFIG_FILES } from '../../../config/file-names.js';
import { configFileIn, parseConfig } from '../../../config/load.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { which } from '../../../server/install/probe.js';
import { type Context, findProject, print, printJson, say } from '../../context.js';
import { findAgents } from '../../doctor/agents.js';
import { findBacklogFor } from '../../init/backlog.js';
import { proposeCommands } from '../../init/commands.js';
import { configDocument, type Findings, projectFolder } from '../../init/document.js';
import { safeLines } from '../../output.js';
import { clean } from '../../views/live-lines.js';

export interface InitOptions {
  force?: boolean;
  dryRun?: boolean;
}

export async function init(context: Context, options: InitOptions): Promise<number> {
  const { repository } = await findProject(context);
  const { root, branch } = repository;
  const dir = await projectFolder(context.cwd, root);
  const existing = await configFileIn(dir);
  if (existing && !options.force && !options.dryRun) {
    throw new UserError(
      `${existing} is there already; look at what would be proposed with --dry-run, or replace it with --force`,
    );
  }
  const [agents, commands, backlog] = await Promise.all([
    findAgents(context),
    proposeCommands({ dir, root, installed: async (program) => (await which(program, context.env)) !== undefined }),
    findBacklogFor(dir),
  ]);
  const found: Findings = {
    ...commands,
    agents: agents.map(({ entry }) => entry.adapter),
    target: branch,
    ...backlog,
    folder: dir === root ? undefined : relative(root, dir),
  };
  const file = existing ?? join(dir, CONFIG_FILES[0]);
  const text = file.endsWith('.json') ? asJson(found) : configDocument(found);
  parseConfig(text, file);
  if (options.dryRun) {
    if (context.json) printJson({ file, written: false, ...found });
    // Names of files and scripts are from the project.
    else process.stdout.write(safeLines(text));
    return EXIT.ok;
  }
  await writeFile(file, text, { flag: options.force ? 'w' : 'wx' });
  if (context.json) printJson({ file, written: true, ...found });
  else {
    print(`wrote ${relative(await realpath(context.cwd), file) || file}`);
    say(summary(found));
  }
  return EXIT.ok;
}

function asJson({ agents, target, backlog, backlogFormat, gate, setup }: Findings): string {
  const [agent] = agents;
  const config = {
    version: 1,
    target,
    backlog,
    backlogFormat,
    agent,
    gate: gate.map(({ run }) => run),
    setup: setup ? { run: setup.run } : undefined,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

export function summary(found: Findings): string {
  const { agents, gate, setup, missing, folder } = found;
  const lines = [
    agents.length > 0
      ? `agents found: ${agents.join(', ')}`
      : 'no agent CLI was found on PATH: install one, or set up any other program as a command agent (ralphctl help agents). To try ralphctl without an agent: ralphctl demo',
    gate.length > 0
      ? `gate: ${gate.map(({ run }) => run).join(' && ')}`
      : 'no test command was found: write yours under gate: in ralphctl.yaml, e.g. gate: [make test]',
    ...missing.map(({ run, program }) => `left out, as ${program} is not installed: ${run}`),
    ...(setup ? [`set-up: ${setup.run}`] : []),
    backlogText(found),
    'commit ralphctl.yaml and the backlog: a landing ticks only a line that is committed',
    `next: ${agents.length > 0 ? '' : 'install an agent, then '}ralphctl doctor, then ralphctl start${folder === undefined ? '' : `, both in ${folder}`}`,
  ];
  // The commands are from files of the project.
  return lines.map((line) => clean(line, Number.POSITIVE_INFINITY)).join('\n');
}

function backlogText({ backlog, backlogSays, backlogs }: Findings): string {
  if (backlogs)
    return `more than one file could be the backlog: ${backlogs.join(', ')}. Choose one in ralphctl.yaml: backlog: ${backlogs[0]}`;
  if (backlog === undefined)
    return 'no backlog yet: write roadmap.md, e.g. "- [ ] **task-001**: what to do". It gets one attempt; a line "  - ralph: true" below it allows more';
  return `backlog: ${backlog}${backlogSays === undefined ? '' : ` (${backlogSays})`}`;
}
