/** The id of this build. Starting a run replaces a background worker of another build. */
import { readFileSync } from 'node:fs';

declare const __BUILD_ID__: string | undefined;
declare const __VERSION__: string | undefined;

export const buildId = (): string => (typeof __BUILD_ID__ === 'string' ? __BUILD_ID__ : 'source');

export function version(): string {
  if (typeof __VERSION__ === 'string') return __VERSION__;
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
