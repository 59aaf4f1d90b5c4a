/** What people write about a pull request, as GitHub's REST API has it, and the marks of what ralphctl writes. Pure. */

export interface SaidJson {
  id: number;
  body: string | null;
  user: { login: string } | null;
  author_association: string;
  state?: string;
  path?: string;
  line?: number | null;
  html_url?: string;
  /** Of a comment on a line: the first one of its thread. */
  in_reply_to_id?: number | null;
}

/** Kinds of what people say, in the keys that ralphctl notes. */
export type SaidKind = 'review' | 'line' | 'comment';
export const keyOf = (kind: SaidKind, { id }: Pick<SaidJson, 'id'>): string => `${kind} ${id}`;

/** Begins what ralphctl itself writes there. */
const OWN = '<!-- ralphctl ';
export const isOwn = ({ body }: Pick<SaidJson, 'body'>): boolean => (body ?? '').startsWith(OWN);

const MARK = /^<!-- ralphctl answers ([a-z0-9, ]+) -->/;
/** Begins an answer: what it answers. */
export const answerMark = (keys: readonly string[]): string => `${OWN}answers ${keys.join(', ')} -->`;
export const answeredBy = ({ body }: Pick<SaidJson, 'body'>): string[] => MARK.exec(body ?? '')?.[1]?.split(', ') ?? [];
