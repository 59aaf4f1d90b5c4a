/** Rows of the agent matrix as text and as Markdown. Pure. */

/** test/agents/rig/judge.ts writes the problem of a row into the row. */
const good = (row) => row.wrong.length === 0;

/** One CLI, one line per case. */
export function asTable(cli, rows) {
  const about = rows.find((row) => row.missing);
  if (about) return `\n${cli}: not installed: ${about.missing}`;
  if (rows.length === 0) return `\n${cli}: no rows`;
  const lines = rows.map((row) => [
    good(row) ? 'ok' : 'NOT AS EXPECTED',
    row.name,
    row.kind,
    row.wallMs === undefined ? '' : `${(row.wallMs / 1000).toFixed(1)} s`,
    row.requests === undefined ? '' : `${row.requests} requests`,
    good(row) ? '' : row.wrong.join('; ').replaceAll('\n', ' ').slice(0, 300),
  ]);
  const width = (i) => Math.max(...lines.map((line) => line[i].length));
  const widths = lines[0].map((_, i) => width(i));
  const text = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  );
  return [`\n${cli} ${rows[0].version}`, ...text].join('\n');
}

/** The commits of the rows, the most frequent first. */
function commitsOf(rows) {
  const counts = new Map();
  for (const { commit } of rows) counts.set(commit, (counts.get(commit) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([commit]) => commit);
}

const NOTES = '¹²³⁴⁵⁶⁷⁸⁹';

/** Cases down, CLIs across. A cell shows the reading of the run, its time, and its commit if it differs. */
export function asMarkdown(all) {
  const clis = Object.keys(all);
  const [commit, ...others] = commitsOf(Object.values(all).flat());
  if (others.length > NOTES.length)
    throw new Error(`rows of ${others.length + 1} commits are no table: run them again`);
  const names = [...new Set(clis.flatMap((cli) => all[cli].flatMap((row) => row.name ?? [])))];
  const cell = (cli, name) => {
    const row = all[cli].find((one) => one.name === name);
    if (!row) return '–';
    const seconds = row.wallMs === undefined ? '' : ` ${Math.round(row.wallMs / 1000)} s`;
    const mark = good(row) ? '' : ' **(not as expected)**';
    const note = row.commit === commit ? '' : NOTES[others.indexOf(row.commit)];
    return `${row.kind}${seconds}${note}${mark}`;
  };
  const version = (cli) => all[cli].find((row) => row.version)?.version ?? 'not run';
  return [
    [`Ran at commit \`${commit}\`.`, ...others.map((one, i) => `${NOTES[i]} Ran again at commit \`${one}\`.`)].join(
      ' ',
    ),
    '',
    `| case | ${clis.map((cli) => `${cli} ${version(cli)}`).join(' | ')} |`,
    `|---|${clis.map(() => '---').join('|')}|`,
    ...names.map((name) => `| ${name} | ${clis.map((cli) => cell(cli, name)).join(' | ')} |`),
  ].join('\n');
}

const BEGIN = '<!-- agent matrix: npm run test:agents -- --write-docs -->';
const END = '<!-- end of agent matrix -->';

/** The text with the table between the two markers. Throws when they are missing. */
export function withMatrix(text, table) {
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`docs/agents.md has no lines "${BEGIN}" and "${END}" to write between`);
  return `${text.slice(0, from)}${BEGIN}\n${table}\n${text.slice(to)}`;
}
