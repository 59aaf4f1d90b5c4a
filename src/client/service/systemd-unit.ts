/**
 * The systemd user unit of a project as text, by the rules of systemd.service(5) and systemd.exec(5). Pure.
 * Invariant: whatever is in a path, systemd reads exactly that path again, or `unitProblem` names why it cannot.
 */

/** What a service starts, and with what; also what a launchd agent is made of. */
export interface ServiceSpec {
  project: string;
  /** Root of the checkout, for people. */
  repo: string;
  node: string;
  program: string;
  /** 0600; holds `variables`. */
  envFile: string;
  variables: ReadonlyMap<string, string>;
  /** Folder for the output, where the service manager keeps none. */
  logs: string;
  /** Major version; undefined where it is unknown. */
  systemd?: number | undefined;
}

export const argumentsOf = ({ node, program, project }: ServiceSpec): string[] => [
  node,
  program,
  'service',
  'run',
  '--project',
  project,
];

/** `RestartSteps` and `RestartMaxDelaySec`. */
const WITH_BACK_OFF = 254;

/**
 * One word of a command line: in quotes, where systemd undoes C escapes, then specifiers.
 * @param first the program; systemd puts no variables into it, so its dollars stay single
 */
export function execWord(text: string, first = false): string {
  const doubled = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  const literal = first ? doubled : doubled.replaceAll('$', '$$$$');
  return `"${literal.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}"`;
}

/** The value of `EnvironmentFile=`: no quotes, specifiers, and a pattern of file names. */
const pathPattern = (path: string): string => path.replace(/[\\*?[\]]/g, '\\$&').replaceAll('%', '%%');

/** Control characters in the value of a line without quotes would end the line or be lost. */
export function unitProblem({ envFile }: ServiceSpec): string | undefined {
  if (/[\p{Cc}]/u.test(envFile)) return `the path ${JSON.stringify(envFile)} has control characters`;
  return undefined;
}

/** systemd refuses a program with quotes or backslashes in its path, so a shell starts that one. */
const startable = (words: string[]): string[] =>
  /["'\\]/.test(words[0] ?? '') ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...words] : words;

export function systemdUnit(spec: ServiceSpec): string {
  const [program = '', ...rest] = startable(argumentsOf(spec));
  const command = [execWord(program, true), ...rest.map((word) => execWord(word))].join(' ');
  const steps = (spec.systemd ?? 0) >= WITH_BACK_OFF;
  const lines = [
    '# Written by: ralphctl service install. The next install replaces this file.',
    `# Your own settings belong into a drop-in: systemctl --user edit ${unitName(spec.project)}`,
    '[Unit]',
    `Description=ralphctl: goes on with an open run of ${spec.project}`,
    '# The delays below grow; systemd must never give up.',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `EnvironmentFile=${pathPattern(spec.envFile)}`,
    `ExecStart=${command}`,
    '# Code 0: no run is open, or a person stopped the worker. It stays down.',
    'Restart=on-failure',
    ...(steps ? ['RestartSec=5', 'RestartSteps=8', 'RestartMaxDelaySec=600'] : ['RestartSec=60']),
    '# Bad settings: trying again fixes nothing. A full disk has another code.',
    'RestartPreventExitStatus=2',
    '# The worker saves running iterations and hands them back.',
    'TimeoutStopSec=90',
    '# ralphctl ends its own agents. The Temporal server, which this service may have started, serves other projects.',
    'KillMode=process',
    '# An agent without memory is one failed iteration, not the end of the service.',
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=default.target',
  ];
  return `${lines.join('\n')}\n`;
}

/** The id of a project has lower case letters, digits and dashes. */
export const unitName = (project: string): string => `ralphctl-${project}.service`;
