/**
 * The report as one page that loads nothing: no script, no font, no external picture.
 * Invariant: escapes every text. A page of 100 ideas stays below MOST_BYTES, and the page names omitted parts.
 */

import { sinceText } from '../model/at-end.js';
import { UNDELIVERED } from '../protocol/command.js';
import { cutAroundCommands } from '../protocol/cut.js';
import { dollars, many, moneyText, short, UNKNOWN } from '../screen/text/numbers.js';
import { clock, lasted } from '../screen/text/time.js';
import { gateWords } from '../screen/words/gate-words.js';
import { withCommands } from './commands.js';
import { notReported, ranText, reportCommand, targetText, whenText } from './head.js';
import { esc, escLines, STYLE } from './html-parts.js';
import { timeline } from './html-timeline.js';
import { type Rest, restOf } from './rest.js';
import type { AgentRun, LandedIdea, OpenIdea, Report, Todo } from './schema.js';
import { slotWords } from './slot-use.js';
import { signOf } from './text.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
export const MOST_BYTES = 300_000;
/** With more ideas, the page omits details of landed ones. */
const MOST_DETAILED = 100;
const MOST_ROWS = 300;
const MOST_CARDS = 40;
/** Maximum length of a text without details. */
const MOST_TEXT = 600;
const MOST_TITLE = 120;

/** Levels of detail for landed ideas, the most detailed first. */
const LEVELS = ['all', 'no words', 'no details'] as const;
type Level = (typeof LEVELS)[number];

export function htmlReport(report: Report): string {
  const many = report.landed.length + report.open.length > MOST_DETAILED;
  const levels: readonly Level[] = many ? ['no details'] : LEVELS;
  let page = '';
  for (const level of levels) {
    page = new Page(report, level).whole();
    if (page.length < MOST_BYTES && new TextEncoder().encode(page).length < MOST_BYTES) break;
  }
  return page;
}

class Page {
  readonly #report: Report;
  readonly #level: Level;
  readonly #anchors: ReadonlyMap<string, string>;

  constructor(report: Report, level: Level) {
    this.#report = report;
    this.#level = level;
    const ideas = [...report.landed.slice(0, MOST_ROWS), ...report.open.slice(0, MOST_ROWS)];
    this.#anchors = new Map(ideas.map(({ idea }, n) => [idea, `i${n}`]));
  }

  whole(): string {
    const { run } = this.#report;
    const title = `${run.name}: ${whenText(run)}`;
    const parts = [
      this.#head(),
      this.#todo(),
      this.#night(),
      this.#landed(),
      this.#open(),
      this.#groups(),
      this.#look(),
    ];
    return (
      '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
      `<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
      '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">' +
      `<title>${esc(title)}</title><style>${STYLE}</style></head>\n<body>\n${parts.filter(Boolean).join('\n')}\n${this.#foot()}\n</body></html>\n`
    );
  }

  #head(): string {
    const { run, counts } = this.#report;
    const target = targetText(this.#report);
    const since = sinceText(this.#report.since ?? []);
    const stat = (value: string, what: string): string => `<li><b>${esc(value)}</b>${esc(what)}</li>`;
    const still = run.still ? `<p>${esc(run.still)}</p>` : '';
    const why =
      run.state === 'completed' ? '' : `<p>${esc(run.state)}${run.why ? `: ${esc(run.why)}` : ''}</p>${still}`;
    const stats = [
      stat(`${counts.landed}`, counts.landedBefore > 0 ? 'landed in this run' : 'landed'),
      ...(counts.landedBefore > 0 ? [stat(`${counts.landed + counts.landedBefore}`, 'in all')] : []),
      ...(counts.gone ? [stat(`${counts.gone}`, `no longer on ${run.target}`)] : []),
      stat(`${counts.open}`, 'not'),
      ...(counts.leftOut ? [stat(`${counts.leftOut}`, 'left out')] : []),
      stat(`${counts.iterations}`, counts.iterations === 1 ? 'iteration' : 'iterations'),
      ...(counts.dollars === undefined ? [] : [stat(moneyText(counts), '')]),
      ...(counts.tokens === undefined ? [] : [stat(short(counts.tokens), 'tokens')]),
      ...(run.ms === undefined ? [] : [stat(ranText(run), '')]),
      ...(counts.conflicts > 0
        ? [stat(`${counts.conflicts}`, `${counts.conflicts === 1 ? 'conflict' : 'conflicts'} on landing`)]
        : []),
    ];
    return (
      `<header><h1>${esc(run.name)}</h1><p class="soft">${esc(whenText(run))}, onto ${esc(run.target)}</p>` +
      `${target ? `<p>${esc(target)}</p>` : ''}${since ? `<p>${esc(since)}</p>` : ''}${why}<ul class="stats">${stats.join('')}</ul></header>`
    );
  }

  #todo(): string {
    const { todo } = this.#report;
    if (todo.length === 0) return '<main><h2>To do</h2><p>Nothing waits for you.</p>';
    const more =
      todo.length > MOST_CARDS
        ? `<p>${todo.length - MOST_CARDS} more: <code>${esc(reportCommand(this.#report))} --all</code></p>`
        : '';
    return `<main><h2>To do (${todo.length})</h2><div class="cards">${todo
      .slice(0, MOST_CARDS)
      .map((one) => this.#card(one))
      .join('')}</div>${more}`;
  }

  #card({ idea, subject, state, text, notes, since, fix, commands }: Todo): string {
    const open = this.#report.open.find((one) => one.idea === idea);
    const full = this.#level !== 'no details';
    // Only an idea has a place with the whole text.
    const short = !full && idea !== undefined && text.length > MOST_TEXT;
    const shown = short ? `${cutAroundCommands(text, MOST_TEXT, MOST_TEXT)} (whole: ralphctl why ${idea})` : text;
    const anchor = idea === undefined ? undefined : this.#anchors.get(idea);
    const asked =
      since !== undefined && (state === 'asks' || state === 'approve') ? ` since ${clock(since, this.#report.at)}` : '';
    const title = open && open.title !== text ? `<p class="soft">${esc(open.title)}</p>` : '';
    const words =
      open?.words && full ? details('last words of its agent', `<blockquote>${escLines(open.words)}</blockquote>`) : '';
    const tail =
      open?.gateTail && full
        ? details('last gate output', `<blockquote class="mono">${escLines(open.gateTail)}</blockquote>`)
        : '';
    const log = open?.gateLog
      ? `<p class="soft">output of its gate: <span class="mono">${esc(open.gateLog)}</span></p>${tail}`
      : '';
    return (
      `<section class="card ${look(state)}"${anchor ? ` id="${anchor}"` : ''}><h3><span class="sign">${esc(signOf(state))}</span>${esc(subject)}` +
      `${state ? ` <span class="soft">${esc(state)}${esc(asked)}</span>` : ''}</h3>${title}<p>${escLines(shown)}</p>` +
      `${notes.map((note) => `<p class="soft">${esc(note)}</p>`).join('')}<p class="fix">${fixLine(fix, commands)}</p>${log}${words}` +
      `${open && open.runs.length > 0 && full ? details(many(open.runs.length, 'agent run'), runList(open.runs)) : ''}</section>`
    );
  }

  #night(): string {
    const linked = this.#level !== 'no details';
    const drawing = timeline(this.#report, linked ? (idea) => this.#anchors.get(idea) : undefined);
    if (drawing === '') return '';
    const words = this.#report.slotTime && slotWords(this.#report.slotTime);
    const slots = words ? `<p class="soft">The slots: ${esc(words.text)}.</p>` : '';
    return `<h2>${whenText(this.#report.run).startsWith('the night') ? 'The night' : 'The run'}</h2>${drawing}${slots}`;
  }

  #landed(): string {
    const { landed, counts } = this.#report;
    if (landed.length === 0) return '';
    const head =
      '<div class="row head"><span>idea</span><span></span><span class="n">iterations</span><span class="n">took</span>' +
      '<span class="n">cost</span><span class="n">lines</span><span class="n">tests</span></div>';
    const rows = landed.slice(0, MOST_ROWS).map((one) => this.#row(one));
    const left = [
      ...(landed.length > MOST_ROWS
        ? [`${landed.length - MOST_ROWS} more landed: <code>${esc(reportCommand(this.#report))} --all</code>`]
        : []),
      ...(this.#level === 'all'
        ? []
        : [
            `${this.#level === 'no words' ? 'The last words of agents' : 'Details'} of landed ideas are left out to keep this page small: <code>ralphctl show IDEA</code>`,
          ]),
      ...(counts.unknownDollars > 0 ? [`Cost: ${esc(notReported(this.#report))}.`] : []),
    ];
    return `<h2>Landed (${landed.length})</h2><div class="rows">${head}${rows.join('')}</div>${left.map((text) => `<p class="soft">${text}</p>`).join('')}`;
  }

  #row(one: LandedIdea): string {
    const n = (name: string, value: string): string => `<span class="n" data-name="${name}">${esc(value)}</span>`;
    const cells = [
      `<span class="id landed">${esc(one.idea)}</span><span class="title">${esc(one.title.slice(0, MOST_TITLE))}</span>`,
      n('iterations', `${one.iterations}`),
      n('took', one.agentMs === undefined ? UNKNOWN : lasted(one.agentMs)),
      n('cost', moneyText(one)),
      n('lines', one.lines ? `+${one.lines.added} −${one.lines.deleted}` : UNKNOWN),
      n('tests', one.tests ? `${one.tests.passed}/${one.tests.total}` : UNKNOWN),
    ].join('');
    const look = one.look
      .slice(0, 20)
      .map((text) => `<p><span class="sign blocked">!</span>${esc(text)}</p>`)
      .join('');
    const anchor = `<a id="${this.#anchors.get(one.idea) ?? ''}"></a>`;
    if (this.#level === 'no details')
      return `<div>${anchor}<div class="row">${cells}</div>${look ? `<div class="in">${look}</div>` : ''}</div>`;
    const said = one.said.map(
      (word) =>
        `<p>you said (${esc(word.verb)}, ${clock(word.at, this.#report.at)})${word.text ? `: ${escLines(word.text)}` : ''}${word.undelivered ? ` (${UNDELIVERED})` : ''}</p>`,
    );
    const { commits } = one;
    const range = commits
      ? `<p class="soft">${many(commits.count, 'commit')}: <code>git show ${esc(commits.count === 1 ? commits.to.slice(0, 10) : `${commits.from.slice(0, 10)}^..${commits.to.slice(0, 10)}`)}</code></p>`
      : '';
    const words =
      one.words && this.#level === 'all'
        ? details('last words of its agent', `<blockquote>${escLines(one.words)}</blockquote>`)
        : '';
    return `<details${one.look.length > 0 ? ' open' : ''}><summary>${cells}</summary><div class="in">${anchor}${look}${runList(one.runs)}${said.join('')}${range}${words}</div></details>`;
  }

  #open(): string {
    const most = this.#level === 'no details' ? MOST_TITLE : MOST_TEXT;
    const row = (one: OpenIdea): string =>
      `<div class="why ${look(one.state)}"><span class="id"><a id="${this.#anchors.get(one.idea) ?? ''}"></a><span class="sign">${esc(signOf(one.state))}</span>${esc(one.idea)}</span>` +
      `<span><b>${esc(one.state)}</b> ${escLines(cutAroundCommands(one.reason ?? one.title, most, most))}${beside(one.later ? [one.later] : one.notes)}</span></div>`;
    const part = ({ title, ideas }: Rest): string => {
      const left = ideas.length - MOST_ROWS;
      const more =
        left > 0 ? `<p class="soft">${left} more: <code>${esc(reportCommand(this.#report))} --all</code></p>` : '';
      return `<h2>${title} (${ideas.length})</h2><div class="rows">${ideas.slice(0, MOST_ROWS).map(row).join('')}</div>${more}`;
    };
    return restOf(this.#report, this.#report.todo.slice(0, MOST_CARDS)).map(part).join('');
  }

  #groups(): string {
    const { groups } = this.#report;
    const rows = groups
      .slice(0, MOST_ROWS)
      .map(
        ({ id, title, done, total }) =>
          `<li>${bar(total === 0 ? 0 : done / total)}<b>${esc(id)}</b> ${done}/${total} <span class="soft">${esc(title)}</span></li>`,
      );
    return rows.length === 0 ? '' : `<h2>Groups</h2><ul class="runs">${rows.join('')}</ul>`;
  }

  #look(): string {
    const rows = this.#report.look.map(({ kind, text }) => `<dt>${esc(kind)}</dt><dd>${esc(text)}</dd>`);
    return `${rows.length === 0 ? '' : `<h2>Worth a look</h2><dl class="look">${rows.join('')}</dl>`}</main>`;
  }

  #foot(): string {
    const { run, zone, at, target } = this.#report;
    const span = target?.from
      ? ` Commits: <code>git log ${esc(target.from.slice(0, 10))}..${esc(target.to.slice(0, 10))}</code>`
      : '';
    return (
      `<footer><p>Times are local (${esc(zone)}). Made by ralphctl at ${clock(at, run.startedAt ?? at)} from run ${esc(run.runId)}` +
      `${run.agents.length > 0 ? ` with ${esc(run.agents.join(', '))}` : ''}. Nothing is loaded from anywhere.${span}</p></footer>`
    );
  }
}

const look = (state: string | undefined): string => (state ?? 'other').replaceAll(' ', '-');
const beside = (texts: readonly string[]): string =>
  texts.length === 0 ? '' : ` <span class="soft">(${texts.map(esc).join('; ')})</span>`;
const details = (summary: string, inner: string): string =>
  `<details><summary>${esc(summary)}</summary>${inner}</details>`;
const bar = (part: number): string =>
  `<span class="bar${part >= 1 ? ' done' : ''}"><i style="width:${Math.round(Math.max(0, Math.min(1, part)) * 100)}%"></i></span>`;

/** Maximum number of agent runs shown per idea. */
const MOST_RUNS = 40;

function runList(runs: readonly AgentRun[]): string {
  let part = 0;
  const rows = runs.map((run) => {
    if (run.percent !== undefined) part = run.percent / 100;
    if (run.signal === 'COMPLETE' && !run.turnedDown && run.gate?.pass !== false) part = 1;
    const tests = run.gate?.tests ? ` ${run.gate.tests.passed}/${run.gate.tests.total}` : '';
    const gate = run.gate ? gateWords(run.gate, tests) : '';
    const beside = [
      run.signal ?? run.outcome ?? '',
      run.outcome && run.outcome !== 'ok' && run.signal ? run.outcome : '',
      run.ms === undefined ? '' : lasted(run.ms),
      run.commits ? many(run.commits, 'commit') : '',
      run.dollars === undefined ? '' : dollars(run.dollars),
      gate,
    ].filter(Boolean);
    return `<li><span class="mono">#${run.serial}</span>${bar(part)}${esc(beside.join(' · '))}</li>`;
  });
  const left = rows.length - MOST_RUNS;
  return `<ul class="runs">${left > 0 ? `<li class="soft">${left} earlier agent runs</li>` : ''}${rows.slice(-MOST_RUNS).join('')}</ul>`;
}

/** The sentence, with its commands as code. */
const fixLine = (fix: string, commands: readonly string[]): string =>
  withCommands(fix, commands, esc, (command) => `<code>${esc(command)}</code>`);
