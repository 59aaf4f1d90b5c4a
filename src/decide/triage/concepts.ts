/**
 * Turns a text into a set of concepts: words without endings, with synonyms in descriptions of programs merged.
 * Must not import anything except `words.ts` and `synonyms.ts`.
 */
import { SAME } from './synonyms.js';
import { wordsOf } from './words.js';

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/(?:ss|x|ch|sh)es$/, ''],
  [/(?:ations?|ating|ated|ates?)$/, 'at'],
  [/(?:ions?|ments?|able)$/, ''],
  [/(?:ing|ed)$/, ''],
  [/([^su])s$/, '$1'],
  [/ly$/, ''],
];

function stem(word: string): string {
  if (word.length < 5 || /[^a-z]/.test(word)) return word;
  for (const [ending, by] of ENDINGS) {
    const cut = word.replace(ending, by);
    if (cut !== word && cut.length >= 3) return cut.replace(/([b-df-hj-km-np-rtv-z])\1$/, '$1').replace(/e$/, '');
  }
  return word.replace(/e$/, '');
}

/** The group of each word, and of its stem. The first group that has a word keeps it. */
const SAME_AS = new Map<string, string>();
for (const line of SAME) {
  const words = line.split(' ');
  for (const word of words)
    for (const form of [word, stem(word)]) if (!SAME_AS.has(form)) SAME_AS.set(form, words[0] ?? word);
}

/** Several words with one meaning, and the concept that stands for them. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:remember me|(?:stay|stays|staying|keep me|remain) (?:signed|logged) in|angemeldet bleiben|rester connecté)\b/g,
    'remember-login',
  ],
  [
    /\b(?:logged|signed) (?:out|off)\b|\b(?:log|sign) in again\b|\bsessions? (?:\w+ ){0,2}(?:ends?|expires?|times? out)\b/g,
    'session-end',
  ],
  [/\b(?:log|sign)(?:s|ged|ging|ed|ing)? ?(?:in|on)\b/g, 'login'],
  [/\b(?:log|sign)(?:s|ged|ging|ed|ing)? ?(?:out|off)\b/g, 'logout'],
  [/\bsign(?:s|ed|ing)? ?up\b/g, 'register'],
  [/\btext messages?\b/g, 'sms'],
  [/\b(?:no space left|(?:disk|drive) (?:is |was |gets )?full|full (?:disk|drive))\b/g, 'disk-full'],
  [/\bbelow zero\b/g, 'negative'],
  [/\b(?:two|2) times\b|\ba second time\b/g, 'twice'],
  [
    /\b(?:no|any|without) effect\b|\b(?:does|do|did) nothing\b|\bnothing happens\b|\bsans effet\b|\bkeine\w* (?:effekt|wirkung)\b/g,
    'no-effect',
  ],
  [/\b(?:keeps?|kept|never stops?|endless(?:ly)?) (?:loading|spinning|turning)\b/g, 'hang'],
  [/\berror messages?\b/g, 'error'],
];

/** A phrase as one word that `wordsOf` keeps whole. */
const joined = (concept: string): string => concept.replace('-', '');

function withPhrases(text: string): string {
  let whole = text.toLowerCase();
  for (const [pattern, concept] of PHRASES) whole = whole.replace(pattern, ` ${joined(concept)} `);
  return whole;
}

function canonical(word: string): string {
  return SAME_AS.get(word) ?? SAME_AS.get(stem(word)) ?? stem(word);
}

/** Words that carry no information about the subject. */
const NOISE = new Set(
  `a an the and or but if then than that this these those it its is are was were be been being am to of in on at by for from with without
  into onto out up down off over under as so not no yes do does did done have has had having i me my we us our you your he she they them
  their there here when while whenever where which who what why how can cannot can't could should would will may might must just only
  also too very really again always never ever every each any some all more most much many few one two three other another after before until
  since because though although even still yet now once however instead get gets got go goes going went come comes came make makes made
  let put see saw seen say says said show shows shown display displays displayed look looks use uses used using want need try tried please thanks thank hi hello
  dear bug issue problem steps expected actual behavior behaviour happen happens happened describe reproduce version report works work
  working fine ok okay like about around some something anything nothing thing things way time times day yesterday today i'm don't doesn't
  didn't isn't it's that's there's am pm own new first last next whole full such same both between through against able answer answers answered returns returned log logs console app application
  program software system back until till per via http https www com org`.split(/\s+/),
);

/** Words that occur in many descriptions of programs, and so weigh less. */
const COMMON = new Set(
  `page click user start stop save error file open list add set text name button window number field type close
  change edit picture project run create send`
    .split(/\s+/)
    .map(canonical),
);

const MOST_CONCEPTS = 120;

export function conceptsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of wordsOf(withPhrases(text))) {
    if (found.size >= MOST_CONCEPTS) break;
    if (NOISE.has(word) || (word.length < 3 && /^[a-z\d]+$/.test(word)) || word.length > 40 || /^[45]\d\d$/.test(word))
      continue;
    found.add(canonical(word));
  }
  return found;
}

/** Places and kinds of data. Two different bugs of one page share them. */
const PARTS = new Set(
  `page button menu dropdown list table column row form field dialog window tab screen view sidebar toolbar header footer icon chart legend
  calendar editor edit map video comment search result product customer contact event week month day export import csv pdf api profile login
  settings email order invoice cart checkout file attachment photo booking picker project account phone browser mac code name app harbor
  filter theme archiv report dashboard upload ticket
  board card label task team digest timer site widget gallery bar ics
    xlsx json xml svg png jpg`
    .split(/\s+/)
    .map(canonical),
);

export const isPart = (concept: string): boolean => PARTS.has(concept);

export const weightOfConcept = (concept: string): number => (COMMON.has(concept) ? 0.4 : 1);
