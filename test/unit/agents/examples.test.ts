/** The examples are what people copy: they must be right. */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { buildPrompt, checkTemplate } from '../../../src/agents/prompt/prompt.js';
import { choose, readScript } from '../../../src/agents/scripted/script.js';
import type { Feedback } from '../../../src/protocol/agent-run.js';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const IDEA = { id: 'task-009', title: 'T', text: 'Do it.', success: [] };
const load = (name: string): Promise<string> => readFile(new URL(name, EXAMPLES), 'utf8');

describe('examples', () => {
  it('every script can be played', async () => {
    const files = (await readdir(new URL('scripted/', EXAMPLES))).filter((name) => name.endsWith('.yaml'));
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      const script = readScript(await load(`scripted/${file}`));
      for (const idea of Object.keys(script.ideas)) expect(choose(script, idea, 1, '')).toBeDefined();
    }
  });

  it('the template can be used', async () => {
    checkTemplate(await load('prompt-template.md'));
  });

  it('the reactions react to what the default prompt says', async () => {
    const script = readScript(await load('scripted/reactions.yaml'));
    const played = (feedback?: Feedback, notes: string[] = []) => {
      const prompt = buildPrompt({ idea: IDEA, iteration: 2, maxIterations: 9, nonce: 'n', notes, feedback });
      return script.default.indexOf(choose(script, IDEA.id, 2, prompt) ?? {});
    };
    expect(played({ kind: 'landing-conflict', files: ['a'], detail: '' })).toBe(0);
    expect(played({ kind: 'gate-failed', command: 'x', exitCode: 1, tail: '', log: '' })).toBe(1);
    expect(played(undefined, ['8081'])).toBe(2);
    expect(played()).toBe(3);
  });
});
