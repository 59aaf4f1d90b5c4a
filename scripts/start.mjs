/** `npm start [-- <repository> <backlog> [flags]]`: install, build, then the demo or a run on a real repository. */
import { command, ensureInstalled } from './install.mjs';

await ensureInstalled();
const { buildAll } = await import('./build.mjs');
await buildAll();
const [repository, ...rest] = process.argv.slice(2);
const args = repository === undefined ? ['demo'] : ['-C', repository, 'start', ...rest];
process.exitCode = await command(process.execPath, ['dist/cli.js', ...args]);
