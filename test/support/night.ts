/** A run in which ideas land, ask, fail, are blocked and time out, for what tells of it afterwards. */
import type { Sandbox } from './program.js';
import { roadmap, until, yaml } from './program.js';
import { whenOver } from './told.js';

const QUESTION = 'Round half up or half even?\n  a) half up\n  b) half even';

/** With these words in its text, the idea that fails lands. */
export const REPAIRED = 'the file is there now';

const SCRIPT = yaml({
  ideas: {
    'land-1': [{ do: [{ append: { path: 'table', text: 'one\ntwo\n' } }], signal: 'COMPLETE' }],
    'land-2': [
      { do: [{ append: { path: 'login', text: 'x\n' } }, { say: 'The page is there.' }], signal: 'PROGRESS: 40' },
      { do: [{ append: { path: 'login', text: 'y\n' } }], signal: 'COMPLETE' },
    ],
    'told-1': [
      {
        whenPrompt: { contains: 'half even, please' },
        do: [{ append: { path: 'prices', text: 'half even\n' } }],
        signal: 'COMPLETE',
      },
      { do: [], signal: `NEEDS_HUMAN: ${QUESTION}` },
    ],
    'ask-1': [{ do: [{ say: 'I looked at both ways.' }], signal: 'NEEDS_HUMAN: Which colour?' }],
    'red-1': [{ do: [{ append: { path: 'broken', text: 'x\n' } }], signal: 'COMPLETE' }],
    'block-1': [{ do: [], signal: 'BLOCKED: the deploy key is not available' }],
    'fail-1': [
      { whenPrompt: { contains: REPAIRED }, do: [{ append: { path: 'repaired', text: 'x\n' } }], signal: 'COMPLETE' },
      { do: [], exit: 3 },
    ],
  },
  default: [{ do: [], signal: 'none' }],
});

export const NIGHT_FILES: Record<string, string> = {
  'roadmap.md': roadmap([
    { id: 'land-1', text: 'Make the <b>table</b> & its index' },
    { id: 'land-2', text: 'Add a login page' },
    { id: 'told-1', text: 'Round the prices' },
    { id: 'ask-1', text: 'Ask what nobody answers' },
    { id: 'red-1', maxIterations: 2 },
    { id: 'block-1', text: 'Deploy it' },
    { id: 'after-1', dependsOn: 'block-1' },
    { id: 'fail-1' },
  ]),
  'ralphctl.yaml': yaml({
    ...{ version: 1, agent: 'scripted', slots: 4, stepDelayMs: 0, escalation: { steps: [] } },
    gate: ['test ! -e broken || (echo it is broken; exit 4)'],
    errors: { threshold: 50, maxRetries: 0 },
  }),
  '.ralph-script.yaml': SCRIPT,
};

type Counts = Record<string, number>;

/** Starts it, answers one question, and stops it once nothing moves. The run's id. */
export async function playNight(box: Sandbox): Promise<string> {
  const started = await box.run('start', '--detach', '--json');
  if (started.code !== 0) throw new Error(started.stderr);
  const counts = async (): Promise<Counts> => {
    const { json } = await box.run('status', '--json');
    return ((json[0]?.status as { counts?: Counts } | undefined)?.counts ?? {}) as Counts;
  };
  await until('both to ask', async () => ((await counts())['needs-human'] ?? 0) === 2, 120_000);
  const answered = await box.run('answer', 'told-1', 'half even, please');
  if (answered.code !== 0) throw new Error(answered.stderr);
  await until(
    'all to be over but one question',
    async () => {
      const now = await counts();
      return now.landed === 3 && now.timeout === 1 && now.blocked === 1 && now.failed === 1;
    },
    120_000,
  );
  await box.run('stop');
  await whenOver(box);
  return String(started.json[0]?.runId);
}
