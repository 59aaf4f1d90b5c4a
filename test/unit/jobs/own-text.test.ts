/** D2: the text of a pull request tells of its commits now, and no word of a person goes. */
import { expect, it } from 'vitest';
import { renewed, withMark } from '../../../src/jobs/review/own-text.js';

const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
const END = '\n<!-- ralphctl idea a-1 -->';
const body = `${withMark('What it does.\n\n- first', one)}${END}`;
const next = `${withMark('What it does.\n\n- first\n- second', two)}${END}`;

it('replaces what it wrote about other commits, and only that', () => {
  expect(renewed(body, 'What it does.\n\n- first\n- second', two)).toBe(next);
  const around = `Stands on #1.\n\nA word.\n\n${body}\n\nAnother word.`;
  expect(renewed(around, 'What it does.\n\n- first\n- second', two)).toBe(
    `Stands on #1.\n\nA word.\n\n${next}\n\nAnother word.`,
  );
  expect(renewed(around.replaceAll('\n', '\r\n'), 'What it does.\n\n- first\n- second', two)).toBe(
    `Stands on #1.\n\nA word.\n\n${next}\n\nAnother word.`,
  );
});

it('changes nothing a second time, where a person changed it, or where it has no mark', () => {
  expect(renewed(next, 'other', two)).toBeUndefined();
  for (const edited of [
    body.replace('- first', '- [x] first'),
    body.replace('What it does.', ''),
    body.replace(/<!-- ralphctl text .*? -->/, ''),
    `<!-- ralphctl text ${'a'.repeat(16)} 999999 ${one} -->`,
    '',
  ])
    expect(renewed(edited, 'other', two)).toBeUndefined();
});

it('a text with the words of a mark is a text', () => {
  const text = `It writes <!-- ralphctl text ${'a'.repeat(16)} 3 ${one} --> below.`;
  const made = `${withMark(text, one)}${END}`;
  expect(renewed(made, 'new', two)).toBe(`${withMark('new', two)}${END}`);
});
