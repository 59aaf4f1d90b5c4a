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

const TOPICS: Readonly<Record<string, readonly Source[]>> = {
  signals: [
    { file: 'agents.md', only: ['Signals'] },
    { file: 'steering.md', only: ['Temporal signals'] },
  ],
  backlog: [
    { file: 'configuration.md', only: ['roadmap.md', 'ideas.yaml, ideas.json'] },
    { file: 'backlog-formats.md', without: ['Adding a format'] },
  ],
  'exit-codes': [{ file: 'cli.md', only: ['Exit codes'] }],
  config: [{ file: 'configuration.md', without: ['roadmap.md', 'ideas.yaml, ideas.json'] }],
  agents: [{ file: 'agents.md', without: ['Tests with the real programs', 'Adding an adapter'] }],
  steering: [{ file: 'steering.md', without: ['Temporal signals'] }],
  recipes: [{ file: 'recipes.md' }],
  troubleshooting: [{ file: 'troubleshooting.md' }],
};

export const TOPIC_NAMES = Object.keys(TOPICS);
export const isTopic = (name: string): boolean => Object.hasOwn(TOPICS, name);

/** @throws UserError that names the topics */
export async function topicText(name: string, commands: readonly string[], columns: number): Promise<string> {
  const sources = isTopic(name) ? TOPICS[name] : undefined;
  if (!sources) {
    const { nearest } = await import('../../config/problems.js');
    const close = nearest(name, [...TOPIC_NAMES, ...commands]);
    const meant = close ? ` Did you mean ${close}?` : '';
    throw new UserError(
      `there is no command or help topic "${name}".${meant} Topics: ${TOPIC_NAMES.join(', ')}. Commands: ralphctl --help`,
    );
  }
  const { pageOf, plainText } = await import('./plain-text.js');
  const texts = await Promise.all(sources.map(async (source) => plainText(await chosen(source, pageOf), columns)));
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
