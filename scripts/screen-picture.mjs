/**
 * Draws the full screen of a real run as an SVG: `node scripts/screen-picture.mjs > docs/demo.svg`, after a build. The run
 * is that of examples/demo with a few ideas more, in a throw-away repository, with the scripted agent.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { parse, stringify } from 'yaml';

const COLUMNS = 98;
const ROWS = 25;
const SIZE = 14;
const ADVANCE = 8.43;
const LINE = 19;
const EDGE = 18;
const BAR = 34;
const COLOUR = { 1: '#ff7b72', 2: '#7ee787', 3: '#e3b341', 4: '#79c0ff', 6: '#76e3ea', 8: '#7f8ea3' };
const PLAIN = '#d6deeb';
const DIM = '#7f8ea3';

const base = mkdtempSync(join(tmpdir(), 'ralphctl-picture-'));
const repo = join(base, 'text-kit');
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const env = {
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
  ...{ RALPHCTL_HOME: join(base, 'state'), RALPHCTL_PORT: '0', RALPHCTL_UI_PORT: '0' },
};

/** Ideas that wait, ask or work when the picture is taken. */
const MORE = {
  'price-001': ['Round prices', [{ signal: 'NEEDS_HUMAN: Round half up, or half to even as banks do?' }]],
  'deploy-001': ['Publish the package', [{ signal: 'BLOCKED: no key for the package registry' }]],
  'search-001': [
    'Search by name and category',
    [
      {
        do: [{ append: { path: 'src/search.js', text: '// by name\n' } }, { commit: 'feat: by name' }],
        signal: 'PROGRESS: 60',
      },
      { do: [{ say: 'I look at the tests first.' }, { waitFor: { path: join(base, 'go') } }], signal: 'COMPLETE' },
    ],
  ],
  'trim-001': [
    'Trim what is typed',
    [{ do: [{ say: 'I look at the tests first.' }, { waitFor: { path: join(base, 'go') } }], signal: 'COMPLETE' }],
  ],
};

function prepare() {
  mkdirSync(repo);
  cpSync(fileURLToPath(new URL('../examples/demo', import.meta.url)), repo, { recursive: true });
  const script = parse(readFileSync(join(repo, '.ralph-script.yaml'), 'utf8'));
  const lines = ['', '### Phase 3: Shop', ''];
  for (const [id, [title, entries]] of Object.entries(MORE)) {
    script.ideas[id] = entries;
    lines.push(`- [ ] **${id}**: ${title}`, '  - ralph: true');
  }
  lines.push('- [ ] **mail-001**: Send the invoice', '  - ralph: true', '  - depends: search-001');
  writeFileSync(join(repo, '.ralph-script.yaml'), stringify(script));
  writeFileSync(
    join(repo, 'roadmap.md'),
    `${readFileSync(join(repo, 'roadmap.md'), 'utf8').trimEnd()}\n${lines.join('\n')}\n`,
  );
  const git = (...args) => execFileSync('git', args, { cwd: repo, stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'demo');
  git('config', 'user.email', 'demo@localhost');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'start');
}

const ralphctl = (...args) => execFileSync(process.execPath, [cli, ...args], { cwd: repo, env, stdio: 'ignore' });

/** The cells of the screen once it shows everything that `wanted` names. */
async function taken(wanted) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const pty = spawn(process.execPath, [cli], { name: 'xterm-256color', cols: COLUMNS, rows: ROWS, cwd: repo, env });
  pty.onData((data) => terminal.write(data));
  try {
    for (const end = Date.now() + 180_000; Date.now() < end; await delay(250)) {
      const lines = rowsOf(terminal).map((cells) => cells.map(({ text }) => text).join(''));
      if (wanted.every((one) => lines.some((line) => one.test(line)))) return rowsOf(terminal);
    }
    throw new Error(`the screen never showed all of ${wanted.join(' ')}`);
  } finally {
    pty.kill();
  }
}

function rowsOf(terminal) {
  const buffer = terminal.buffer.active;
  return Array.from({ length: ROWS - 1 }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    return Array.from({ length: COLUMNS }, (__, column) => {
      const cell = line?.getCell(column);
      const colour = cell?.isFgDefault() ? undefined : COLOUR[cell?.getFgColor() ?? -1];
      return {
        text: cell?.getChars() || ' ',
        fill: colour ?? (cell?.isDim() ? DIM : PLAIN),
        bold: Boolean(cell?.isBold()),
        inverse: Boolean(cell?.isInverse()),
      };
    });
  });
}

/** Blanks that nobody collapses. */
const entities = (raw) =>
  raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');
const at = (column) => (EDGE + column * ADVANCE).toFixed(1);

/** Neighbours of one look are one span; each span says where it begins, so that no font moves the columns. */
function drawn(cells, row) {
  const y = BAR + (row + 1) * LINE;
  const spans = [];
  for (const [column, cell] of cells.entries()) {
    const last = spans.at(-1);
    if (last && ['fill', 'bold', 'inverse'].every((key) => last[key] === cell[key])) last.text += cell.text;
    else spans.push({ ...cell, column });
  }
  return spans
    .map(({ text, fill, bold, inverse, column }) => {
      const back = inverse
        ? `<rect x="${at(column)}" y="${y - LINE + 5}" width="${(text.length * ADVANCE).toFixed(1)}" height="${LINE}" fill="#2a3a52"/>`
        : '';
      if (text.trim() === '') return back;
      const weight = bold ? ' font-weight="bold"' : '';
      const length = (text.length * ADVANCE).toFixed(1);
      return `${back}<text x="${at(column)}" y="${y}" fill="${fill}"${weight} textLength="${length}">${entities(text)}</text>`;
    })
    .join('');
}

function svg(rows) {
  const width = Math.ceil(COLUMNS * ADVANCE + 2 * EDGE);
  const height = BAR + rows.length * LINE + EDGE;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `<circle cx="${22 + i * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The full screen of a run: ideas landed, one asks a question, one is blocked, two are at work">
<rect width="${width}" height="${height}" rx="8" fill="#0d1420"/>
${dots.join('')}
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${SIZE}" xml:space="preserve">
${rows.map(drawn).join('\n')}
</g>
</svg>
`;
}

try {
  prepare();
  ralphctl('start', '--detach');
  const rows = await taken([
    /6 landed/,
    /price-001 +asks/,
    /deploy-001 +blocked/,
    /search-001 .*2\/30/,
    /trim-001 .*1\/30/,
  ]);
  process.stdout.write(svg(rows));
} finally {
  for (const args of [['abort'], ['worker', '--stop'], ['server', 'stop', '--force']])
    try {
      ralphctl(...args);
    } catch {
      // The run has not begun, or is over.
    }
  rmSync(base, { recursive: true, force: true, maxRetries: 3 });
}
