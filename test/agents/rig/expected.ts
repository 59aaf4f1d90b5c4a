/** Where a CLI cannot do better than a case asks for: expected/<cli>.json, with the reason. */
import aider from '../expected/aider.json' with { type: 'json' };
import claude from '../expected/claude.json' with { type: 'json' };
import codex from '../expected/codex.json' with { type: 'json' };
import copilot from '../expected/copilot.json' with { type: 'json' };
import gemini from '../expected/gemini.json' with { type: 'json' };
import opencode from '../expected/opencode.json' with { type: 'json' };
import pi from '../expected/pi.json' with { type: 'json' };
import qwen from '../expected/qwen.json' with { type: 'json' };
import type { CliName } from './install.js';
import type { Kind } from './scenarios.js';

interface Exception {
  kind?: Kind;
  skip?: true;
  /** It is stopped while it waits for its model, not in the middle of a tool call. */
  waiting?: true;
  why: string;
}

const ALL = { aider, claude, codex, copilot, gemini, opencode, pi, qwen } as Record<CliName, Record<string, Exception>>;

export const expectationsOf =
  (cli: CliName) =>
  (name: string, expected: Kind): { kind: Kind; skip?: string; waiting: boolean; why?: string } => {
    const exception = Object.hasOwn(ALL[cli], name) ? ALL[cli][name] : undefined;
    return {
      kind: exception?.kind ?? expected,
      waiting: exception?.waiting === true,
      ...(exception ? { why: exception.why } : {}),
      ...(exception?.skip ? { skip: exception.why } : {}),
    };
  };
