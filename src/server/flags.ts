/**
 * The command line of the embedded server, with flags of `temporal server start-dev` 1.5.1. Each setting has a
 * measurement that justifies it beside it (two cores, one activity round trip).
 */
import { SEARCH_ATTRIBUTES } from '../protocol/names.js';
import { HOST, type ServerPorts } from './files.js';

/** WAL with full sync: a power cut loses nothing, and twenty slots run twice as fast (140 ms an idea down to 70). */
const PRAGMAS = ['journal_mode=wal', 'synchronous=full'];

/**
 * Tried and left out: one partition per task queue, no per-namespace system workers, a higher visibility poll rate,
 * GOGC=50 with GOMEMLIMIT (171 MB instead of 200 after 150 ideas). No figure changed by more than the noise: 14 to 25
 * ms a round trip, 48 to 56 ms an idea at 20 slots, 0.6 to 1 % of an idle core with three workers polling, 0.2 %
 * without.
 */
const DYNAMIC_CONFIG = {
  // With the default of 20 polls a second every queue waits up to 50 ms: 89 ms a round trip, 25 ms with these two.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  // Only this matcher honours priorities, and servers before 1.30 do not use it by default. Without it, a landing and
  // `status` waited 20 s behind the tasks that a hundred ideas had queued.
  'matching.useNewMatcher': true,
  // Each partition orders its own tasks, so there must be only one. The server still reads old tasks in the other
  // three.
  'matching.numTaskqueueWritePartitions': 1,
  // Workflows in memory, open and closed. With the default of 8096, 10,000 ideas cost 300 MB; at most about 400 are
  // open.
  'history.hostLevelCacheMaxSize': 512,
  // With the default of true, each project adds 1,500 metrics. The server keeps them in memory and visits each of them
  // every second.
  'metrics.breakdownByTaskQueue': false,
};

/** Marks the process as the owner of one database; findServers() looks for it. */
export const DATABASE_FLAG = '--db-filename';

/** Arguments of `temporal` that start the server on `database`, loopback only. */
export function serverArguments(database: string, ports: Required<ServerPorts>): string[] {
  const args = ['server', 'start-dev', DATABASE_FLAG, database, '--ip', HOST, '--ui-ip', HOST];
  args.push('--port', String(ports.grpc), '--ui-port', String(ports.ui));
  args.push('--http-port', String(ports.http), '--metrics-port', String(ports.metrics));
  args.push('--log-level', 'warn', '--log-format', 'json');
  for (const pragma of PRAGMAS) args.push('--sqlite-pragma', pragma);
  for (const [key, value] of Object.entries(DYNAMIC_CONFIG)) args.push('--dynamic-config-value', `${key}=${value}`);
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) args.push('--search-attribute', `${name}=${type}`);
  return args;
}

/** The ports of a running server, from its arguments. */
export function portsFromArguments(args: readonly string[]): ServerPorts | undefined {
  const value = (flag: string): number => Number(args[args.indexOf(flag) + 1]);
  const ports = {
    grpc: value('--port'),
    ui: value('--ui-port'),
    http: value('--http-port'),
    metrics: value('--metrics-port'),
  };
  return Object.values(ports).every((port) => Number.isInteger(port) && port > 0) ? ports : undefined;
}
