/** A run that stops takes no command to an idea: the screen offers none and promises nothing. Features: C1 C5 G5. */
import { expect, it } from 'vitest';
import { compose } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { mfaDetails, NOW, shop } from './shop.js';

const model = { ...shop(), state: 'stopping' as const };
const size = { columns: 120, rows: 40 };
const draw = (ui: Partial<Ui>) => {
  const { lines } = compose(model, { ...initialUi(), ...ui }, mfaDetails(), size, { colour: true, ascii: false }, NOW);
  return lines.map(plainLine);
};

it.each([
  ['run', 'mfa-001', /answer|hint|pause|stop/],
  ['needs', 'mfa-001', /answer|hint|give up/],
  ['ideas', 'search-001', /hint|pause|stop|iterations/],
] as const)('on %s the last line has no key that the run refuses', (screen, id, keys) => {
  const selected = { [screen]: { section: screen === 'run' ? ('needs' as const) : ('needs' as const), id } };
  expect(draw({ screen, selected: screen === 'ideas' ? { ideas: { id } } : selected }).at(-1)).not.toMatch(keys);
});

it('the page of an idea offers none either, and its key says what the run takes', () => {
  const ui: Partial<Ui> = { screen: 'idea', idea: 'mfa-001', tab: 'agent' };
  expect(draw(ui).join('\n')).not.toMatch(/a answer|i hint|x give up/);
  const seen = { model, details: mfaDetails(), places: [], ...size };
  const { ui: after, act } = press({ ...initialUi(), ...ui }, { name: 'a', text: 'a' }, seen);
  expect([act, after.answering]).toEqual([undefined, undefined]);
  expect(after.message?.text).toBe('the run is stopping. Possible now: abort. Once it has stopped, a answers it');
});

it('who types already reads that the run takes the answer once it has stopped', () => {
  const selected = { needs: { section: 'needs' as const, id: 'mfa-001' } };
  const typing = draw({ screen: 'needs', answering: 'mfa-001', selected }).join('\n');
  expect(typing).toContain('it takes an answer once it has stopped');
  expect(typing).not.toContain('it starts again');
  expect(draw({ screen: 'needs', selected }).join('\n')).toContain('once the run has stopped: a answer');
});
