/** Installs the dependencies when they are missing or differ from package-lock.json. Node built-ins only. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a command with inherited output; resolves to its exit code. */
export function command(name, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}

export async function ensureInstalled() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 5)) {
    console.error(`ralphctl needs Node 20.5 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  const stamp = join(root, 'node_modules', '.ralphctl-install');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('installing dependencies …');
  // The output goes to stderr, because stdout belongs to the next program. Not `npm ci`: it refuses a lock file without
  // optional packages of other platforms, and not every registry has all. The versions still come from the lock file.
  const args = ['install', '--no-save', '--no-fund', '--no-audit', '--include=dev'];
  const code = await command('npm', args, { stdio: ['ignore', 2, 2] });
  if (code !== 0) {
    console.error(`npm install failed with exit code ${code}; fix what it says above and run the same command again.`);
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
