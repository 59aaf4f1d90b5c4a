/** The default branch of the forge is renamed, or an open pull request gets another base. With the real `gh`. Features: D2. */
import { afterEach, describe, expect, it } from 'vitest';
import { checkRemote } from '../../src/client/doctor/remote.js';
import { parseConfig } from '../../src/config/load.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { renameDefault } from '../support/forge/pulls.js';
import { yaml } from '../support/program.js';
import { onGithub, reviewOf } from './pulls.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(
  `D2 another base than that of the run${leftOut(gh)}`,
  { timeout: 120_000 },
  () => {
    let forge: Forge;
    afterEach(() => forge?.close());
    const landing = { mode: 'pr', pr: { repo: 'github.localhost/me/shop' } };

    async function inReview() {
      const on = await onGithub(gh.path);
      forge = on.forge;
      const input = await on.at.works('t-1');
      return { ...on, input, ...(await reviewOf(on.at, input)) };
    }

    it('a renamed default branch is named by the look, by the landing and by doctor, with the way on', async () => {
      const { at, repo, pulls, input, look } = await inReview();
      renameDefault(repo, 'main', 'trunk');
      expect(await look()).toEqual({ kind: 'behind', why: 'it goes onto trunk now, and this run delivers to main' });
      const why = String(await at.land(input).catch((error: Error) => error.message));
      expect(why).toContain('origin has no branch main any more');
      expect(why).toContain('its default branch is trunk');
      expect(why).toContain('ralphctl start --target trunk');
      expect(pulls.size).toBe(1);
      const config = parseConfig(yaml({ version: 1, agent: 'scripted', gate: ['true'], landing }), 'ralphctl.yaml');
      expect(await checkRemote({ env: at.b.env }, at.b.repo, config, 'main')).toContainEqual(
        expect.objectContaining({
          state: 'fail',
          found: 'me/shop has no branch main; its default branch is trunk',
          fix: expect.stringContaining('git branch --move main trunk'),
        }),
      );
    });

    it('an open one that somebody put onto another branch gets no second one beside it', async () => {
      const { at, pulls, input, look } = await inReview();
      await at.inBare('branch', 'develop', 'main');
      Object.assign(pulls.get(1) ?? {}, { base: 'develop' });
      expect(await look()).toEqual({ kind: 'behind', why: 'it goes onto develop now, and this run delivers to main' });
      const why = String(await at.land(input).catch((error: Error) => error.message));
      expect(why).toContain('Pull request 1 of t-1 goes onto develop now');
      expect(pulls.size).toBe(1);
      Object.assign(pulls.get(1) ?? {}, { base: 'main' });
      expect(await at.land(input)).toMatchObject({ kind: 'in-review', pull: { number: 1 } });
    });
  },
);
