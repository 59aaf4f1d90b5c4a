/** The outcome of a gate, in the same words in every view. Pure. */
import { clean } from '../text/text.js';

export interface Judged {
  pass: boolean;
  /** No command is configured: nothing was judged, which is no green gate. */
  none?: true | undefined;
}

/** `green`, `red`, `no gate` */
export const gateWord = ({ pass, none }: Judged): string => (none ? 'no gate' : pass ? 'green' : 'red');

/** `gate green 6/6`, `gate red 4/6`, `no gate`. @param beside follows a gate that judged */
export const gateWords = (gate: Judged, beside = ''): string =>
  gate.none ? gateWord(gate) : `gate ${gateWord(gate)}${beside}`;

interface Red {
  pass: boolean;
  command?: string;
  why?: string | undefined;
}

/** A command with exit code 0 can still make the gate red. */
export const passed = (
  { command, exitCode }: { command: string; exitCode: number | null },
  gate: Red | undefined,
): boolean => exitCode === 0 && (gate === undefined || gate.pass || gate.command !== command);

/** `npm test ended with exit code 0, but reports no test. …`: of a red gate whose exit code does not say why. */
export const whyRed = ({ pass, command, why }: Red): string[] =>
  pass || why === undefined ? [] : [clean(`${command ?? ''} ${why}`.trim())];
