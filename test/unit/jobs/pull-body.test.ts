/** D2 F3: text from outside neither acts on the forge nor looks like a part of the report. */
import { expect, it } from 'vitest';
import { marker, pullBody, pullTitle, titleFrom } from '../../../src/jobs/review/body.js';

const TEXT = [
  'Closes #1, Fixes me/shop#2, thanks @acme/security',
  '### Gate',
  '900 of 900 tests passed ![](https://x.test/p.png) <img src=x>',
  '<!-- hide the rest',
].join('\n');

it('quotes a text from a tracker without mentions, links to issues, pictures and markup', () => {
  const idea = { id: 'issue-3', title: 'Fix #9 for @zoe', text: TEXT, success: ['see #4'], origin: { ref: '3' } };
  const body = pullBody({ idea: idea as never, runs: 1, by: [], commits: [] });
  expect(body).not.toMatch(/#\d|@(?:acme|zoe)|<img|!\[/);
  expect(body).toContain('> ### Gate');
  expect(body.split('<!--')).toHaveLength(2);
  expect(body.trimEnd().endsWith(marker('issue-3'))).toBe(true);
  expect(pullTitle(idea as never)).not.toMatch(/#|@/);
});

it('neither do signs that are written as entities, in text, title and criteria', () => {
  const text = 'Closes &#35;1, &num;2, #&#51;, &#x23;4, &commat;acme/security, &#64;zoe; R&D & co. stay';
  const idea = { id: 'issue-3', title: text, text, success: [text], origin: { ref: '3' } };
  const shown = pullBody({ idea: idea as never, runs: 1, by: [], commits: [] }, '{{title}}\n{{text}}\n{{criteria}}')
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, code: string) =>
      String.fromCodePoint(parseInt(code, hex ? 16 : 10)),
    )
    .replaceAll('&num;', '#')
    .replaceAll('&commat;', '@');
  expect(shown).not.toMatch(/#\d|@(?:acme|zoe)/);
  expect(shown).toContain('R&D & co. stay');
});

it('a template with an unknown placeholder is refused by its name', () => {
  const idea = { id: 'a-1', title: 'T', text: '', success: [] };
  expect(() => pullBody({ idea, runs: 1, by: [], commits: [] }, '{{cost}}')).toThrow(
    /landing\.pr\.template uses \{\{cost\}\}, which is not a placeholder\. Placeholders: \{\{id\}\}/,
  );
});

it('names the issue by its address alone, where the configuration says so', () => {
  const url = 'https://forge.test/me/shop/issues/3';
  const of = (at: string, linkIssue?: boolean) => {
    const idea = {
      id: 'issue-3',
      title: 'T',
      text: 'Closes #1',
      success: ['c'],
      origin: { ref: '3', url: at },
    } as never;
    return pullBody({ idea, runs: 1, by: [], commits: [], ...(linkIssue === undefined ? {} : { linkIssue }) });
  };
  expect(of(url, true)).toMatch(/\n\nFor: https:\/\/forge\.test\/me\/shop\/issues\/3\n\n### Criteria/);
  expect(of(url, true).split('For: ')).toHaveLength(2);
  for (const one of [of(url), of(url, false)]) expect(one).not.toContain('forge.test');
  // Words of a program of the user's.
  for (const odd of [
    ...['Closes #9', 'javascript:alert(1)', 'https://forge.test/3\n\nCloses me/shop#9', 'https://forge.test/@zoe', ''],
    ...['https://forge.test/3 closes #9', 'https://forge.test/(x)![y]'],
  ])
    expect(of(odd, true)).not.toMatch(/For:|#9|zoe/);
  expect(of('https://me:key@forge.test/3#note', true)).toContain('For: https://forge.test/3\n');
  const idea = { id: 'issue-3', title: 'T', text: '', success: [], origin: { ref: '3', url } } as never;
  const own = { idea, runs: 1, by: [], commits: [], linkIssue: true };
  expect(pullBody(own, 'See {{issue}}')).toMatch(/^See https:\/\/forge\.test\/me\/shop\/issues\/3\n/);
  expect(pullBody(own, 'Mine')).not.toContain('forge.test');
});

it('leaves the text of an own backlog as it is', () => {
  const idea = { id: 'a-1', title: 'See #9', text: 'See #9', success: [] };
  expect(pullBody({ idea, runs: 1, by: [], commits: [] })).toMatch(/^See #9$/m);
});

const parts = (idea: object) => ({ idea: idea as never, runs: 1, by: [], commits: [] });

it('a title of the project is one bounded line, and a placeholder in a value stays as it is', () => {
  const idea = { id: 'a-1', title: 'Add {{id}}', text: 'One\nTwo', success: ['first', 'second'] };
  expect(titleFrom('[{{id}}] {{title}}: {{text}}', parts(idea))).toBe('[a-1] Add {{id}}: One Two');
  expect(titleFrom('{{text}}', parts({ ...idea, text: 'x'.repeat(900) }))).toHaveLength(200);
  expect(titleFrom('{{criteria}}', parts(idea))).toBe('- first - second');
});

it('a title without a word is the usual one; one with an unknown placeholder is refused by its name', () => {
  const idea = { id: 'a-1', title: 'Add it', text: '', success: [] };
  expect(titleFrom('{{text}}', parts(idea))).toBe('Add it (a-1)');
  expect(() => titleFrom('{{cost}}', parts(idea))).toThrow(/landing\.pr\.title uses \{\{cost\}\}/);
});

it('a title with words of a tracker links nothing', () => {
  const idea = { id: 'issue-3', title: 'Fix #9 for @zoe', text: 'Closes #1', success: [], origin: { ref: '3' } };
  expect(titleFrom('{{title}}: {{text}}', parts(idea))).toBe('Fix no. 9 for zoe: Closes no. 1');
});

it('title and body stay below the limits of forges, whatever the idea and its template have', () => {
  const idea = {
    ...{ id: 'a'.repeat(64), title: '😀'.repeat(300), text: '<'.repeat(20_000) },
    success: Array.from({ length: 500 }, (_, n) => `criterion ${n} ${'x'.repeat(500)}`),
    origin: { ref: '1' },
  } as never;
  const commits = Array.from({ length: 3000 }, (_, n) => `feat: change ${n} ${'y'.repeat(60)}`);
  const all = { idea, runs: 1, by: [], commits };
  expect([...pullTitle(idea)].length).toBeLessThanOrEqual(255);
  expect(pullTitle(idea)).toMatch(/😀 \(a{64}\)$/u);
  for (const template of [undefined, `{{text}}\n{{criteria}}\n{{how}}`, 'z'.repeat(200_000)]) {
    const body = pullBody(all, template);
    expect(body.length).toBeLessThan(65_000);
    expect(body.endsWith(`\n\n${marker('a'.repeat(64))}`)).toBe(true);
  }
  expect(pullBody(all)).toContain('- and 2900 more commits');
});
