/**
 * tasks.md of GitHub's spec-kit: `specs/<feature>/tasks.md`, tasks `T001 [P] [US1] text`. Tasks run in order. Adjacent
 * tasks with [P] do not wait for each other.
 */
import type { Idea } from '../../protocol/idea.js';
import { type Box, below, boxEntry, boxesOf, taskList, unnumbered } from './boxes.js';
import { folderOf, from, ideaOf, inStages, scoped } from './common.js';
import { formatOf, type Read } from './format.js';
import { isTicked, type MdLine } from './md-lines.js';
import type { Source } from './source.js';

const TASK = /^\**(T\d{3,}[a-z]?)\**:?\s+((?:\[[^\]]+\]\s*)*)(.*)$/;

const taskOf = ({ checkbox }: MdLine): RegExpExecArray | null =>
  checkbox && /[ xX]/.test(checkbox.mark) ? TASK.exec(checkbox.text) : null;

export const specKit = formatOf({
  name: 'spec-kit',
  about: 'tasks.md of spec-kit (specs/*/tasks.md)',
  place: ({ path }) => /(?:^|\/)specs\/[^/]+\/tasks\.md$/i.test(path) && !/(?:^|\/)\.kiro\//.test(path),
  shape: (source) => source.markdown && source.lines().some((line) => taskOf(line) !== null),
  read,
});

function read(source: Source): Read {
  const { file, path } = source;
  const lines = source.lines();
  const feature = specKit.place(source) ? folderOf(path) : undefined;
  const folder = from(path, 'specs');
  const found = boxesOf(lines).flatMap((box) => {
    const match = taskOf(box);
    return match ? [{ box, match, parallel: /\[P\]/i.test(match[2] ?? '') }] : [];
  });
  const entries = found.map(({ box, match }) =>
    boxEntry(ideaAt(box, match, { file, lines, feature, folder }), box.checkbox),
  );
  inStages(
    stagesOf(
      found.map(({ box, parallel }, at) => ({
        idea: entries[at]?.idea as Idea,
        parallel,
        phase: box.headings.join('\n'),
      })),
    ),
  );
  const list = taskList(entries, source, {
    isTask: (line) => taskOf(line) !== null,
    twice: 'give one of them another number',
    none: 'this file contains no task of spec-kit',
    example: '- [ ] T001 what to do',
  });
  return { ...list, leftOut: unnumbered(lines, (line) => taskOf(line)?.[1]) };
}

interface Around {
  file: string;
  lines: readonly MdLine[];
  feature: string | undefined;
  folder: string | undefined;
}

function ideaAt(box: Box, match: RegExpExecArray, { file, lines, feature, folder }: Around): Idea {
  const story = /\[(US\d+)\]/i.exec(match[2] ?? '')?.[1];
  const [phase] = box.headings.slice(1);
  return ideaOf({
    ...{ file, line: box.line, id: scoped(feature, match[1] ?? ''), title: match[3] || (match[1] ?? '') },
    done: isTicked(box.checkbox),
    ...(phase === undefined ? {} : { phase }),
    tags: story === undefined ? [] : [story.toUpperCase()],
    body: [
      below(lines, box, (line) => taskOf(line) !== null).join('\n'),
      story === undefined ? undefined : `It is part of user story ${story.toUpperCase()}.`,
      folder === undefined
        ? undefined
        : `The specification is in \`${folder}/\`: spec.md, plan.md and the files beside them.`,
    ],
  });
}

/** Adjacent tasks with [P] under one heading form a stage; any other task forms its own stage. */
function stagesOf(tasks: readonly { idea: Idea; parallel: boolean; phase: string }[]): Idea[][] {
  const stages: { ideas: Idea[]; open: string | undefined }[] = [];
  for (const { idea, parallel, phase } of tasks) {
    const last = stages.at(-1);
    if (parallel && last?.open === phase) last.ideas.push(idea);
    else stages.push({ ideas: [idea], open: parallel ? phase : undefined });
  }
  return stages.map(({ ideas }) => ideas);
}
