/** The `triage` part of the configuration, for the waves of `ralphctl run`. Imports zod and this folder only. */
import { z } from 'zod';
import { name } from './common.js';

/** An agent reads reports while a wave is planned, and a plan has a quarter of an hour. */
const MOST_MINUTES = 10;

export const triage = z
  .strictObject({
    agent: name
      .default('off')
      .describe(
        'Agent that reads each new report before a wave takes it: whether it fits the project, whether code can fix it, how long that takes, and where. It costs agent runs. off: rules judge alone.',
      ),
    most: z
      .int()
      .min(1)
      .max(100)
      .default(20)
      .describe('Most reports that the agent reads for one wave, ten in an agent run. Rules judge the others.'),
    timeoutMinutes: z
      .number()
      .min(0.01)
      .max(MOST_MINUTES)
      .default(5)
      .describe('Minutes until one such agent run times out. Rules judge its reports then.'),
  })
  .prefault({})
  .describe('How `ralphctl run` judges the reports of its source.');
