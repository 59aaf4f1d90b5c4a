/**
 * Unsent texts by name, and those of other screens under the same name.
 * Invariant: pure. No text goes away but the one that was sent, that its person deleted, or that another screen took over.
 */
import { many } from '../text/numbers.js';
import type { Ui, Unsent } from '../ui.js';
import { draftOf } from './typing.js';

type All = Ui['drafts'];

export interface NamedText {
  name: string;
  text: string;
}

const unsent = (texts: readonly string[]): Unsent => {
  const [text = '', ...others] = texts;
  return { ...draftOf(text), ...(others.length > 0 ? { others } : {}) };
};

/** Every text under a name, the one in the editor first. */
export const textsOf = (draft: Unsent | undefined): string[] =>
  draft ? [...new Set([draft.text, ...(draft.others ?? [])])].filter((text) => text !== '') : [];

/** What other screens wrote, the newest last, and what is no longer there. `busy`: the name whose text a person types now. */
export function withLook(
  drafts: All,
  { came, gone }: { came: readonly NamedText[]; gone: readonly NamedText[] },
  busy?: string,
): All {
  let all = drafts;
  for (const { name, text } of gone) {
    const now = all[name];
    if (!now) continue;
    const others = (now.others ?? []).filter((one) => one !== text);
    if (now.text === text && name !== busy) all = put(all, name, others);
    else all = { ...all, [name]: withOthers(now, others) };
  }
  for (const name of new Set(came.map((one) => one.name))) {
    // A person may have opened the editor and not typed yet: it has no entry then.
    const now: Unsent | undefined = all[name] ?? (name === busy ? draftOf('') : undefined);
    const known = textsOf(now);
    const texts = came.filter((one) => one.name === name && !known.includes(one.text)).map(({ text }) => text);
    const newest = texts.reverse();
    if (now && (now.text !== '' || name === busy))
      all = { ...all, [name]: withOthers(now, [...newest, ...(now.others ?? [])]) };
    else all = put(all, name, [...newest, ...known]);
  }
  return all;
}

function put(all: All, name: string, texts: readonly string[]): All {
  const { [name]: _, ...rest } = all;
  return texts.length === 0 ? rest : { ...rest, [name]: unsent(texts) };
}

function withOthers({ text, cursor }: Unsent, others: readonly string[]): Unsent {
  return { text, cursor, ...(others.length > 0 ? { others } : {}) };
}

/** The name whose text a person types now. */
export const typingFor = ({ answering, prompt, pending }: Ui): string | undefined =>
  answering ?? (prompt && pending?.do === 'tell' ? pending.draft : undefined);

/** The next text comes into the editor, and the one there goes to the end. */
export function turned(draft: Unsent): Unsent {
  const [text, ...rest] = (draft.others ?? []).filter((one) => one !== draft.text);
  if (text === undefined) return draft;
  return unsent([text, ...rest, ...(draft.text === '' ? [] : [draft.text])]);
}

/** `1 more unsent text: Ctrl-N`; empty without one. */
export function moreTexts(draft: Unsent | undefined): string {
  const more = textsOf(draft).filter((text) => text !== draft?.text).length;
  return more === 0 ? '' : `${many(more, 'more unsent text')}: Ctrl-N`;
}

/** As a person opens it: an empty editor gets a text that waits. */
export const opened = (draft: Unsent | undefined): Unsent => {
  const now = draft ?? draftOf('');
  return now.text === '' ? turned(now) : now;
};

/** The drafts of a screen that goes on with another run, which has some already. */
export const together = (mine: All, theirs: All): All =>
  withLook(mine, {
    came: Object.entries(theirs).flatMap(([name, draft]) => textsOf(draft).map((text) => ({ name, text }))),
    gone: [],
  });

/** The drafts once the run has accepted one. A text that was typed since it was sent stays. */
export function withoutSent(drafts: All, sent: All, name: string): All {
  const now = drafts[name];
  if (!now || now.text !== sent[name]?.text) return drafts;
  return put(
    drafts,
    name,
    (now.others ?? []).filter((text) => text !== now.text),
  );
}
