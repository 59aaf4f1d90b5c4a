/** What GitLab's answers about a merge request mean, and what ralphctl writes there. Pure. Features: D2. */
import { describe, expect, it } from 'vitest';
import { logText } from '../../../src/jobs/review/gitlab-checks.js';
import {
  asListed,
  asRemarks,
  asSeen,
  type DiscussionJson,
  isOfProject,
  type MergeRequestJson,
  titleOf,
  withoutCommands,
} from '../../../src/jobs/review/gitlab-json.js';
import { mergeStep } from '../../../src/jobs/review/gitlab-merge.js';

const HEAD = '8888888888888888888888888888888888888888';
const ann = { id: 5, username: 'ann' };
/** The fields that count of `GET /projects/:id/merge_requests/:iid`. */
const request = (more: Partial<MergeRequestJson> = {}): MergeRequestJson => ({
  ...{ iid: 3, project_id: 7, source_project_id: 7, state: 'opened', sha: HEAD, draft: false },
  web_url: 'https://gitlab.example.com/me/shop/-/merge_requests/3',
  ...{ description: 'Text.', target_branch: 'main' },
  ...{ merge_commit_sha: null, squash_commit_sha: null, merge_user: null, closed_by: null },
  ...{ labels: ['ralph'], reviewers: [ann], merge_when_pipeline_succeeds: false },
  ...{ has_conflicts: false, detailed_merge_status: 'mergeable', updated_at: '2026-01-01T00:00:00.000Z' },
  head_pipeline: null,
  ...more,
});

describe('a merge request', () => {
  it('in a list', () => {
    expect(asListed(request({ merge_when_pipeline_succeeds: true }))).toEqual({
      ...{ number: 3, url: 'https://gitlab.example.com/me/shop/-/merge_requests/3', state: 'open', head: HEAD },
      ...{ base: 'main', body: 'Text.', labels: ['ralph'], reviewers: ['ann'], armed: true },
    });
  });

  it.each([
    { state: 'opened', is: 'open' },
    { state: 'locked', is: 'open' },
    { state: 'closed', is: 'closed' },
    { state: 'merged', is: 'merged' },
  ] as const)('that is $state is $is', ({ state, is }) => {
    expect([asListed(request({ state })).state, asSeen(request({ state })).state]).toEqual([is, is]);
  });

  it.each([
    { how: 'a merge commit', merge_commit_sha: 'aaaa', squash_commit_sha: null, commit: 'aaaa' },
    { how: 'a squash with a merge commit', merge_commit_sha: 'aaaa', squash_commit_sha: 'bbbb', commit: 'aaaa' },
    { how: 'a squash', merge_commit_sha: null, squash_commit_sha: 'bbbb', commit: 'bbbb' },
    { how: 'a fast-forward', merge_commit_sha: null, squash_commit_sha: null, commit: HEAD },
  ])('merged by $how: the target has $commit', ({ commit, merge_commit_sha, squash_commit_sha }) => {
    const merged = request({ state: 'merged', merge_user: ann, merge_commit_sha, squash_commit_sha });
    expect(asSeen(merged)).toMatchObject({ state: 'merged', commit, by: 'ann', apart: false });
  });

  it.each([
    { status: 'conflict', has_conflicts: true, apart: true },
    { status: 'need_rebase', has_conflicts: false, apart: true },
    // A conflict shows behind another cause, too.
    { status: 'draft_status', has_conflicts: true, apart: true },
    { status: 'mergeable', has_conflicts: false, apart: false },
    { status: 'not_approved', has_conflicts: false, apart: false },
    // It is what GitLab knew of the commit before.
    { status: 'unchecked', has_conflicts: true, apart: false },
    { status: 'checking', has_conflicts: true, apart: false },
    // Before GitLab 15.6.
    { status: undefined, has_conflicts: true, apart: true },
  ])('with $status and has_conflicts $has_conflicts needs another base: $apart', ({ status, has_conflicts, apart }) => {
    const { detailed_merge_status: _, ...json } = request({ has_conflicts });
    expect(asSeen({ ...json, ...(status ? { detailed_merge_status: status } : {}) }).apart).toBe(apart);
  });

  it('of a fork, whose branch may have any name, is none of the project', () => {
    expect(
      [request(), request({ source_project_id: 8 }), request({ source_project_id: null })].map(isOfProject),
    ).toEqual([true, false, false]);
  });
});

describe('when an automatic merge is asked for', () => {
  const now = Date.parse('2026-01-01T00:10:00Z');
  const pipeline = (status: string) => ({ head_pipeline: { id: 1, sha: HEAD, status } });
  it.each<{ what: string; is: Partial<MergeRequestJson>; step: string }>([
    { what: 'its pipeline runs', is: pipeline('running'), step: 'arm' },
    { what: 'its pipeline is green', is: pipeline('success'), step: 'arm' },
    { what: 'an approval is missing', is: { detailed_merge_status: 'not_approved' }, step: 'arm' },
    { what: 'it has no pipeline', is: {}, step: 'merge' },
    { what: 'its pipeline has no job', is: pipeline('skipped'), step: 'merge' },
    { what: 'its pipeline may be about to begin', is: { updated_at: '2026-01-01T00:09:30Z' }, step: 'wait' },
    { what: 'its pipeline is red', is: pipeline('failed'), step: 'wait' },
    { what: 'its pipeline waits for a person', is: pipeline('manual'), step: 'wait' },
    { what: 'GitLab still looks at it', is: { detailed_merge_status: 'preparing' }, step: 'wait' },
    { what: 'it conflicts', is: { has_conflicts: true, detailed_merge_status: 'conflict' }, step: 'wait' },
    { what: 'it is a draft', is: { draft: true, detailed_merge_status: 'draft_status' }, step: 'wait' },
    { what: 'it is asked for', is: { ...pipeline('running'), merge_when_pipeline_succeeds: true }, step: 'wait' },
    { what: 'its branch has another commit', is: { ...pipeline('running'), sha: 'other' }, step: 'wait' },
    { what: 'it is merged', is: { state: 'merged' }, step: 'wait' },
  ])('$what: $step', ({ is, step }) => {
    expect(mergeStep(request(is), HEAD, now)).toBe(step);
  });
});

describe('what people say there', () => {
  const note = (id: number, body: string, more = {}) => ({ id, body, author: ann, system: false, ...more });
  const all: DiscussionJson[] = [
    {
      ...{ id: 'd1', individual_note: false },
      notes: [
        note(1, 'Rename it.', { position: { new_path: 'a.ts', old_path: 'a.ts', new_line: 4, old_line: null } }),
        note(2, 'Please.'),
      ],
    },
    { id: 'd2', individual_note: true, notes: [note(3, 'Nice.')] },
    { id: 'd3', individual_note: true, notes: [note(4, 'added 1 commit', { system: true })] },
    {
      ...{ id: 'd4', individual_note: false },
      notes: [note(5, 'Gone.', { resolved: true, position: { old_path: 'b.ts', old_line: 9 } })],
    },
  ];

  it('threads, comments that stand alone, and no events of GitLab itself', () => {
    expect(
      asRemarks(all, 'https://x/3').map(({ key, thread, path, line, asks, url }) => [
        key,
        thread,
        path,
        line,
        asks,
        url,
      ]),
    ).toEqual([
      ['line 1', 'd1', 'a.ts', 4, true, 'https://x/3#note_1'],
      ['line 2', 'd1', undefined, undefined, true, 'https://x/3#note_2'],
      ['comment 3', undefined, undefined, undefined, true, 'https://x/3#note_3'],
      ['line 5', 'd4', 'b.ts', 9, false, 'https://x/3#note_5'],
    ]);
  });

  it('the log of a job without marks of sections, times and colours', () => {
    const trace = [
      'section_start:1560896352:step_script\r\u001b[0K\u001b[0;m\u001b[36;1mExecuting "step_script"\u001b[0;m',
      '2026-01-01T12:00:00.123456Z 01O $ npm test',
      '2026-01-01T12:00:01.123456Z 01E \u001b[31mError: 3 is not 4\u001b[0m',
      'section_end:1560896353:step_script\r\u001b[0K\u001b[31;1mERROR: Job failed: exit code 1',
      '',
    ].join('\n');
    expect(logText(trace)).toBe(
      'Executing "step_script"\n$ npm test\nError: 3 is not 4\nERROR: Job failed: exit code 1',
    );
  });
});

describe('what ralphctl writes there', () => {
  it.each([
    { title: 'Add it (a-1)', draft: false, is: 'Add it (a-1)' },
    { title: 'Add it (a-1)', draft: true, is: 'Draft: Add it (a-1)' },
    { title: 'Draft: a plan (a-1)', draft: false, is: 'Idea: Draft: a plan (a-1)' },
    { title: '[Draft] a plan (a-1)', draft: false, is: 'Idea: [Draft] a plan (a-1)' },
  ])('the title $title is a draft: $draft', ({ title, draft, is }) => {
    expect(titleOf(title, draft)).toBe(is);
  });

  it('lines that GitLab would carry out as commands are text', () => {
    const text = 'Move it:\n/close\n  /assign @ann\r\n/merge\r\n/usr/bin/env\nand/or\n/label ~bug';
    expect(withoutCommands(text)).toBe(
      'Move it:\n\\/close\n  \\/assign @ann\r\n\\/merge\r\n/usr/bin/env\nand/or\n\\/label ~bug',
    );
  });
});
