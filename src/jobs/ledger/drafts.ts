/**
 * The ledger operations that a finished job proves (E5).
 * Invariant: the same job with the same result gives the same keys, so that a repeated job adds nothing.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { changedFiles } from '../../git/changes.js';
import type { IdeaModel } from '../../model/model.js';
import type { CloseRunInput, PrepareInput, PrepareResult } from '../../protocol/activities.js';
import type { RunAgentInput, RunAgentResult } from '../../protocol/agent-run.js';
import type { PushTargetInput, PushTargetResult } from '../../protocol/delivery.js';
import { type GateInput, type GateResult, isNoGate } from '../../protocol/gate.js';
import type { LandInput, LandResult, MergedGate, UndoInput, UndoResult } from '../../protocol/git-work.js';
import type { Idea } from '../../protocol/idea.js';
import type { Actor, Draft } from '../../protocol/ledger.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { askedDrafts, closedDraft } from './pulls.js';

const RALPHCTL: Actor = { kind: 'ralphctl' };
const PERSON: Actor = { kind: 'person' };
const MOST_FILES = 50;
const MOST_FINDINGS = 10;

const now = (): string => new Date().toISOString();
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The plan of an idea; its text again only when it has changed. */
export function commitDraft(idea: Idea): Draft {
  const text = digest(JSON.stringify([idea.title, idea.text, idea.success, idea.dependsOn]));
  return {
    ...{ key: `${idea.id}/commit/${text}`, at: now(), op: 'commit', idea: idea.id, actor: RALPHCTL },
    data: { title: idea.title, criteria: idea.success.length, dependsOn: idea.dependsOn, line: idea.source.line },
    hashes: { text },
  };
}

export function claimDraft({ runId, idea, agentName, reopen }: PrepareInput, result: PrepareResult): Draft {
  const { branch, base, lastSerial = 0 } = result;
  return {
    ...{ key: `${runId}/${idea}/claim/${lastSerial}`, at: now(), op: 'claim', idea, run: runId, actor: RALPHCTL },
    data: { slot: agentName, branch, base, ...(reopen ? { after: reopen.kind } : {}) },
  };
}

export async function agentDraft(input: RunAgentInput, result: RunAgentResult): Promise<Draft | undefined> {
  const { runId: run, idea, serial, iteration, base, worktree } = input;
  const { outcome, signal, durationMs, exitCode, commits, head, tree, usage, agent, model, dir } = result;
  // The budget held it back before it began.
  if (outcome.kind === 'timeout' && outcome.of !== undefined && durationMs === 0) return undefined;
  const files = result.changed ? await changedFiles(worktree, base, head).catch(() => []) : [];
  const sum = (of: 'added' | 'deleted'): number => files.reduce((all, one) => all + one[of], 0);
  return {
    ...{ key: `${run}/${idea}/agent/${serial}`, at: now(), op: 'evidence', idea, run, durationMs },
    kind: commits > 0 ? 'fix-applied' : 'progress',
    actor: agent === undefined ? RALPHCTL : { kind: 'agent', name: agent, ...(model === undefined ? {} : { model }) },
    pass: outcome.kind === 'ok',
    data: {
      ...{ serial, iteration, exitCode, commits, head, tree, signal: signal.kind, usage },
      outcome: outcome.kind === 'failed' ? outcome.failure : outcome.kind,
      ...(files.length === 0 ? {} : { linesAdded: sum('added'), linesRemoved: sum('deleted'), files: files.length }),
      ...(files.length === 0 ? {} : { filesChanged: files.slice(0, MOST_FILES).map(({ path }) => path) }),
    },
    hashes: await hashesOf(dir, { prompt: 'prompt.md', output: 'output.log' }),
  };
}

export async function hashesOf(dir: string, files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const all = await Promise.all(
    Object.entries(files).map(async ([name, file]) => {
      const hash = await hashOfFile(join(dir, file)).catch(() => undefined);
      return hash === undefined ? [] : [[name, hash] as const];
    }),
  );
  return Object.fromEntries(all.flat());
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const commandsOf = ({ commands }: Pick<GateResult, 'commands'>) =>
  commands.map(({ command, exitCode, durationMs, tests }) => ({ command, exitCode, durationMs, tests }));

const gateData = (gate: GateResult): Record<string, unknown> => ({
  commands: commandsOf(gate),
  tests: gate.tests,
  failed: gate.failure && { command: gate.failure.command, exitCode: gate.failure.exitCode, why: gate.failure.why },
  timedOut: gate.failure?.timedOut || undefined,
  tolerated: gate.tolerated,
  findings: gate.tripwires?.slice(0, MOST_FINDINGS).map(({ kind, subject }) => `${kind}: ${subject}`),
});

/** Without a command nothing was judged. */
const judgedBy = (gate: Pick<GateResult, 'pass' | 'commands'>) => (isNoGate(gate) ? {} : { pass: gate.pass });

export function gateDraft({ runId: run, idea, serial }: GateInput, gate: GateResult): Draft {
  return {
    ...{ key: `${run}/${idea}/gate/${serial}`, at: now(), op: 'evidence', kind: 'build', idea, run, actor: RALPHCTL },
    ...{ ...judgedBy(gate), durationMs: gate.durationMs, data: { serial, ...gateData(gate) } },
  };
}

export function landingDrafts({ runId: run, idea, base, head, branch }: LandInput, result: LandResult): Draft[] {
  const about = { at: now(), op: 'evidence', idea, run, actor: RALPHCTL, durationMs: result.durationMs } as const;
  switch (result.kind) {
    case 'conflict': {
      const { onto, files } = result;
      const data = { onto, head, why: 'conflict', files: files.slice(0, MOST_FILES) };
      return [{ ...about, key: `${run}/${idea}/conflict/${head}/${onto}`, kind: 'landing', pass: false, data }];
    }
    case 'red': {
      const { onto, gate } = result;
      const data = { merged: true, onto, head, ...gateData(gate) };
      return [{ ...about, key: `${run}/${idea}/red/${head}/${onto}`, kind: 'build', pass: false, data }];
    }
    case 'in-review': {
      const { pull, gate } = result;
      const { number, url, candidate } = pull;
      const opened: Draft = {
        ...{ ...about, key: `${run}/${idea}/pr/${candidate}`, kind: 'pr', pass: true },
        data: { number, url, commit: candidate, branch },
      };
      const all = [opened, ...askedDrafts(about, result)];
      return gate ? [mergedDraft(about, `${run}/${idea}/merged/${base}/${head}`, candidate, gate), ...all] : all;
    }
    case 'pull-closed':
      return [closedDraft({ run, idea }, result)];
    case 'waits-below':
    case 'waits-place':
    case 'target-busy':
    case 'target-free':
    case 'forge-waits':
      return [];
    case 'landed': {
      const { commit, commits, gate } = result;
      // A repeated landing finds the idea on the target, which may have moved on: its result names another commit.
      const work = `${base}/${head}`;
      const landed: Draft = {
        ...{ ...about, key: `${run}/${idea}/landed/${work}`, op: 'submit', pass: true },
        data: { commit, commits, branch },
      };
      return gate ? [mergedDraft(about, `${run}/${idea}/merged/${work}`, commit, gate), landed] : [landed];
    }
  }
}

const mergedDraft = (about: Omit<Draft, 'key' | 'data'>, key: string, commit: string, gate: MergedGate): Draft => ({
  ...{ ...about, key, kind: 'build', ...judgedBy({ pass: true, ...gate }), durationMs: gate.durationMs },
  data: { merged: true, commit, commands: commandsOf(gate), tests: gate.tests, same: gate.same },
});

export function undoDraft({ runId: run, idea, commit: landed }: UndoInput, result: UndoResult): Draft | undefined {
  if (result.kind !== 'undone') return undefined;
  const { commit, commits, durationMs } = result;
  return {
    ...{ key: `${run}/${idea}/undone/${landed ?? commit}`, at: now(), op: 'submit', idea, run, actor: PERSON },
    ...{ pass: false, durationMs, data: { why: 'taken off the target again', commit, commits } },
  };
}

export const pushDrafts = ({ runId: run, serial }: PushTargetInput, result: PushTargetResult): Draft[] =>
  result.kind !== 'pushed'
    ? []
    : result.ideas.map((idea) => ({
        ...{
          key: `${run}/${idea}/push/${serial ?? result.commit}`,
          at: now(),
          op: 'evidence',
          kind: 'push',
          idea,
          run,
        },
        ...{ actor: RALPHCTL, pass: true, data: { commit: result.commit } },
      }));

/** Ideas with these states at the end of a run have failed; the others may continue. */
const FAILED: ReadonlySet<IdeaStatus> = new Set(['failed', 'timeout', 'blocked', 'skipped', 'abandoned']);

/** It had a slot. A set-up or a claim may have failed before its first agent run. */
const wasStarted = ({ startedAt, iterations }: IdeaModel): boolean => startedAt !== undefined || iterations.length > 0;

/** A rule may skip an idea that has failed. Only a person gives one up. */
const isByPerson = ({ status, told }: IdeaModel): boolean =>
  status === 'abandoned' || (status === 'skipped' && told?.verb === 'skip');

/** The approvals of people, and what did not land. @param ideas the ideas that the run worked on */
export const closingDrafts = (
  { runId: run }: Pick<CloseRunInput, keyof RunRef>,
  ideas: readonly IdeaModel[],
): Draft[] =>
  ideas.flatMap((model) => {
    const { id: idea, said, status, reason } = model;
    const approvals = said
      .filter(({ verb }) => verb === 'approve')
      .map(({ at, by, done }): Draft => {
        const when = new Date(at).toISOString();
        const key = `${run}/${idea}/approve/${when}`;
        return {
          key,
          at: when,
          op: 'evidence',
          kind: 'review',
          idea,
          run,
          actor: PERSON,
          pass: true,
          data: { by, said: done },
        };
      });
    if (!FAILED.has(status) || !wasStarted(model)) return approvals;
    const key = `${run}/${idea}/ended/${status}`;
    const end: Draft = {
      key,
      // The run may have gone on for hours since.
      at: model.since === undefined ? now() : new Date(model.since).toISOString(),
      op: 'submit',
      idea,
      run,
      actor: isByPerson(model) ? PERSON : RALPHCTL,
      pass: false,
      data: { status, reason },
    };
    return [...approvals, end];
  });
