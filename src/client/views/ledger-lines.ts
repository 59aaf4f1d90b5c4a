/** Shows chains of the evidence ledger as lines for people. Values in the ledger are foreign text. */
import { took } from '../../decide/duration.js';
import { type Chain, chainMs } from '../../model/ledger.js';
import type { Actor, LedgerRow } from '../../protocol/ledger.js';
import { type IdeaStatus, statusWord } from '../../protocol/states.js';
import { GATE_NAMES, gateText as triageGateText } from '../../screen/words/state-words.js';
import { clean, many } from './live-lines.js';
import { dayOf, localTime } from './terminal.js';

const MOST_FILES = 4;

const text = (value: unknown): string => (typeof value === 'string' ? clean(value) : '');
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
const short = (value: unknown): string => text(value).slice(0, 8);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const actorText = (actor: Actor): string => {
  if (actor.kind === 'person') return 'a person';
  if (actor.kind === 'ralphctl') return 'ralphctl';
  return clean(actor.model === undefined ? actor.name : `${actor.name} (${actor.model})`);
};

const exitText = (code: unknown): string => (typeof code === 'number' ? `exit code ${code}` : 'did not finish');

function gateText({ data, pass }: LedgerRow): string {
  const failed = fields(data.failed);
  const tests = fields(data.tests);
  const counted =
    count(tests.total) > 0 ? `, ${count(tests.passed)} of ${many(count(tests.total), 'test')} passed` : '';
  const where = data.merged === true ? ' on the tree to land' : '';
  const commands = list(data.commands).map((one) => text(fields(one).command));
  if (pass === false && text(failed.why) !== '') return `gate red${where}: ${text(failed.command)} ${text(failed.why)}`;
  if (pass === false)
    return `gate red${where}: ${text(failed.command)}, ${data.timedOut === true ? 'timed out' : exitText(failed.exitCode)}${counted}`;
  const same = text(data.same) === '' ? '' : `, same tree as ${text(data.same)}`;
  return commands.length === 0 ? `no gate${where}` : `gate green${where}: ${commands.join(', ')}${counted}${same}`;
}

function agentText({ data, actor }: LedgerRow): string {
  const files = count(data.files);
  const changed = `${many(count(data.commits), 'commit')}, ${many(files, 'file')} +${count(data.linesAdded)} -${count(data.linesRemoved)}`;
  const outcome =
    data.outcome === 'ok' ? '' : `, ${data.outcome === 'timeout' ? 'timed out' : `failed (${text(data.outcome)})`}`;
  const signal = typeof data.signal === 'string' && data.signal !== 'none' ? `, said ${text(data.signal)}` : '';
  return `${actorText(actor)}, iteration ${count(data.iteration)}: ${count(data.commits) > 0 ? changed : 'no new commit'}${signal}${outcome}`;
}

function landingText({ data }: LedgerRow): string {
  const files = list(data.files).map(text);
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : '';
  return `conflict with ${short(data.onto)} in ${files.slice(0, MOST_FILES).join(', ')}${more}`;
}

function submitText({ data, pass }: LedgerRow): string {
  // A wave.
  if (typeof data.passed === 'number')
    return `${count(data.passed)} of ${count(data.attempted)} passed, ${count(data.failed)} failed, ${count(data.skipped)} skipped${count(data.elsewhere) > 0 ? ` (${count(data.elsewhere)} claimed elsewhere)` : ''}`;
  if (pass === true) return `landed as ${short(data.commit)}`;
  if (data.commit !== undefined) return `taken off the target again with ${short(data.commit)}`;
  const reason = text(data.reason);
  const ended = text(data.status);
  return `ended as ${ended === 'timeout' ? 'timed out' : ended}${reason === '' ? '' : `: ${reason}`}`;
}

/** Of a pull request, and of what people say of it. */
function pullText({ data, kind, pass }: LedgerRow): string {
  const pull = `pull request ${count(data.number)}`;
  const by = text(data.by);
  if (data.closed === true)
    return `${pull} was closed${by === '' ? '' : ` by ${by}`}${text(data.why) === '' ? '' : `: ${text(data.why)}`}`;
  if (kind === 'pr')
    return pass === false ? `${pull} has red checks: ${text(data.checks)}` : `${pull} is open: ${text(data.url)}`;
  if (data.asked !== undefined) return `${pull}: asked ${list(data.asked).map(text).join(', ')} for a review`;
  if (data.answered !== undefined)
    return `${pull}: answered ${many(list(data.answered).length, 'comment')}, up to ${short(data.commit)}`;
  return `${pull}: ${by === '' ? 'somebody' : by} asked for changes`;
}

/** Of the plan of a wave. */
function takenText({ data }: LedgerRow): string {
  if (!Array.isArray(data.taken)) return '';
  const taken = list(data.taken).map((one) => text(fields(one).idea));
  const left = `${many(count(data.open), 'open report')}, ${count(data.rejected)} rejected, ${count(data.left)} for later`;
  return `: ${taken.join(', ') || 'nothing'}; ${left}`;
}

const judgeText = (gate: string): string =>
  Object.hasOwn(GATE_NAMES, gate) ? triageGateText(gate as keyof typeof GATE_NAMES) : `gate ${gate}`;

/** What an operation was, in one line. */
export function operationText(row: LedgerRow): string {
  const { op, kind, data, actor } = row;
  if (op === 'commit') return `planned: ${text(data.title)}${takenText(row)}`;
  if (op === 'claim') return `${text(data.slot)} took it, on ${text(data.branch)} from ${short(data.base)}`;
  if (op === 'submit') return submitText(row);
  if (kind === 'build') return gateText(row);
  if (kind === 'fix-applied' || kind === 'progress') return agentText(row);
  if (kind === 'landing') return landingText(row);
  if (kind === 'investigation')
    return `${actorText(actor)} read the report, about ${took(count(data.minutes) * 60_000)}: ${text(data.notes)}`;
  if (kind === 'push') return `pushed with ${short(data.commit)}`;
  if (kind === 'triage' && row.pass === true) return `accepted by ${actorText(actor)}: ${text(data.why)}`;
  if (kind === 'triage')
    return `rejected by ${judgeText(text(data.gate))}: ${text(data.why)}${text(data.quote) === '' ? '' : `: "${text(data.quote)}"`}`;
  if (kind === 'pr' || (kind === 'review' && data.number !== undefined)) return pullText(row);
  if (kind === 'review') return `${actorText(actor)} approved it`;
  return `${actorText(actor)}: ${Object.values(data).map(text).filter(Boolean).join(', ')}`;
}

const OUTCOMES: Readonly<Record<Chain['outcome'], string>> = {
  planned: 'planned, not taken up yet',
  open: 'neither landed nor failed',
  landed: 'landed',
  failed: 'failed',
  undone: 'landed, and taken off the target again',
  rejected: 'rejected by triage',
};

const step = ({ op, kind }: LedgerRow): string => (op === 'evidence' ? (kind ?? op) : op);
const WIDEST = 'investigation'.length;

/** A blocked idea has not failed: the end of the chain says which. */
function outcomeText({ outcome, rows }: Chain): string {
  const status = outcome === 'failed' ? rows.findLast(({ op }) => op === 'submit')?.data.status : undefined;
  return typeof status === 'string' ? statusWord(status as IdeaStatus) : OUTCOMES[outcome];
}

/** One chain, an operation a line. `numbers` gives the line number of each id. */
export function chainLines(chain: Chain, numbers: ReadonlyMap<string, number>): string[] {
  const { idea, run, rows, broke } = chain;
  const ms = chainMs(chain);
  const head = `${idea}${run === undefined ? '' : ` in run ${clean(run)}`}: ${outcomeText(chain)}${ms === undefined ? '' : ` (${took(ms)})`}`;
  let day = '';
  const lines = rows.flatMap((row) => {
    const at = Date.parse(row.at);
    const date = dayOf(at) === day ? [] : [`  ${dayOf(at)}`];
    day = dayOf(at);
    const refs = row.refs.flatMap((id) => numbers.get(id) ?? []);
    const after =
      refs.length === 0
        ? ''
        : ` ← ${refs.length > 3 ? `#${refs[0]} … #${refs.at(-1)}` : refs.map((n) => `#${n}`).join(' ')}`;
    const time = new Date(at).toTimeString().slice(0, 8);
    const lasted = row.durationMs === undefined ? '' : ` (${took(row.durationMs)})`;
    return [
      ...date,
      `  ${time}  ${`#${row.n}`.padEnd(5)} ${step(row).padEnd(WIDEST)}  ${operationText(row)}${lasted}${after}`,
    ];
  });
  return [head, ...lines, ...(broke ? [`  the chain broke at #${broke.n}: ${operationText(broke)}`] : [])];
}

/** One line for each idea: its last chain. */
export function summaryLines(chains: readonly Chain[]): string[] {
  const last = new Map(chains.map((chain) => [chain.idea, chain] as const));
  const wide = Math.min(40, Math.max(0, ...[...last.keys()].map((id) => id.length)));
  return [...last.values()].map((chain) => {
    const { idea, rows, broke } = chain;
    const at = rows.at(-1)?.at;
    const when = at === undefined ? '' : `, ${localTime(Date.parse(at))}`;
    const why = broke ? `; broke at #${broke.n}: ${operationText(broke)}` : '';
    return `${idea.padEnd(wide)}  ${outcomeText(chain)}${when}, ${many(rows.length, 'operation')}${why}`;
  });
}
