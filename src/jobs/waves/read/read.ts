/**
 * Lets an agent read bug reports before a wave takes them: gates 3 and 5, the estimate, and what it found out (E3).
 * Invariant: whatever the agent does, rules judge the reports that it did not, and the plan goes on. It works on a copy
 * that is deleted, in a section of the wall. Its use is recorded as that of every agent run, and no run begins once a budget is used up. A report
 * that has been read is kept at once, so a plan that is made again reads on where this one stopped.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accountKey } from '../../../agents/account.js';
import { type ExecuteAgentResult, executeAgent } from '../../../agents/execute.js';
import { newNonce } from '../../../agents/prompt/prompt.js';
import type { AgentSpec } from '../../../config/agent-spec.js';
import { iterationDir } from '../../../config/paths.js';
import { resolveAgent } from '../../../config/schema/config.js';
import { materialOf } from '../../../decide/triage/material.js';
import { killByToken } from '../../../process/tokens.js';
import type { Spent } from '../../../protocol/budget.js';
import type { BugReport, Reading } from '../../../protocol/triage.js';
import type { PlanWaveInput, WaveReading } from '../../../protocol/waves.js';
import { bookCutOff, markAttempt, markOf, unmarkAttempt } from '../../../run-files/attempts.js';
import { keepReading } from '../../../run-files/readings.js';
import { type LoadedRun, writeAtomically } from '../../../run-files/run.js';
import { writeUsage } from '../../../run-files/usage.js';
import { meter, withOwnLimit } from '../../agent-run/meter.js';
import { agentSection, inSection, outOfBoundsOf, wallOf } from '../../confine/walls.js';
import type { WorkContext, WorkDeps } from '../../job.js';
import { assertDiskSpace } from '../../machine.js';
import { sandboxFor } from '../../sandbox.js';
import { answerOf, type Said } from './answer.js';
import { ask, newWord, type Question } from './ask.js';
import { copyOf, removeCopy } from './copy.js';

/** In place of an idea; no idea can have this name. */
const READER = '_triage';
const AT_ONCE = 10;
/** Longer, the server takes the plan for lost; reading the source takes time, too. */
const MOST_MS = 10 * 60_000;
const LEAST_MS = 1000;
const MOST_WHY = 200;

export interface Read {
  readings: Map<string, Reading>;
  told: WaveReading;
}

interface Reader {
  deps: WorkDeps;
  run: LoadedRun;
  input: PlanWaveInput;
  context: WorkContext;
  spec: AgentSpec;
  spent: Spent;
}

const nothing = (): Spent => ({ iterations: 0, ms: 0, tokens: 0, dollars: 0, unknownTokens: 0, unknownDollars: 0 });

/** @param wanted the reports, the most important ones first */
export async function readReports(
  about: Pick<Reader, 'deps' | 'run' | 'input' | 'context'>,
  wanted: readonly BugReport[],
  files: readonly string[],
): Promise<Read> {
  const { deps, run, input, context } = about;
  const { agent, most, timeoutMinutes } = run.file.config.triage;
  const reader: Reader = { ...about, spec: resolveAgent(run.file.config, agent), spent: nothing() };
  const readings = new Map<string, Reading>();
  const end = Date.now() + MOST_MS;
  const material = materialOf(files);
  let why = wanted.length > most ? `triage.most is ${most}` : undefined;
  await endEarlier(deps, input);
  const chosen = wanted.slice(0, most);
  for (let at = 0; at < chosen.length; at += AT_ONCE) {
    const asked = chosen.slice(at, at + AT_ONCE).map((report) => ({ word: newWord(), report }));
    const timeoutMs = Math.min(timeoutMinutes * 60_000, end - Date.now());
    const said =
      end - Date.now() < LEAST_MS
        ? { failed: 'no time was left for it' }
        : await readSome(reader, { nonce: newNonce(), asked, material }, timeoutMs).catch(failedBy);
    context.signal.throwIfAborted();
    if ('failed' in said) {
      why = said.failed.slice(0, MOST_WHY);
      break;
    }
    for (const { asked: one, ...rest } of said.all) {
      const reading: Reading = { agent, ...said.model, at: new Date().toISOString(), ...rest };
      readings.set(one.report.id, reading);
      await keepReading(deps.root, input.project, one.report, reading);
    }
  }
  const byRules = wanted.length - readings.size;
  const because = byRules > 0 && why !== undefined ? { why } : {};
  return { readings, told: { agent, reports: readings.size, byRules, ...because, spent: reader.spent } };
}

const failedBy = (error: unknown) => ({ failed: error instanceof Error ? error.message : String(error) });

/** A worker that was killed left its agent, and nobody knows what that has used. */
async function endEarlier({ root }: WorkDeps, { project }: PlanWaveInput): Promise<void> {
  const mark = await markOf(root, project, READER);
  await bookCutOff(root, project, mark);
  await killByToken(`${project}/${READER}`);
  if (mark) await unmarkAttempt(root, project, mark);
}

type SaidAll = { all: Said[]; model: { model?: string } } | { failed: string };

/** One batch. */
interface Batch {
  nonce: string;
  /** epoch ms */
  end: number;
  /** The folder whose copy it reads. */
  copied?: { dir: string; copy: string };
}

/** A question, and the same once more after an answer that cannot be used. */
async function readSome(reader: Reader, question: Question, timeoutMs: number): Promise<SaidAll> {
  const batch: Batch = { nonce: question.nonce, end: Date.now() + timeoutMs };
  let wrong: string | undefined;
  try {
    for (let attempt = 0; attempt < 2; attempt++) {
      const done = await runOnce(reader, ask(question, wrong), batch);
      if ('failed' in done) return done;
      const answer = answerOf(done.finalMessage, question, done.redact);
      if (!('wrong' in answer)) {
        const model = done.model ?? reader.spec.model;
        return { all: answer, model: model === undefined ? {} : { model } };
      }
      wrong = answer.wrong;
    }
  } finally {
    if (batch.copied) await removeCopy(batch.copied.dir).catch(() => undefined);
  }
  return { failed: `${reader.spec.name} gave no answer that can be used: ${wrong}` };
}

const leftOf = ({ end }: Batch): number => Math.max(LEAST_MS, end - Date.now());

/** Of the whole target: with filters, or a slow disk, that takes a while. */
async function copyFor({ run, context }: Reader, batch: Batch, dir: string): Promise<string | undefined> {
  if (batch.copied) return batch.copied.copy;
  const late = AbortSignal.timeout(leftOf(batch));
  const { repo, target } = run.file;
  try {
    const copy = await copyOf(repo, target, dir, AbortSignal.any([context.signal, late]));
    batch.copied = { dir, copy };
    return copy;
  } catch (error) {
    await removeCopy(dir).catch(() => undefined);
    if (late.aborted) return undefined;
    throw error;
  }
}

async function runOnce(reader: Reader, prompt: string, batch: Batch): Promise<ExecuteAgentResult | { failed: string }> {
  const { deps, run, input, context, spec } = reader;
  const { project, runId, ceilings } = input;
  const serial = await nextSerial(deps.root, input);
  const begun = { id: runId, createdAt: new Date(run.file.createdAt) };
  const about = { root: deps.root, project, run: begun, idea: READER, serial, uncounted: true } as const;
  const metered = ceilings ? await meter({ ...about, ceilings }) : undefined;
  if (metered && 'scope' in metered) return { failed: `the budget of the ${metered.scope} is used up` };
  const dir = iterationDir(deps.root, project, runId, READER, serial);
  const token = `${project}/${READER}/${runId}/${serial}/${randomUUID()}`;
  const { taskToken } = context;
  const mark = { token, taskToken, idea: READER, serial, startedAt: new Date().toISOString(), run: runId };
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await assertDiskSpace([dir], run.file.config, true);
    await writeAtomically(join(dir, 'prompt.md'), prompt);
    const cwd = await copyFor(reader, batch, dir);
    if (cwd === undefined) return { failed: 'the copy of the target took all of its time' };
    await markAttempt(deps.root, project, mark);
    const own = withOwnLimit(spec, undefined, metered?.dollarsLeft);
    const outputFile = join(dir, 'output.log');
    const section = { name: agentSection(READER), outputFile };
    const { result: done, breaches } = await inSection(await wallOf(deps, run), section, async () => {
      const ended = await executeAgent({
        ...{ spec: own.spec, prompt, cwd, nonce: batch.nonce, idea: READER, iteration: serial, scratch: dir, token },
        ...{ outputFile, streamFile: join(dir, 'stream.jsonl'), baseEnv: deps.env, timeoutMs: leftOf(batch) },
        idleMs: run.file.config.idleTimeoutMinutes * 60_000,
        maxLogBytes: run.file.config.logs.maxMegabytesPerRun * 1024 * 1024,
        signal: context.signal,
        sandbox: sandboxFor({ deps, config: run.file.config, spec, cwd, scratch: dir }),
        ...(metered ? { meter: metered.begin } : {}),
      });
      await noteUse(reader, ended, dir, serial);
      return ended;
    });
    const [breach] = outOfBoundsOf(breaches);
    if (breach) return { failed: `while it read, ${spec.name}, another program or a person ${breach.what}` };
    const outcome = own.meaning(done.outcome);
    if (outcome.kind === 'ok') return done;
    const ended = outcome.kind === 'timeout' ? `${spec.name} took too long` : outcome.message;
    return { failed: metered?.reached() ? 'the budget was used up while it read' : ended };
  } finally {
    metered?.close();
    if (!context.abandoned()) await unmarkAttempt(deps.root, project, mark);
  }
}

async function nextSerial(root: string, { project, runId }: PlanWaveInput): Promise<number> {
  const names = await readdir(dirname(iterationDir(root, project, runId, READER, 1))).catch(() => []);
  return Math.max(0, ...names.map(Number).filter(Number.isInteger)) + 1;
}

/** Its outcome has a name of its own: it is no iteration of an idea. */
async function noteUse(reader: Reader, done: ExecuteAgentResult, dir: string, serial: number): Promise<void> {
  const { deps, input, spec, spent } = reader;
  const { durationMs, turns, usage } = done;
  const { inputTokens, outputTokens, costUsd } = usage ?? {};
  const tokensKnown = inputTokens !== undefined || outputTokens !== undefined;
  spent.ms += durationMs;
  spent.tokens += (inputTokens ?? 0) + (outputTokens ?? 0);
  spent.dollars += costUsd ?? 0;
  const worked = turns > 0 || done.outcome.kind !== 'failed';
  if (worked && !tokensKnown) spent.unknownTokens += 1;
  if (worked && costUsd === undefined) spent.unknownDollars += 1;
  const at = new Date().toISOString();
  const who = { agent: spec.name, account: accountKey(spec, deps.env) };
  const row = {
    at,
    run: input.runId,
    idea: READER,
    serial,
    ...who,
    outcome: 'read',
    durationMs,
    turns: worked ? Math.max(1, turns) : 0,
  };
  await writeUsage(deps.root, input.project, { ...row, ...usage }).catch(() => undefined);
  const result = { outcome: done.outcome, durationMs, turns, usage, tail: done.tail };
  await writeAtomically(join(dir, 'result.json'), JSON.stringify(result)).catch(() => undefined);
}
