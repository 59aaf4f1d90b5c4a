/** The outcome of a gate, in the same words in every view. Pure. */

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
