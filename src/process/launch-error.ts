/** Explains why a program could not start, with the fix. */

interface Launch {
  cwd: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
}

function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Object; at = 'cause' in at ? at.cause : undefined) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

/** `error` is execa's; `file` the requested program. */
export function explainLaunch(error: unknown, file: string, launch: Launch): { text: string; code: string } {
  const code = codeOf(error) ?? 'UNKNOWN';
  switch (code) {
    case 'ENOENT': {
      const where = file.includes('/') ? '' : ` in PATH (${launch.env.PATH ?? 'not set'})`;
      return { code, text: `The program ${file} was not found${where}. Install it, or correct the command.` };
    }
    case 'EACCES':
      return { code, text: `The program ${file} may not be executed. Allow it with: chmod +x ${file}` };
    case 'E2BIG': {
      const longest = Math.max(...launch.argv.map((arg) => Buffer.byteLength(arg)));
      return {
        code,
        text: `The command line of ${file} is too long (longest argument ${longest} bytes). Pass the text on stdin instead.`,
      };
    }
    default: {
      const message = error instanceof Error ? error.message : String(error);
      return { code, text: `The program ${file} could not be started in ${launch.cwd}: ${message}` };
    }
  }
}
