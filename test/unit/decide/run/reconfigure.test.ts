/** Another configuration in a run that goes on. Feature: A7. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/load.js';
import { Autopilot, firstState } from '../../../../src/decide/run/autopilot.js';
import { settingsOf } from '../../../../src/run-files/settings.js';
import { card, decided } from '../support.js';

const settings = (text: string) => settingsOf(parseConfig(text, 'ralphctl.yaml'));
const agents = (name: string) => ({ default: name, fallback: [], accounts: { [name]: name } });

function run(text: string, ideas: string[]) {
  const opened = { agentsQueue: 'a', gitQueue: 'g', target: 'main', cards: ideas.map((id) => card(id)), landed: [] };
  return new Autopilot(firstState({ ...opened, agents: agents('one') }, settings(text), 0), settings(text));
}
const read = (text: string, agent = 'one') => ({ settings: settings(text), agents: agents(agent), limits: {} });

describe('a configuration that was read anew', () => {
  it('more slots start ready ideas at once', () => {
    const pilot = run('slots: 1', ['a', 'b', 'c']);
    expect(decided(pilot)).toEqual(['start a @1 one']);
    pilot.configured(read('slots: 2'));
    expect(decided(pilot)).toEqual(['start b @2 one']);
  });

  it('what a person said about slots stays, unless the file says something else than before', () => {
    const pilot = run('slots: 1', ['a', 'b', 'c']);
    pilot.setSlots(3);
    pilot.configured(read('slots: 1\nmaxIterations: 5'));
    expect(pilot.state.slots).toBe(3);
    pilot.configured(read('slots: 2'));
    expect(pilot.state.slots).toBe(2);
  });

  it('another default agent is told to ideas that run', () => {
    const pilot = run('slots: 1', ['a']);
    decided(pilot);
    pilot.configured(read('slots: 1', 'two'));
    expect(decided(pilot)).toEqual(['agent a two']);
  });

  it('a budget that allows more lets a run go on that its budget paused; a raise stays on top', () => {
    const pilot = run('budget: {run: {iterations: 2}}', ['a', 'b']);
    decided(pilot);
    const { budget } = pilot.state;
    if (!budget) throw new Error('no budget');
    budget.run.iterations = 2;
    decided(pilot);
    expect(pilot.state.run).toBe('pausing');
    pilot.configured(read('budget: {run: {iterations: 5}}'));
    decided(pilot);
    expect(pilot.state.run).toBe('running');
  });

  it('a budget that comes with the reload counts from then on', () => {
    const pilot = run('slots: 1', ['a']);
    expect(pilot.state.budget).toBeUndefined();
    pilot.configured(read('budget: {run: {dollars: 3}}'));
    expect(pilot.state.budget).toBeDefined();
  });

  it('one that could not be read changes nothing and is told', () => {
    const pilot = run('slots: 1', ['a']);
    pilot.notConfigured('it is not on this host');
    expect(pilot.takeTold()).toEqual([{ verb: 'reload-config', refusal: 'it is not on this host' }]);
  });

  it('needs the number of a revision', () => {
    const pilot = run('slots: 1', ['a']);
    expect(pilot.commandProblem({ verb: 'reload-config' })).toContain('ralphctl config reload');
    expect(pilot.command({ verb: 'reload-config', revision: 4 })).toHaveProperty('done');
    expect(decided(pilot)).toContain('configure 4');
  });
});
