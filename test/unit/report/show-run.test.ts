/** `show` names the state of the run in words; `show --json` keeps the constant. Feature: G1. */
import { expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { showJson, showText } from '../../../src/report/show.js';
import { idea, NOW } from '../screen/shop.js';

it('G1: the run of an idea that a person has to start', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'Do it')]);
  fold(model, { at: new Date(NOW).toISOString(), kind: 'run', state: 'waiting_user', landed: 0, total: 1 });
  const one = model.ideas.get('a-1') ?? expect.fail('a-1');
  const shown = { model, idea: one, now: NOW, commands: [], others: [] };
  const text = showText(shown);
  expect(text.find((line) => line.startsWith('  run '))).toBe('  run        r, waits for you to start ideas');
  expect(text.join('\n')).not.toContain('waiting_user');
  expect(showJson(shown).run).toMatchObject({ state: 'waiting_user' });
});
