/** The launchd agent of a project as a property list. Pure. */
import { argumentsOf, type ServiceSpec } from './systemd-unit.js';

export const agentLabel = (project: string): string => `ralphctl.${project}`;

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const string = (text: string): string => `<string>${xml(text)}</string>`;

/** XML 1.0 has no way to write most control characters. */
export function plistProblem(spec: ServiceSpec): string | undefined {
  const texts = [...argumentsOf(spec), spec.logs, ...spec.variables.values()];
  const bad = texts.find((text) => /[^\P{Cc}\t\n\r]/u.test(text));
  return bad === undefined ? undefined : `a property list cannot hold the control characters of ${JSON.stringify(bad)}`;
}

/** launchd reads no file of variables, so they are in the list itself, which has mode 0600. */
export function launchdPlist(spec: ServiceSpec): string {
  const log = `${spec.logs}/service.log`;
  const variables = [...spec.variables].map(([name, value]) => `    <key>${xml(name)}</key>${string(value)}`);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<!-- Written by: ralphctl service install. The next install replaces this file. -->',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${string(agentLabel(spec.project))}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...argumentsOf(spec).map((word) => `    ${string(word)}`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...variables,
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <!-- Code 0: no run is open, or a person stopped the worker. It stays down. -->',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>60</integer>',
    '  <!-- The worker saves running iterations and hands them back. -->',
    '  <key>ExitTimeOut</key><integer>90</integer>',
    '  <key>AbandonProcessGroup</key><true/>',
    `  <key>StandardOutPath</key>${string(log)}`,
    `  <key>StandardErrorPath</key>${string(log)}`,
    '</dict>',
    '</plist>',
  ];
  return `${lines.join('\n')}\n`;
}
