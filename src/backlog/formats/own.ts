/** Defines roadmap.md, ideas.yaml and ideas.json as formats. */
import type { Syntax } from '../../config/located.js';
import { parseIdeas } from '../ideas.js';
import { parseRoadmap } from '../roadmap/roadmap.js';
import { tickIdeas, tickRoadmap } from '../tick.js';
import type { Format } from './format.js';
import type { Source } from './source.js';

/** A checkbox with an explicit id; only a roadmap has those. */
const OWN_ID =
  /^(?:\*\*[^*\s]+\*\*\s*:|`[^`\s]+`?\s*:|\*\*[^*\s]+:\*\*|`[^`\s]+:|(?=[^\s:]*(?:[\d_-]|\.\w))[A-Za-z0-9][\w.-]*:\s)/;
/** Every list of ideas contains at least one of these keys. */
const IDEAS = /(?:^|[\r\n])(?:ideas\s*:|-\s+id\s*:)/;

export const roadmap: Format = {
  name: 'roadmap',
  about: 'roadmap.md ("- [ ] **task-001**: what to do")',
  place: ({ name }) => /^roadmap\.md$/i.test(name),
  shape: (source) =>
    (source.markdown || source.ending === '') &&
    source.lines().some(({ checkbox }) => checkbox && OWN_ID.test(checkbox.text)),
  parse: ({ text, file }) => parseRoadmap(text, file),
  mark: ({ text }, id, done) => tickRoadmap(text, id, done),
};

const syntaxOf = ({ ending, text }: Source): Syntax =>
  ending === 'json' || (ending !== 'yaml' && ending !== 'yml' && /^\s*[[{]/.test(text)) ? 'json' : 'yaml';

export const ideas: Format = {
  name: 'ideas',
  about: 'ideas.yaml or ideas.json ("ideas:" with id and title)',
  place: ({ name }) => /^ideas\.(?:ya?ml|json)$/i.test(name),
  shape: ({ text, markdown }) =>
    !markdown && (IDEAS.test(text) || /^\s*\{\s*(?:"version"\s*:\s*1\s*,\s*)?"ideas"\s*:/.test(text)),
  parse: (source) => parseIdeas(source.text, source.file, syntaxOf(source)),
  mark: (source, id, done) => tickIdeas(source.text, id, syntaxOf(source), done),
};
