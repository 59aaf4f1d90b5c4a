/**
 * Makes ideas of items.
 * Invariant: whatever an item says, the result is a valid backlog: unique ids, known dependencies, no cycle. Titles are
 * one line that neither steers a terminal nor mentions a person or links an issue when a commit quotes it.
 * May import protocol, config and backlog only.
 */

import { createHash } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { findCycles, knots } from '../backlog/cycles.js';
import type { LeftOut } from '../backlog/formats/format.js';
import type { TrackerConfig } from '../config/schema/tracker.js';
import { inOneLine } from '../protocol/escapes.js';
import { IDEA_ID, type Idea, type Priority } from '../protocol/idea.js';
import { unlinked } from '../protocol/unlinked.js';
import type { Item } from './tracker.js';

const MAX_TITLE = 200;
/** Longer text than any person writes; the agent gets the address. */
const MAX_TEXT = 100_000;
const MOST_TAGS = 30;

const PREFIX = { github: 'issue-', gitlab: 'issue-', jsonl: 'report-', command: 'item-' } as const;

/** Words of labels that are a priority, with their steps from normal. */
const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ...(['p0', 'critical', 'blocker', 'urgent'] as const).map((word) => [word, 2] as const),
  ...(['p1', 'high'] as const).map((word) => [word, 1] as const),
  ...(['p2', 'medium', 'normal'] as const).map((word) => [word, 0] as const),
  ...(['p3', 'low'] as const).map((word) => [word, -1] as const),
  ...(['p4', 'lowest', 'trivial'] as const).map((word) => [word, -2] as const),
]);
const HELD = new Set(['blocked', 'on hold', 'wontfix', "won't fix", 'duplicate', 'invalid', 'question']);

/** Of these labels, the ones that say what becomes of the report itself. */
const DECIDED = new Set(['blocked', 'on hold', 'wontfix', "won't fix"]);

/** `ref`: its id in the tracker. */
export type LeftItem = LeftOut & { ref: string };

export interface Imported {
  ideas: Idea[];
  leftOut: LeftItem[];
}

/** Ids in the tracker of items that a person's label keeps from being worked on. */
export const heldOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ ref, labels }) => (labels.some((label) => DECIDED.has(label.toLowerCase())) ? [ref] : []));

export function ideasOf(items: readonly Item[], config: TrackerConfig, where: string): Imported {
  const leftOut: LeftItem[] = [];
  const taken = new Map<string, Item>();
  // Some file systems take ids for the same that differ only in case.
  const cased = new Set<string>();
  const prefix = config.idPrefix ?? PREFIX[config.tracker];
  const idOf = (ref: string): string => idFor(prefix, ref);
  for (const item of items) {
    const id = idOf(item.ref);
    const why = cased.has(id.toLowerCase()) ? 'another item has the same id' : whyNot(item, config);
    if (why === undefined) {
      taken.set(id, item);
      cased.add(id.toLowerCase());
    } else leftOut.push({ id, ref: item.ref, title: plainTitle(item.title), line: 0, why });
  }
  const ideas = [...taken].map(([id, item]) => ideaOf(id, item, config, where));
  const known = new Set(taken.keys());
  for (const idea of ideas) {
    const item = taken.get(idea.id);
    const after = [...(item?.after ?? []), ...refsIn(item?.body ?? '')].map(idOf);
    idea.dependsOn = [...new Set(after)].filter((id) => id !== idea.id && known.has(id));
  }
  breakCycles(ideas);
  return { ideas, leftOut };
}

/** Circles that are opened one by one. Issues that all name each other have more than anybody can count. */
const MOST_ROUNDS = 20;

/** A circle would refuse the whole backlog, and anybody can write one. */
function breakCycles(ideas: readonly Idea[]): void {
  const at = new Map(ideas.map(({ id }, index) => [id, index]));
  const graph = (): number[][] => ideas.map(({ dependsOn }) => dependsOn.flatMap((id) => at.get(id) ?? []));
  const drop = (cycle: readonly number[]): void => {
    const around = new Set(cycle.map((index) => ideas[index]?.id));
    for (const index of cycle) {
      const idea = ideas[index];
      if (idea) idea.dependsOn = idea.dependsOn.filter((id) => !around.has(id));
    }
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const cycles = findCycles(graph());
    if (cycles.length === 0) return;
    cycles.forEach(drop);
  }
  // In a knot, each dependency is a part of some circle.
  knots(graph()).forEach(drop);
}

/** Ids stay the same while the item is there. What cannot be part of an id gives way to a fingerprint. */
function idFor(prefix: string, ref: string): string {
  const id = `${prefix}${ref}`;
  if (IDEA_ID.test(id)) return id;
  const words = ref
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30);
  const print = createHash('sha256').update(ref).digest('hex').slice(0, 8);
  return `${prefix}${words === '' ? '' : `${words}-`}${print}`;
}

function whyNot({ member, labels, author }: Item, { trust, trustLabel }: TrackerConfig): string | undefined {
  const trusted = trust === 'anyone' || member || (trustLabel !== undefined && labels.includes(trustLabel));
  if (!trusted) {
    const who = author === undefined ? 'its author' : plainTitle(author);
    const fix = trustLabel === undefined ? 'set trustLabel in ralphctl.yaml' : `set the label ${trustLabel}`;
    return `${who} may not write to the repository; to take it, ${fix}`;
  }
  const held = labels.find((label) => HELD.has(label.toLowerCase()));
  return held === undefined ? undefined : `it has the label ${plainTitle(held)}`;
}

function ideaOf(id: string, item: Item, { tracker }: TrackerConfig, where: string): Idea {
  const title = plainTitle(item.title) || `item ${plainTitle(item.ref)}`;
  const url = item.url === undefined ? '' : inOneLine(item.url).trim();
  const body = readable(item.body).trim();
  const cut = body.length > MAX_TEXT ? `${body.slice(0, MAX_TEXT)}\n[The rest is cut.]` : body;
  const priority = item.priority === undefined ? priorityOf(item.labels) : steps(item.priority);
  return {
    ...{ id, title, text: cut === '' ? title : `${title}\n\n${cut}` },
    ...{ blue: false, dependsOn: [], done: false, ralph: true, success: [], allowEmpty: false },
    tags: item.labels
      .slice(0, MOST_TAGS)
      .flatMap((label) => plainTitle(label).toLowerCase().replaceAll(' ', '-') || []),
    ...(priority ? { priority } : {}),
    source: { file: url || where, line: 0 },
    origin: {
      ...{ tracker, ref: item.ref },
      ...(url === '' ? {} : { url }),
      ...(item.author === undefined ? {} : { author: plainTitle(item.author) }),
    },
  };
}

function priorityOf(labels: readonly string[]): Priority | undefined {
  for (const label of labels) {
    const word = /^(?:priority|prio|severity)\s*[:/=-]+\s*(.+)$/i.exec(label.trim())?.[1] ?? label;
    const found = PRIORITIES.get(word.trim().toLowerCase());
    if (found !== undefined && found !== 0) return { steps: found, said: plainTitle(label) };
  }
  return undefined;
}

const steps = (given: number): Priority | undefined =>
  given === 0 ? undefined : { steps: Math.max(-2, Math.min(2, Math.round(given))), said: `priority ${given}` };

const MOST_LINES = 2000;

/** Lines such as "Depends on #12, #13" and "Blocked by: #7". */
function refsIn(body: string): string[] {
  const lines = body.slice(0, MAX_TEXT).split('\n', MOST_LINES);
  return lines.flatMap((line) => {
    const said = /^[\s>*-]{0,8}(?:depends on|blocked by)\b(.{0,300})/i.exec(line)?.[1] ?? '';
    return [...said.matchAll(/(?<![\w/])#(\d{1,9})\b/g)].map(([, ref = '']) => ref);
  });
}

/** One line without control characters and marks that turn the direction of text. */
export function plainTitle(text: string): string {
  const line = stripVTControlCharacters(text.slice(0, MAX_TITLE * 4))
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...unlinked(line)].slice(0, MAX_TITLE).join('').trim();
}

/** Without what steers a terminal; lines stay. */
const readable = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?/g, '\n')).replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '');
