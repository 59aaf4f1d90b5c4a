/**
 * Adds to operations the hashes of the files that they are about (E5): logs of gates, and the file of a wave.
 * Invariant: a file that is missing or cannot be read has no hash. It stops no operation.
 */
import { basename, dirname } from 'node:path';
import type { GateCommandResult } from '../../protocol/gate.js';
import type { Draft } from '../../protocol/ledger.js';
import { hashesOf } from './drafts.js';

/** More commands than a gate has. */
const MOST_LOGS = 50;

interface Gated {
  commands: readonly GateCommandResult[];
  /** The log of the command that ran last. */
  log?: string | undefined;
}

/** `build` gets the logs of the commands that ran, each with its second run. */
export async function withLogs(drafts: readonly Draft[], gate: Gated | undefined): Promise<Draft[]> {
  if (gate?.log === undefined || !drafts.some(({ kind }) => kind === 'build')) return [...drafts];
  const names = gate.commands.slice(0, MOST_LOGS).flatMap(({ again }, at) => {
    const name = `gate-${at + 1}`;
    return again === undefined ? [name] : [name, `${name}-again`];
  });
  const logs = Object.fromEntries(names.map((name) => [name, `${name}.log`]));
  const hashes = await hashesOf(dirname(gate.log), logs);
  return drafts.map((draft) => (draft.kind === 'build' ? { ...draft, hashes } : draft));
}

/** The plan of a wave and what it says of reports get its file, as it was then: the next plan of the wave replaces it. */
export async function withWave(drafts: readonly Draft[], path: string): Promise<Draft[]> {
  if (drafts.length === 0) return [];
  const hashes = await hashesOf(dirname(path), { wave: basename(path) });
  return drafts.map((draft) => (Object.keys(hashes).length === 0 ? draft : { ...draft, hashes }));
}
