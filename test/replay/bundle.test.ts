/** What is in the workflow bundle: the four workflows, deciding and the protocol; nothing that touches the world. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../scripts/workflow-bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entry = fileURLToPath(new URL('../../src/workflows/index.ts', import.meta.url));
const LARGEST = 3.5 * 1024 * 1024;

type Hook = NonNullable<BundleOptions['webpackConfigHook']>;
interface Module {
  resource?: string;
  identifier(): string;
}

describe('the workflow bundle', () => {
  let code = '';
  let exported: unknown;
  /** Files relative to the repository; what is no file stands with its identifier. */
  const modules: string[] = [];
  const said: string[] = [];

  beforeAll(async () => {
    const look: Hook = (config) => ({
      ...config,
      plugins: [
        ...(config.plugins ?? []),
        {
          apply(compiler) {
            compiler.hooks.done.tap('look', ({ compilation }) => {
              for (const module of compilation.modules as Iterable<Module>) {
                modules.push(module.resource ? relative(root, module.resource) : module.identifier());
                if (module.resource !== entry) continue;
                exported = compilation.moduleGraph.getExportsInfo(module as never).getProvidedExports();
              }
            });
          },
        },
      ],
    });
    const note = (message: string): void => void said.push(message);
    const logger = { trace() {}, debug() {}, info() {}, log() {}, warn: note, error: note };
    code = await bundleWorkflows({ logger, webpackConfigHook: look });
  }, 120_000);

  it('is built without a warning', () => {
    expect(said).toEqual([]);
  });

  it('stays small', () => {
    expect(Buffer.byteLength(code)).toBeGreaterThan(100_000);
    expect(Buffer.byteLength(code)).toBeLessThan(LARGEST);
  });

  it('exports the four workflows and nothing else', () => {
    expect([...(exported as string[])].sort()).toEqual(['alerts', 'autopilot', 'idea', 'tracker']);
  });

  it('holds of our sources workflows, decisions and protocol only', () => {
    const ours = modules.filter((path) => path.startsWith('src/'));
    expect(ours).toContain('src/workflows/run/autopilot.ts');
    expect(ours).toContain('src/decide/run/autopilot.ts');
    expect(ours.filter((path) => !/^src\/(workflows|decide|protocol)\//.test(path))).toEqual([]);
  });

  it('holds no Node built-in and no SDK package of the outside', () => {
    const packages = new Set(modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
    expect(packages).toContain('@temporalio/workflow');
    for (const name of ['activity', 'client', 'worker', 'core-bridge', 'testing', 'envconfig']) {
      expect(packages).not.toContain(`@temporalio/${name}`);
    }
    for (const name of ['zod', 'execa', 'simple-git', 'pino', 'yaml', 'commander'])
      expect(packages).not.toContain(name);
    // The sandbox has its own versions of these, which touch nothing.
    const builtIns = modules.filter((path) => /^(external|node:|ignored)/.test(path));
    expect(builtIns.filter((path) => !/__temporal_|"?(assert|url|util)"?/.test(path))).toEqual([]);
  });
});
