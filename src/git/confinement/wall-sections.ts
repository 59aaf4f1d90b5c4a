/**
 * Records which agent code runs, in any ralphctl process, and which of its changes were restored.
 * Invariant: a section is recorded before its code starts, and removed after its changes were checked. A section whose
 * process is gone counts for a while longer.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf, isAlive, ownIdentity } from '../../process/identity.js';
import { namesIn, textAt } from '../regular.js';

const ACTIVE = 'active';
const BREACHES = 'breaches';
/** Longer than the next attempt, or the next worker, takes to end leftover processes of a job process. */
const GONE_MS = 10 * 60_000;

/** Running agent code: an agent, a gate, a landing. */
export interface Section {
  /** `agent-i-1`, `gate-i-1`, `landing-i-1`. */
  name: string;
  /** epoch ms; for an interrupted attempt, that of the first one. */
  at: number;
  /** Process that runs it. */
  pid: number;
  /** Start of that process (`identity.ts`). Absent in files of 0.1. */
  startTime?: string;
  /** The agent's output. */
  outputFile?: string;
  /** When its process was found gone, epoch ms. */
  goneAt?: number;
}

export interface Change {
  what: string;
  file: string;
  kept?: string;
  pipe?: true;
  keys?: readonly string[];
  /** Of the index of the user's checkout; then `fix` is what a person has to do. */
  index?: true;
  /** An object that the pipe replaced, as a clause; `fix` then brings it back. */
  lost?: string;
  fix?: string;
}

/** A restored change. */
export interface Breach {
  /** epoch ms */
  at: number;
  changes: Change[];
  /** Of the breach before it, epoch ms: until then all was as it should be. Absent: none, or in files of 0.1. */
  after?: number;
  /** Every section that may have caused it. */
  suspects: Section[];
}

/** Whether the process that runs it lives; exactly this one, not a later one with the same pid. */
export async function isRunning({ pid, startTime }: Section): Promise<boolean> {
  if (startTime === undefined) return (await identityOf(pid)) !== undefined;
  return isAlive({ pid, startTime });
}

/** The section stays recorded until it is removed. An interrupted one keeps its first start time. */
export async function noteSection(dir: string, given: Pick<Section, 'name' | 'outputFile'>): Promise<Section> {
  const file = join(dir, ACTIVE, `${given.name}.json`);
  const before = await readJson<Section>(file);
  const section: Section = { ...given, at: before?.at ?? Date.now(), ...(await ownIdentity()) };
  await mkdir(join(dir, ACTIVE), { recursive: true });
  await writeJson(file, section);
  return section;
}

export const forgetSection = (dir: string, { name }: Section): Promise<void> =>
  rm(join(dir, ACTIVE, `${name}.json`), { force: true });

/** Its code has ended, but its changes could not be checked. From now on it counts like that of a lost process. */
export const giveUpSection = (dir: string, section: Section): Promise<void> =>
  writeJson(join(dir, ACTIVE, `${section.name}.json`), { ...section, startTime: 'ended', goneAt: Date.now() });

/** Sections of a lost process count for a while: the process may have left an agent, until the next one ends it. */
export async function activeSections(dir: string): Promise<Section[]> {
  const names = (await namesIn(join(dir, ACTIVE))).filter((name) => name.endsWith('.json'));
  const all = await Promise.all(
    names.map(async (name): Promise<Section[]> => {
      const file = join(dir, ACTIVE, name);
      const section = await readJson<Section>(file);
      if (!section || (await isRunning(section))) return section ? [section] : [];
      if (section.goneAt === undefined) await writeJson(file, { ...section, goneAt: Date.now() });
      else if (Date.now() - section.goneAt > GONE_MS) {
        await rm(file, { force: true });
        return [];
      }
      return [section];
    }),
  );
  return all.flat();
}

/** Records a breach with every section that ran at that time. */
export async function noteBreach(
  dir: string,
  { at, changes }: Omit<Breach, 'suspects'>,
  given?: readonly Section[],
): Promise<void> {
  const active = given ?? (await activeSections(dir));
  // File system clocks tick coarsely.
  const there = active.filter((one) => one.at <= at + 20);
  await mkdir(join(dir, BREACHES), { recursive: true });
  const before = (await namesIn(join(dir, BREACHES))).map((name) => Number.parseInt(name, 10)).filter(Number.isFinite);
  const breach: Breach = {
    ...{ at: Date.now(), changes, suspects: there.length > 0 ? there : [...active] },
    ...(before.length > 0 ? { after: Math.max(...before) } : {}),
  };
  await writeJson(join(dir, BREACHES, `${breach.at}-${randomUUID().slice(0, 8)}.json`), breach);
}

/** Changes restored since then that `name` may have made. */
export async function readBreaches(dir: string, name: string, since: number): Promise<Breach[]> {
  const names = await namesIn(join(dir, BREACHES));
  const recent = names.filter((file) => Number.parseInt(file, 10) >= since - 20).sort();
  const all = await Promise.all(recent.map((file) => readJson<Breach>(join(dir, BREACHES, file))));
  return all.filter((one) => one !== undefined).filter((one) => one.suspects.some((suspect) => suspect.name === name));
}

/** Undefined where there is none, or only half of one. @throws where nobody knows */
export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await textAt(file);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

export async function writeJson(file: string, value: unknown): Promise<void> {
  const fresh = `${file}.${randomUUID().slice(0, 8)}`;
  await writeFile(fresh, JSON.stringify(value), { mode: 0o600 });
  await rename(fresh, file);
}
