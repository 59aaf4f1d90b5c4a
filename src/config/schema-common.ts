/**
 * Pieces that several parts of the configuration share. Imports zod only.
 */
import { z } from 'zod';

export const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'must be a name of letters, digits, ".", "_" and "-" (at most 40)');

export const text = z.string().min(1);

/** Minutes; fractions are fine, a week is the most. */
export const minutes = z.number().gt(0).max(10_080);

/** Path below the repository root. */
export const repoPath = z
  .string()
  .min(1)
  .refine(
    (path) => !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..') && !path.includes('\0'),
    {
      error: 'must be a path inside the repository, relative to its root',
    },
  );

/** One command: text is run by the shell, a list is run as it is. */
export const run = z.union([z.string().regex(/\S/, 'must not be empty'), z.array(z.string()).min(1)]);

export const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');
