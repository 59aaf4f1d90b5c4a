/** The `awake` key of the configuration. Imports zod only. */
import { z } from 'zod';

export const awake = z
  .enum(['on', 'always', 'off'])
  .default('on')
  .describe(
    'Keep the machine awake while agents, gates and landings run, where systemd-inhibit or caffeinate can. on: not on battery. always: on battery, too. off: never.',
  );

export type AwakeMode = z.output<typeof awake>;

/** Of a run, which has none where an older version began it. */
export const awakeOf = (config: { awake?: AwakeMode | undefined }): AwakeMode => config.awake ?? 'on';
