/** The try-out in docs/agents.md, as it stands: its three files, a question, and everything lands. Features: D1. */
import { readFile } from 'node:fs/promises';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { type Sandbox, sandbox } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

/** The block after the line that begins with the name of a file. */
async function block(file: string): Promise<string> {
  const text = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('\n## A try-out without a model\n');
  const [, found] = new RegExp(`^\`${file}\`[^\n]*\n\n\`\`\`\\w+\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section) ?? [];
  expect(found, file).toBeDefined();
  return found ?? '';
}

it('D1: lands both ideas with the scripted agent and the answer of a person', async () => {
  const names = ['roadmap.md', 'ralphctl.yaml', '.ralph-script.yaml'];
  const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await block(name)] as const)));
  box = await sandbox(inject('stateRoot'), files);
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  await held.idea('colours-001', 'needs-human');
  expect((await box.run('answer', 'colours-001', 'blue')).code).toBe(0);
  expect((await held.finish()).notLanded).toEqual([]);
  expect(await box.git('show', 'main:hello.txt')).toBe('hello');
  expect(await box.git('show', 'main:colour.txt')).toBe('blue');
});
