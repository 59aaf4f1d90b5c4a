/** Work that changes what the next run reads from the repository asks before it lands (B3, B10, F3). */
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { afterGate, type NextStep } from '../../src/decide/idea/completion.js';
import { type BenchOptions, bench, idea, say } from './bench.js';

const GATE = { gate: ['test ! -e broken'] };
const FILES = { 'ralphctl.yaml': 'version: 1\ngate: ["test ! -e broken"]\n', 'base.txt': 'base\n' };

/** What follows a claim after the agent did `work`. */
async function whatFollows(
  work: string,
  { link, ...options }: BenchOptions & { link?: string } = {},
): Promise<NextStep> {
  const agent = `cat > /dev/null\n${work}\necho x > n1\n${say('COMPLETE')}`;
  const b = await bench({ files: FILES, config: GATE, ...options, agent });
  if (link !== undefined) {
    await rm(join(b.repo, 'ralphctl.yaml'));
    await symlink(link, join(b.repo, 'ralphctl.yaml'));
    await b.commit('link');
  }
  const at = await b.prepare();
  const run = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
  const gate = await b.call(b.activities.runGate, input).done;
  return afterGate(run, gate, at.limits, { idea: 't-1' });
}

const asksAbout = (...paths: string[]) => ({
  do: 'ask',
  asking: 'tripwire',
  approve: paths.map((path) => `gate-file ${path}`),
});

describe('work that changes what the next run reads', () => {
  it.each([
    ['edits the gate of the configuration', "sed -i.old 's/test ! -e broken/exit 0/' ralphctl.yaml; rm *.old", 'yaml'],
    ['moves the configuration away', 'git mv ralphctl.yaml old.yaml', 'yaml'],
    ['writes a second configuration', "echo '{}' > ralphctl.json", 'json'],
  ])('asks: it %s', async (_what, work, ending) => {
    const next = await whatFollows(work);
    expect(next).toMatchObject(asksAbout(`ralphctl.${ending}`));
    expect(next).toMatchObject({ question: expect.stringContaining(`(ralphctl.${ending})`) });
  });

  it('asks in a single attempt', async () => {
    const next = await whatFollows('echo "agent: codex" >> ralphctl.yaml', { ideas: [idea('t-1', { ralph: false })] });
    expect(next).toMatchObject(asksAbout('ralphctl.yaml'));
  });

  it('asks where no gate is configured, for the first one, too', async () => {
    const next = await whatFollows(
      "printf 'agents: { sh: { command: [true] } }' > ralphctl.yml; echo '{}' > package.json",
      {
        files: { 'base.txt': 'base\n' },
        config: {},
      },
    );
    expect(next).toMatchObject(asksAbout('ralphctl.yml'));
    expect(next).toMatchObject({ question: expect.stringMatching(/^No gate is configured/) });
  });

  it('asks about the file that the configuration links to', async () => {
    const files = { ...FILES, 'settings/run.yaml': FILES['ralphctl.yaml'] };
    const next = await whatFollows('echo "slots: 1" >> settings/run.yaml', { files, link: 'settings/run.yaml' });
    expect(next).toMatchObject(asksAbout('settings/run.yaml'));
  });

  it('asks about the prompt template, and what set-up and agents run', async () => {
    const own = `cat > /dev/null\nfor file in prompt.md setup.sh tools/agent.sh; do echo '# x' >> $file; done\n`;
    const files = { 'prompt.md': '{{text}} {{signal}}\n', 'setup.sh': 'true\n' };
    const next = await whatFollows('', {
      files: { ...FILES, ...files, 'tools/agent.sh': `${own}${say('COMPLETE')}\nexit 0\n` },
      config: {
        ...GATE,
        prompt: { template: 'prompt.md' },
        setup: { run: 'sh setup.sh' },
        agents: { sh: { adapter: 'command', command: ['/bin/sh', 'tools/agent.sh'] } },
      },
    });
    expect(next).toMatchObject(asksAbout('prompt.md', 'setup.sh', 'tools/agent.sh'));
  });

  it('asks nothing with gateFiles: off, and after other work', async () => {
    const config = { gate: { commands: GATE.gate, tripwires: { gateFiles: 'off' } } };
    expect(await whatFollows('echo "slots: 1" >> ralphctl.yaml', { config })).toEqual({ do: 'ready' });
    expect(await whatFollows('echo more >> base.txt')).toEqual({ do: 'ready' });
  });
});
