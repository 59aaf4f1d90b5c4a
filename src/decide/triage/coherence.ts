/** Gate 1, coherence: whether the body contains a description. */
import { errorIn } from './evidence.js';
import type { Readable } from './readable.js';
import { weightOf, wordsOf } from './words.js';

const LEAST = 20;
const NO_WORDS = 'the body contains no words';
/** A longer text never counts as a test submission. */
const MOST_TEST_WORDS = 30;

export interface Doubt {
  reason: string;
  /** The text that the doubt quotes. */
  about?: string;
}

/** Undefined when coherent. `body`: the original text, with template and markup. */
export function incoherent(report: Readable, body: string): Doubt | undefined {
  const { title, said, picture } = report;
  const words = wordsOf(said);
  const size = weightOf(said);
  if (picture && size < LEAST) return undefined;
  if (body.trim() === '') return { reason: 'the body is empty' };
  if (said === '')
    return { reason: /[\p{L}\p{N}]/u.test(body) ? 'the body is an issue template that nobody filled in' : NO_WORDS };
  if (size < LEAST) return { reason: `the body says ${size} characters, fewer than ${LEAST}`, about: said };
  if (words.length === 0) return { reason: NO_WORDS, about: said };
  if (repeatsTitle(words, wordsOf(title))) return { reason: 'the body only repeats the title', about: said };
  if (isTest(words, said, title)) return { reason: 'this is a test submission', about: said };
  if (isMash(words)) return { reason: 'the body is random keys', about: said };
  return undefined;
}

const COURTESY = [
  'the',
  'a',
  'an',
  'and',
  'please',
  'pls',
  'fix',
  'it',
  'this',
  'thanks',
  'thank',
  'you',
  'bitte',
  'danke',
  'merci',
  'gracias',
];

function repeatsTitle(words: readonly string[], title: readonly string[]): boolean {
  const known = new Set([...title, ...COURTESY]);
  const more = words.filter((word) => !known.has(word)).length;
  return title.length > 0 && more / words.length <= 0.1;
}

const TEST =
  /^(?:test(?:s|ing|ed|ticket|issue|e|en|o)?|sample|demo|prueba|essai|тест|foo|bar|baz|dummy|blah?|asdf|xxx+)$/;
const FILLER = new Set(
  `invalid mistake sorry wrong a an the this that these it its is was be are am i me my we us you just only please pls ignore disregard delete close closed remove
  issue issues ticket report bug submission entry post form first second new hello hi hey world ok okay yes no not nothing to see here
  for of and or if whether do does did did don't works working work can how what will would with at all again another one two made
  created create purpose purposes benchmark thanks thank really very so in on by from check checking try trying something anything
  ein das ist nur bitte ignorieren esto es una un por favor ignorar ceci est
  und löschen aus nur zum les et supprimer y borrar mails team form delete see if dummy`.split(/\s+/),
);
const ASIDE =
  /\b(?:ignore|disregard|ignorieren|ignorer|ignorar|(?:delete|close) (?:this|it|me)|to be (?:deleted|closed|ignored))\b|忽略|無視/;
const TEST_TITLE = /^\W*test(?:ing)?\W*(?:$|(?:of|issue|ticket|report|submission|only|please|#?\d+)\b)/i;
const TRIES =
  /^\W*(?:just |only |i am |i'm )*(?:checking|testing|trying)(?: out)? (?:if|whether|that|the|this|my|our|how)\b/i;
/** A test of the program that found something. */
const FAULTY =
  /\b(?:fail\w{0,4}|errors?|crash\w{0,3}|wrong|not|never|nothing|no|cannot|can['’]t|\w{3,6}n['’]t|instead|but|\d{3,})\b/i;
const SETTLED = /\b(?:can be (?:closed|deleted|ignored)|(?:please )?(?:ignore|disregard)|nothing to see)\b/i;

function isTest(words: readonly string[], said: string, title: string): boolean {
  if (/^\W*lorem ipsum\b/i.test(said)) return true;
  if (words.length > MOST_TEST_WORDS) return false;
  if (/^(?:测试|測試|テスト)/.test(said) && ASIDE.test(said)) return true;
  const all = [...words, ...wordsOf(title)];
  const hello = /hello,? world/i.test(`${title}\n${said}`);
  const marked = hello || all.some((word) => TEST.test(word)) || ASIDE.test(said.toLowerCase());
  const filler = words.filter((word) => TEST.test(word) || FILLER.has(word) || /^\d+$/.test(word)).length;
  if (marked && (filler === words.length || (filler / words.length >= 0.8 && !FAULTY.test(said)))) return true;
  if (TRIES.test(said) && (SETTLED.test(said) || (words.length <= 14 && !FAULTY.test(said)))) return true;
  if (TEST_TITLE.test(title) && words.length <= 20 && errorIn(said) === undefined) return true;
  return all.some((word) => TEST.test(word)) && ASIDE.test(said.toLowerCase()) && words.length <= 20;
}

const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const KEYS = [...ROWS, ...ROWS.map((row) => [...row].reverse().join(''))];
const VOWELS = /[aeiouyàâäáãåæèéêëìíîïòóôöõøœùúûüýÿ]/g;

/** Whether most words come from adjacent keys or from one held key. */
function isMash(words: readonly string[]): boolean {
  const judged = words.filter((word) => /^[a-z]{3,}$/.test(word));
  const length = (list: readonly string[]): number => list.reduce((sum, word) => sum + word.length, 0);
  return judged.length > 0 && length(judged.filter(isMashed)) / length(words) > 0.55;
}

function isMashed(word: string): boolean {
  if (/^(.)\1{2,}$/.test(word)) return true;
  if (word.length >= 6 && /^(.{2,4})\1+.{0,3}$/.test(word)) return true;
  if (longestKeyRun(word) >= Math.max(4, word.length * 0.6)) return true;
  const vowels = word.match(VOWELS)?.length ?? 0;
  return word.length >= 4 && vowels / word.length < (word.length >= 6 ? 0.2 : 0.01);
}

function longestKeyRun(word: string): number {
  let longest = 1;
  for (const keys of KEYS) {
    let run = 1;
    for (let at = 1; at < Math.min(word.length, 200); at++) {
      const place = keys.indexOf(word[at - 1] ?? '');
      run = place >= 0 && keys[place + 1] === word[at] ? run + 1 : 1;
      longest = Math.max(longest, run);
    }
  }
  return longest;
}
