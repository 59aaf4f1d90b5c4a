/** An idea with nothing special about it. */
import type { Idea } from '../../src/protocol/idea.js';

export const idea = (id: string, more: Partial<Idea> = {}): Idea => ({
  id,
  title: `Do ${id}`,
  text: `Do ${id} well.`,
  blue: false,
  dependsOn: [],
  tags: [],
  done: false,
  ralph: true,
  success: [],
  allowEmpty: false,
  source: { file: 'roadmap.md', line: 1 },
  ...more,
});
