/**
 * Somebody renames the default branch on the forge while pull requests are in review: the run says so, and the next one
 * goes on with the same pull requests. Features: D2 C1.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type Delivering, delivering, onGithub, PATIENT_MS } from '../support/forge/delivering.js';
import { GITLAB_TEST_HOST } from '../support/forge/forge.js';
import { GLAB_STAND_IN, ghProgram, glabProgram, leftOut } from '../support/forge/programs.js';
import { mergePull, renameDefault } from '../support/forge/pulls.js';
import { until } from '../support/program.js';

const [gh, glab] = await Promise.all([ghProgram(), glabProgram()]);
const GITLAB = {
  owner: 'group/sub',
  address: `${GITLAB_TEST_HOST}/group/sub/shop`,
  program: glab.path ?? GLAB_STAND_IN,
};
const PLACES = [
  ...(gh.path === undefined ? [] : [['GitHub', onGithub(gh.path)] as const]),
  ['GitLab', GITLAB] as const,
];

describe(`D2 a renamed default branch${leftOut(gh)}`, () => {
  let all: Delivering | undefined;
  afterEach(() => all?.close());

  it.each(PLACES)(
    '%s: the run names it and the way on, and the next run lands the same requests',
    async (_, place) => {
      all = await delivering(place, ['a-1', 'b-1']);
      const { forge, held, repo, pulls, inBare, opened } = all;
      const { box } = held;
      await forge.glabSettings(box.scratch);
      await held.start();
      const [first, second] = [await opened('a-1'), await opened('b-1')];
      renameDefault(repo, 'main', 'trunk');
      await until(
        'what the run says',
        async () => (await box.run('status')).stdout.includes('it goes onto trunk now, and this run delivers to main'),
        PATIENT_MS,
      );
      expect((await box.run('stop')).code).toBe(0);
      await held.closed();
      // Its own branch is the one of the run still.
      const told = JSON.stringify((await box.run('doctor', '--quick', '--json')).json);
      expect(told).toContain('its default branch is trunk');
      const way =
        /If it was renamed to trunk: ralphctl stop; ([^"]*?); ralphctl start --target trunk/.exec(told)?.[1] ?? '';
      for (const command of way.split('; ')) await box.git(...command.split(' ').slice(1));
      expect(await box.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('trunk');
      const again = await box.run('start', '--target', 'trunk', '--detach');
      expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('onto trunk')]);
      const inReview = async (): Promise<boolean> => {
        const { stdout } = await box.run('status');
        return [first, second].every(({ number }) => stdout.includes(`in review as pull request ${number} `));
      };
      await until('both in review again', inReview, PATIENT_MS);
      for (const pull of [first, second]) mergePull(repo, pull.number, 'ann');
      expect(await held.finish()).toMatchObject({ notLanded: [] });
      expect(pulls.size).toBe(2);
      expect(await box.git('rev-parse', 'trunk')).toBe(await inBare('rev-parse', 'trunk'));
      expect((await box.run('report')).stdout).toContain('2 landed');
    },
    480_000,
  );
});
