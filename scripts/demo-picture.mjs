/**
 * Draws the output of a run as an SVG terminal: `node dist/cli.js demo 2>&1
 * node scripts/demo-picture.mjs > docs/demo.svg`. It draws the start, the landings, all lines of one idea whose gate
 * was red, and the end. It keeps the text of these lines, and says how many there are in all.
 */
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

const SIZE = 14;
const ADVANCE = 8.45;
const LINE = 20;
const EDGE = 18;
const BAR = 34;
const WIDEST = 104;
const MOST_LINES = 24;
const COLOUR = {
  plain: '#d6deeb',
  dim: '#7f8ea3',
  green: '#7ee787',
  red: '#ff7b72',
  blue: '#79c0ff',
  yellow: '#e3b341',
};
const BY_GLYPH = { '✓': 'green', '✗': 'red', '▸': 'blue', '↩': 'yellow', '⊗': 'yellow', '?': 'yellow', '·': 'plain' };

const entities = (raw) => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const cut = (line) => (line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line);
const span = (raw, colour) => `<tspan fill="${COLOUR[colour]}">${entities(raw)}</tspan>`;

function drawn(line) {
  const event = /^(\d\d:\d\d:\d\d) (.*)$/.exec(line);
  if (event) return span(`${event[1]} `, 'dim') + span(event[2], BY_GLYPH[event[2][0]] ?? 'plain');
  if (line.startsWith('$ ')) return span('$ ', 'dim') + span(line.slice(2), 'plain');
  if (line.startsWith('completed:')) return span(line, 'green');
  if (line.startsWith('# ')) return span(line, 'dim');
  return span(line, 'plain');
}

function telling(all) {
  const red = all.map((line) => /✗ (\S+) gate red/.exec(line)?.[1]).find((id) => id !== undefined);
  const told = all.filter(
    (line) =>
      /^(?:run \d|completed:)/.test(line) ||
      /^\d\d:\d\d:\d\d (?:run |[▸✓✗?] )/.test(line) ||
      (red !== undefined && / (\S+) /.exec(line.slice(10))?.[1] === red),
  );
  if (told.length <= MOST_LINES - 2) return told;
  throw new Error(`${told.length} lines to draw; at most ${MOST_LINES - 2} fit`);
}

const given = stripVTControlCharacters(await text(process.stdin)).trimEnd();
if (given === '') {
  process.stderr.write(
    'nothing came in. Usage: node dist/cli.js demo 2>&1 | node scripts/demo-picture.mjs > docs/demo.svg\n',
  );
  process.exit(2);
}
const all = given.split('\n');
const told = telling(all);
const lines = ['$ npm start', ...told, `# ${told.length} of its ${all.length} lines`].map(cut);
const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * ADVANCE + 2 * EDGE);
const height = BAR + lines.length * LINE + EDGE;
const rows = lines.map((line, i) => `<text x="${EDGE}" y="${BAR + (i + 1) * LINE - 5}">${drawn(line)}</text>`);
const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
  (fill, i) => `<circle cx="${22 + i * 20}" cy="18" r="6" fill="${fill}"/>`,
);
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Lines of a run of the demo: ideas start, one gate is red, all land">
<rect width="${width}" height="${height}" rx="8" fill="#0d1420"/>
${dots.join('')}
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${SIZE}" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`);
