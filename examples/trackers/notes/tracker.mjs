#!/usr/bin/env node
/**
 * A tracker for ralphctl in one file: every item is a Markdown file in a folder, and what ralphctl does with it stands
 * in a JSON file beside it. It needs Node and nothing else.
 *
 *   backlog: { tracker: command, run: [./tracker.mjs, ./items], write: true }
 *
 * ralphctl starts it once for each request: one JSON line on stdin, JSON lines on stdout.
 * Schemas: schemas/tracker-request.schema.json and schemas/tracker-answer.schema.json.
 */
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const folder = resolve(process.argv[2] ?? 'items');
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** An item: its title is the first heading; `labels:`, `author:`, `milestone:` and `after:` may stand in lines above it. */
async function readItem(name) {
  const text = await readFile(join(folder, name), 'utf8');
  const [head, ...rest] = text.split(/^# /m);
  const [title = name, ...body] = rest.join('# ').split('\n');
  const field = (key) => new RegExp(`^${key}:(.*)$`, 'm').exec(head)?.[1].trim();
  const list = (key) =>
    (field(key) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  const ref = name.replace(/\.md$/, '');
  const author = field('author');
  const milestone = field('milestone');
  return {
    ref,
    title: title.trim(),
    body: body.join('\n').trim(),
    labels: list('labels'),
    after: list('after'),
    ...(author === undefined ? {} : { author }),
    ...(milestone === undefined ? {} : { milestone }),
    // Whoever can write into the folder belongs to the project, unless the item names a guest.
    member: field('guest') === undefined,
  };
}

const statePath = (ref) => join(folder, `${ref}.json`);

async function readState(ref) {
  try {
    return JSON.parse(await readFile(statePath(ref), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return { open: true, holders: [], comments: [] };
    throw error;
  }
}

/** Changes the state of one item. Two processes never do so at once, and a crash leaves the old state or the new one. */
async function change(ref, edit) {
  if (!/^[\w-]+$/.test(ref)) throw new Error(`there is no item ${ref}`);
  await readFile(join(folder, `${ref}.md`)).catch(() => {
    throw new Error(`there is no item ${ref}`);
  });
  const unlock = await lock(`${statePath(ref)}.lock`);
  try {
    const state = await readState(ref);
    const before = JSON.stringify(state);
    const answer = edit(state);
    if (JSON.stringify(state) !== before) {
      const fresh = `${statePath(ref)}.${process.pid}.tmp`;
      await writeFile(fresh, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
      await rename(fresh, statePath(ref));
    }
    return answer;
  } finally {
    await unlock();
  }
}

/** A lock of a process that is gone is taken over. */
async function lock(path) {
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const pid = Number(await readFile(path, 'utf8').catch(() => '0'));
      if (pid > 0 && !isRunning(pid)) await rm(path, { force: true });
      await sleep(20);
    }
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const isOf = (holder) => (other) => other.owner === holder.owner && other.idea === holder.idea;

/** One comment for each holder and run, which changes. */
function comment(state, holder, text) {
  const own = state.comments.find((one) => isOf(holder)(one.holder) && one.holder.run === holder.run);
  if (own) Object.assign(own, { holder, text });
  else state.comments.push({ holder, text });
}

/** A later run, or a newer start of the idea in this run, has the item: the message is an old one. Run ids sort by time. */
const isOld = (state, { run, life, ...holder }) =>
  state.comments.some(
    (one) => isOf(holder)(one.holder) && (one.holder.run > run || (one.holder.run === run && one.holder.life > life)),
  );

const ops = {
  async check() {
    await readdir(folder);
    return { ok: true };
  },

  async list({ filter }) {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
    let left = filter.most;
    for (const name of names) {
      const item = await readItem(name);
      const { open: isOpen } = await readState(item.ref);
      const wanted = filter.labels.every((label) => item.labels.includes(label));
      const words = (filter.query ?? '').toLowerCase().split(/\s+/);
      const found = words.every((word) => `${item.title}\n${item.body}`.toLowerCase().includes(word));
      if (!isOpen || !wanted || !found || left <= 0) continue;
      if (filter.author !== undefined && item.author !== filter.author) continue;
      if (filter.milestone !== undefined && item.milestone !== filter.milestone) continue;
      left -= 1;
      say({ item });
    }
    return { ok: true };
  },

  /** Optional: what was closed lately, so that triage sees reports that repeat it. */
  async closed({ since, most }) {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
    const items = [];
    for (const name of names) {
      const item = await readItem(name);
      const { open: isOpen, closedAt } = await readState(item.ref);
      if (!isOpen && (closedAt ?? since) >= since) items.push({ ...item, ...(closedAt ? { closed: closedAt } : {}) });
    }
    for (const item of items.slice(0, most)) say({ item });
    return { ok: true };
  },

  claim: ({ ref, holder, text }) =>
    change(ref, (state) => {
      const other = state.holders.find((one) => !isOf(holder)(one));
      if (other) return { taken: `run ${other.run}` };
      // Closed for work that is off the target again: it opens again.
      if (!state.open && state.closedBy && isOf(holder)(state.closedBy))
        Object.assign(state, { open: true, closedBy: undefined });
      if (!state.open) return { taken: 'somebody who has closed it' };
      state.holders = [holder];
      comment(state, holder, text);
      return { ok: true };
    }),

  progress: ({ ref, holder, text }) =>
    change(ref, (state) => {
      if (!isOld(state, holder)) comment(state, holder, text);
      return { ok: true };
    }),

  done: ({ ref, holder, text, close }) =>
    change(ref, (state) => {
      if (isOld(state, holder)) return { ok: true };
      comment(state, holder, text);
      state.holders = state.holders.filter((one) => !isOf(holder)(one));
      if (close) Object.assign(state, { open: false, closedBy: holder, closedAt: new Date().toISOString() });
      return { ok: true };
    }),

  release: ({ ref, holder, text }) =>
    change(ref, (state) => {
      if (isOld(state, holder) || !state.comments.some((one) => isOf(holder)(one.holder))) return { ok: true };
      comment(state, holder, text);
      state.holders = state.holders.filter((one) => !isOf(holder)(one));
      if (state.closedBy && isOf(holder)(state.closedBy)) Object.assign(state, { open: true, closedBy: undefined });
      return { ok: true };
    }),
};

await mkdir(folder, { recursive: true });
let input = '';
for await (const part of process.stdin) input += part;
try {
  const request = JSON.parse(input);
  if (request.version !== 1) throw new Error(`this tracker speaks version 1, not ${request.version}`);
  const carryOut = Object.hasOwn(ops, request.op) ? ops[request.op] : undefined;
  if (!carryOut) throw new Error(`this tracker does not know ${request.op}`);
  say(await carryOut(request));
} catch (error) {
  say({ error: error.message, retry: false });
}
