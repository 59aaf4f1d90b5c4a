/**
 * `ralphctl help TOPIC`: sections of the pages in docs/, which the package ships, as plain text. The pages are the only
 * source of these texts. Invariant: `--help` lists the topics, so nothing heavy is imported here at once.
 */
import { readFile } from 'node:fs/promises';
import { programFile } from '../../process/program-file.js';
import { UserError } from '../../protocol/user-error.js';
import type { Page } from './plain-text.js';

interface Source {
  file: string;
  /** Headings of the sections to print; absent: the whole page. */
  only?: readonly string[];
  /** Headings of sections that serve developers of ralphctl. */
  without?: readonly string[];
}

interface Topic {
  /** The line in the list of topics; it fits 80 columns. */
  about: string;
  pages: readonly Source[];
}

const TOPICS: Readonly<Record<string, Topic>> = {
  steering: {
    about: 'commands that change a run or an idea, by purpose',
    pages: [{ file: 'steering.md', without: ['Answering', 'Temporal signals'] }],
  },
  answering: {
    about: 'questions, approvals, what else waits for you',
    pages: [
      { file: 'steering.md', only: ['Answering'] },
      { file: 'cli.md', only: ['answer, hint'] },
    ],
  },
  config: {
    about: 'every key of ralphctl.yaml, and the environment',
    pages: [{ file: 'configuration.md', without: ['Alerts', 'roadmap.md', 'ideas.yaml, ideas.json'] }],
  },
  alerts: {
    about: 'alerts on the desktop, by webhook or by command',
    pages: [{ file: 'configuration.md', only: ['Alerts'] }],
  },
  backlog: {
    about: 'formats of a backlog, also those of other tools',
    pages: [
      { file: 'configuration.md', only: ['roadmap.md', 'ideas.yaml, ideas.json'] },
      { file: 'backlog-formats.md', without: ['Adding a format'] },
    ],
  },
  trackers: {
    about: 'ideas from GitHub, GitLab or a file of reports',
    pages: [{ file: 'trackers.md', without: ['How this is tested'] }],
  },
  triage: {
    about: 'which bug reports are worked on, and which are not',
    pages: [{ file: 'triage.md', without: ['How well the rules judge'] }],
  },
  waves: { about: 'ralphctl run: triage, fix the best, begin again', pages: [{ file: 'waves.md' }] },
  delivery: {
    about: 'what reaches the remote: pushes and pull requests',
    pages: [{ file: 'delivery.md' }],
  },
  agents: {
    about: 'what each agent needs, and how to connect your own',
    pages: [{ file: 'agents.md', without: ['Tests with the real programs', 'Adding an adapter'] }],
  },
  signals: {
    about: 'how an agent run ends, and signals of Temporal',
    pages: [
      { file: 'agents.md', only: ['Signals'] },
      { file: 'steering.md', only: ['Temporal signals'] },
    ],
  },
  'exit-codes': { about: 'what each exit code means', pages: [{ file: 'cli.md', only: ['Exit codes'] }] },
  service: {
    about: 'going on after a reboot; awake while agents run',
    pages: [{ file: 'service.md', without: ['How far this was tested'] }],
  },
  recipes: { about: 'settings for common projects', pages: [{ file: 'recipes.md' }] },
  troubleshooting: { about: 'what you see, what it means, what to do', pages: [{ file: 'troubleshooting.md' }] },
};

export const TOPIC_NAMES = Object.keys(TOPICS);
export const topicLines = (): [name: string, about: string][] =>
  Object.entries(TOPICS).map(([name, { about }]) => [name, about]);
export const isTopic = (name: string): boolean => Object.hasOwn(TOPICS, name);

/** @throws UserError that names the topics */
export async function topicText(name: string, commands: readonly string[], columns: number): Promise<string> {
  const topic = isTopic(name) ? TOPICS[name] : undefined;
  if (!topic) {
    const { nearest } = await import('../../config/problems.js');
    const close = nearest(name, [...TOPIC_NAMES, ...commands]);
    const meant = close ? ` Did you mean ${close}?` : '';
    throw new UserError(
      `there is no command or help topic "${name}".${meant} Topics: ${TOPIC_NAMES.join(', ')}. Commands: ralphctl --help`,
    );
  }
  const { pageOf, plainText } = await import('./plain-text.js');
  const texts = await Promise.all(topic.pages.map(async (source) => plainText(await chosen(source, pageOf), columns)));
  return texts.join('\n');
}

async function chosen({ file, only, without = [] }: Source, pageOf: (text: string) => Page): Promise<Page> {
  const path = programFile(`../docs/${file}`);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UserError(`cannot read the help page ${path}: ${error.message}. Install ralphctl again to get its pages`);
  });
  const page = pageOf(text);
  const missing = [...(only ?? []), ...without].find(
    (heading) => !page.sections.some((one) => one.heading === heading),
  );
  if (missing !== undefined) throw new Error(`docs/${file} has no section "${missing}"`);
  const sections = page.sections.filter(({ heading }) => (only ? only.includes(heading) : !without.includes(heading)));
  return { ...page, sections };
}
