import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/protocol/user-error.js';
import { cliPath } from '../../support/program.js';

const doc = await readFile(fileURLToPath(new URL('../../../docs/cli.md', import.meta.url)), 'utf8');

const help = async (...args: string[]): Promise<string> =>
  (await execa(process.execPath, [cliPath, ...args, '--help'])).stdout;

/** Names in the lists of commands, without their arguments. Lists of options have dashes. */
function commandsIn(text: string): string[] {
  const list = text.split(/^Options:$/m)[1]?.split(/^Help topics/m)[0] ?? '';
  return [...list.matchAll(/^ {2}([a-z]+)\b/gm)].flatMap(([, name]) => (name ? [name] : []));
}

/** Long flags of a command itself, not those that every command has. */
function flagsIn(text: string): string[] {
  const own = text.split(/^Global Options:$/m)[0]?.split(/^Options:$/m)[1] ?? '';
  return [...own.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].flatMap(([, flag]) =>
    flag && flag !== '--help' ? [flag] : [],
  );
}

/** The section under the heading that names the command. */
function sectionOf(command: string): string | undefined {
  const sections = doc.split(/^## /m).slice(1);
  return sections.find((text) => (text.split('\n')[0] ?? '').split(/[ ,]+/).includes(command));
}

it('G6 docs/cli.md lists every kind of event', async () => {
  const source = await readFile(fileURLToPath(new URL('../../../src/protocol/events.ts', import.meta.url)), 'utf8');
  const kinds = new Set([...source.matchAll(/kind: '([a-z-]+)'/g)].map(([, kind]) => kind));
  const listed = /kinds ((?:`[a-z-]+`(?:, )?)+)/.exec(doc)?.[1] ?? '';
  expect(kinds.size).toBeGreaterThan(10);
  expect([...listed.matchAll(/`([a-z-]+)`/g)].map(([, kind]) => kind).sort()).toEqual([...kinds].sort());
});

describe('docs/cli.md', async () => {
  const commands = commandsIn(await help());

  it('is compared with a real list of commands', () => {
    expect(commands).toContain('start');
    expect(commands.length).toBeGreaterThan(10);
  });

  it.each(commands)('has a section with every flag of: %s', async (command) => {
    const section = sectionOf(command);
    expect(section, `docs/cli.md lacks a heading for ${command}`).toBeDefined();
    for (const flag of flagsIn(await help(command))) expect(section, `${command} ${flag}`).toContain(flag);
  });

  it('has no section for a command that does not exist', () => {
    const headings = doc.match(/^## .*$/gm) ?? [];
    const named = headings.flatMap((line) => line.slice(3).split(', ')).filter((name) => name !== 'Exit codes');
    expect(named.sort()).toEqual([...commands].sort());
  });

  it('names every subcommand of server', async () => {
    for (const name of commandsIn(await help('server')).filter((one) => one !== 'help'))
      expect(sectionOf('server')).toContain(name);
  });

  it('has exactly the exit codes of the program', () => {
    const rows = [...doc.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)] as const);
    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });
});
