/** Marks a landed idea as done in the text of its backlog, or takes that back, whatever the format. */
import { detect } from './detect.js';
import { tickIdeas } from './tick-ideas.js';
import { tickRoadmap } from './tick-roadmap.js';

export { tickIdeas, tickRoadmap };

/** The new text; undefined when nothing is to be changed: no such idea, it says so already, or a file that is not ours. */
export function tickBacklog(file: string, text: string, id: string, done = true): string | undefined {
  const found = detect(file, text);
  if ('problem' in found) return undefined;
  return found.format === 'roadmap' ? tickRoadmap(text, id, done) : tickIdeas(text, id, found.syntax, done);
}
