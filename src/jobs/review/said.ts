/** What people say of a pull request, and the marks of what ralphctl writes there. Pure. */

/** Kinds of what people say, in the keys that ralphctl notes. `line`: it stands in a thread. */
export type SaidKind = 'review' | 'line' | 'comment';

export interface Remark {
  kind: SaidKind;
  /** What ralphctl notes of it. */
  key: string;
  body: string;
  author?: string;
  authorId?: number;
  /** Its author may write, where the forge says so with the text. */
  member?: boolean;
  /** It asks the author of the work for something. */
  asks: boolean;
  url?: string;
  path?: string;
  line?: number;
  /** When it was written, epoch ms. */
  at?: number;
  /** Of a `line`. */
  thread?: string;
}

export const keyOf = (kind: SaidKind, id: number | string): string => `${kind} ${id}`;

/** Begins what ralphctl itself writes there. */
const OWN = '<!-- ralphctl ';
export const isOwn = ({ body }: Pick<Remark, 'body'>): boolean => body.startsWith(OWN);

const MARK = /^<!-- ralphctl answers ([a-z0-9, ]+) -->/;
/** Begins an answer: what it answers. */
export const answerMark = (keys: readonly string[]): string => `${OWN}answers ${keys.join(', ')} -->`;
export const answeredBy = ({ body }: Pick<Remark, 'body'>): string[] => MARK.exec(body)?.[1]?.split(', ') ?? [];

/** As `at`; nothing where the forge says none. */
export function timeOf(time: string | null | undefined): { at?: number } {
  const at = Date.parse(time ?? '');
  return Number.isFinite(at) ? { at } : {};
}
