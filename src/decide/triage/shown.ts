/** The evidence in a report for gate 2 and the score: errors, steps, observations, and what narrows them down. */
import { codeIn, errorIn } from './evidence.js';
import { type Language, LEXICONS, type Lexicon } from './lexicon.js';
import type { Readable, Section } from './readable.js';
import { wordsOf } from './words.js';

/** The evidence in a report, strongest first. The score uses the same facts. */
export interface Shown {
  error?: string;
  steps: boolean;
  /** The report states both the expected and the actual result. */
  contrast: boolean;
  seen: boolean;
  /** The observation is a fault by itself: something fails, is missing, is wrong. */
  hard: boolean;
  vague: boolean;
  /** Number of places and actions that narrow the bug down. */
  anchors: number;
  /** Those of them that can be looked up: quotes, paths, amounts, codes. */
  firm: number;
  /** The report is a wish or a question. */
  asks: boolean;
  /** A sentence of the body asks for an answer. */
  questions: boolean;
  /** Undefined: a language that the rules do not know. */
  language?: Language;
}

export function shownIn(report: Readable): Shown {
  const text = `${report.title}\n${report.said}`.toLowerCase();
  const language = languageOf(text);
  const error = errorIn(report.said) ?? errorIn(report.title);
  const patterns = patternsOf(language ?? 'en');
  const has = (pattern: RegExp): boolean => pattern.test(text);
  const firm = [
    QUOTED.test(report.said) || QUOTED.test(report.title),
    PLACE.test(report.said) || PLACE.test(report.title),
    AMOUNT.test(report.said),
    codeIn(report.said) !== undefined,
  ].filter(Boolean).length;
  const anchors = firm + Number(has(patterns.did)) + Number(has(patterns.part));
  return {
    ...(error === undefined ? {} : { error }),
    steps: hasSteps(report.sections),
    contrast: hasContrast(report.sections) || has(CONTRAST),
    seen: has(patterns.seen) || codeIn(report.said) !== undefined,
    hard: has(FAULT) || codeIn(report.said) !== undefined || (language !== 'en' && has(patterns.seen)),
    vague: patterns.vague.test(report.said.toLowerCase()),
    anchors,
    firm,
    asks: ASKS.test(report.said) || ASKS_TITLE.test(report.title),
    questions: QUESTION.test(report.said),
    ...(language === undefined ? {} : { language }),
  };
}

const QUOTED =
  /`[^`\n]{1,200}`|"[^"\n]{2,120}"|“[^”\n]{2,120}”|„[^“”\n]{2,120}[“”]|«[^»\n]{2,120}»|(?<!\p{L})'[^'\n]{2,80}'(?!\p{L})/u;
const PLACE =
  /(?:^|[\s("'`])(?:\/[\w:{}-]+(?:\/[\w:{}.-]+){0,10}|[\w-]{1,40}(?:[\\/][\w.-]{1,40}){1,8}|--?[a-z][\w-]{1,30}|[\w-]{1,60}\.(?:[jt]sx?|py|go|rs|java|rb|php|c|cpp|h|cs|ya?ml|toml|json|csv|xlsx?|pdf|png|jpe?g|svg|sql|sh|md|html|css|txt|cfg|ini|conf|fa|xyz|plan))\b|\b\p{L}{1,40} > \p{L}+|https?:\/\/\S{4,300}|(?:^|\n)\s{0,8}\$ \S/iu;
const AMOUNT =
  /\b\d{1,2}\.? (?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\b\d+(?:[.,]\d+)?\s?(?:s|ms|min|minutes?|seconds?|h|hours?|mb|gb|kb|%|€|\$|px|rows?|items?|times?|customers?|attempts?|paths?|lines?|files?|apps?)\b|\d+\s?%|\b\d{2,}\b|\bv?\d+\.\d+/i;
const CONTRAST =
  /\binstead\b|\brather than\b|\b(?:i |we )?expect(?:ed|ing|s)?\b|\bshould(?:n't| not)? (?:be(?! (?:possible|able|easier|refactored))|have|only|stay|link|start|jump|also|see|show|close|keep|not|write|read|print|by|begin|end|come|return|display|say|exit|fail|fit|match)\b|\bsupposed to\b|\bbut (?:it|the|i|not|they|only)\b|\balthough\b|\beven though\b|\bthough it is\b|\bin (?:chrome|firefox|safari|light mode|portrait) (?:it|they|is)\b|\b(?:works?|fine|ok|okay|right|good)\b\s*[.;]?$|erwartet|statt|obwohl|au lieu|esperaba|esperava|en vez|em vez|invece|atteso|вместо|хотя|正常|期待/im;
/** Matches a report that is a wish or a question as a whole. */
const ASKS =
  /\b(?:please|pls|could you|can you|would you)(?: please)? (?:add|support|implement|consider|provide|allow|make it possible)\b|\b(?:it )?would be (?:\w+ )?(?:nice|great|cool|good|helpful|awesome|useful|perfect)\b|\b(?:i|we)(?:'d| would| 'd)? (?:like|love|want|wish) (?:to (?:have|see|ask|request|manage|propose|suggest|use|be able|know)|an?|the|if|it)\b|\bas an? \w+,?\s+i (?:want|would like|need)\b|\bare there (?:any )?plans\b|\bhave you (?:thought|considered)\b|\bfeature request\b|\bhow (?:do|can|could|should) (?:i|we|one)\b|\b(?:could|can) (?:somebody|someone|anyone|you) (?:tell|explain|help)\b|\bis (?:this|it) (?:allowed|possible|planned)\b|\bany chance\b|\bsupport for\b|\bshould be (?:possible|able|easier|refactored|split|supported|optional|configurable)\b|\bconsider (?:adding|offering|using|making|\w+ing)\b|\bi (?:propose|suggest|would (?:rename|prefer|suggest|propose|recommend|change))\b|\bwould (?:save|help|make (?:\w+ ){1,3}(?:faster|easier|better))\b|\bis (?:an? )?(?:\w+ ){1,5}planned\b|\b(?:the )?ability to\b|\blet me know if i can help\b|\bassign (?:me|this issue)\b|\bes w[aä]re (?:\w+ )?(?:toll|schön|gut|super|praktisch|hilfreich|klasse)\b|\b(?:sería|seria) (?:\w+ )?(?:genial|bueno|útil|bom|ótimo|legal)\b|\bce serait (?:\w+ )?(?:bien|pratique|utile|super)\b|\bsarebbe (?:\w+ )?(?:bello|utile|comodo)\b|\bwe should (?:have|add|support|offer)\b/i;
const ASKS_TITLE =
  /^\W*(?:(?:feature|enhancement)(?! (?:flag|toggle|switch)| is| was| does)|feat|proposal|suggestion|idea|request(?= ?:| for|$)|question|rfc|wunsch)\b|\bfeature request\b|^\W*(?:add (?!.*\b(?:missing|gone|button|link|icon)\b)|support (?!ticket|page|mail|form|link|case|chat)|implement|allow (?!list)|consider|make (?:the|it)|how (?:do|to))\b/i;

/** A question that wants to be told something, and not whether a behaviour is meant. */
const QUESTION =
  /\b(?:what|which|where|when should|who|why|how|does any(?:one|body)|can (?:i|we|you)|could you|do (?:i|we|you)|is (?:there|it)|are there)\b[^.?!\n]{3,200}\?/i;
/** Faults that say themselves what is wrong, wherever they stand. */
const FAULT =
  /\b(?:crash(?:e[sd]|ing)?|hangs?|hung|freezes?|frozen|blank|empty|missing|lost|loses|garbled|blur(?:red|ry)|pixelated|distorted|stretched|cropped|clipped|truncated|invisible|unreadable|illegible|disabled|greyed|blocked|doubled|outdated|duplicated?|swapped|inverted|disappears?|vanish(?:es)?|ignore[sd]|refuse[sd]|rejected|overlaps?|overwrites|overwritten|misspelled|typo|does nothing|nothing happens|no effect|without effect|fails? (?:with|for|if|when|on|at|in|to)|keeps? \w+ing|instead of|(?:wrong|incorrect) (?!(?:thing|way|project|repo|place|impression|with|again|and|or|since|in)\b)[a-z]{3,}|(?:labels?|values?|titles?|dates?|numbers?|prices?|units?|sums?|totals?|versions?|icons?|colou?rs?|order|times?|results?) (?:is|are) (?:wrong|incorrect|off)|of the old|(?:the |its |my )?(?:old|previous) (?:values?|names?|numbers?|address|text|password|state|version|sum|total)|(?:two|three|second|double) (?:\w+ )?(?:times|scrollbars|copies|cursors|mails|entries)|twice|(?:is|are|was|were|gets?|got) (?:gone|lost|cut|hidden|ignored|dropped|deleted|replaced|refused|reset|truncated|rotated|shifted)|although|even though|never ends|(?:does|do|did)(?:n[o't’]+t| not) (?:open|close|save|show|load|start|stop|appear|update|match|fit|find(?! (?:anything|what|my way))|change|respond|react|copy|import|export|print|send|play|scroll|log|accept|remember|delete|remove)\w*)\b/i;

const ITEM = /^\s{0,12}(?:\d{1,3}[.)]|[-*•])\s+(\S.*)$/;

function hasSteps(sections: readonly Section[]): boolean {
  for (const { about, text } of sections) {
    const lines = text.split('\n');
    const items = lines.flatMap((line) => ITEM.exec(line)?.[1] ?? []).filter((item) => wordsOf(item).length >= 2);
    if (items.length >= 2 && (about === 'steps' || lines.some((line) => /^\s*\d+[.)]/.test(line)))) return true;
    if (about === 'steps' && wordsOf(text).length >= 5) return true;
  }
  return false;
}

const FEW = 4;

function hasContrast(sections: readonly Section[]): boolean {
  const said = (...abouts: readonly string[]): boolean =>
    sections.some(({ about, text }) => abouts.includes(about) && wordsOf(text).length >= FEW);
  return said('expected') && said('actual', 'other', 'steps');
}

interface Patterns {
  seen: RegExp;
  vague: RegExp;
  did: RegExp;
  part: RegExp;
}

const made = new Map<Language, Patterns>();

function patternsOf(language: Language): Patterns {
  const known = made.get(language);
  if (known) return known;
  const { seen, vague, did, part }: Lexicon = LEXICONS[language];
  const pattern = (words: string): RegExp =>
    language === 'zh' || language === 'ja'
      ? new RegExp(words, 'u')
      : new RegExp(`(?<![\\p{L}])(?:${words})(?![\\p{L}])`, 'u');
  const patterns = { seen: pattern(seen), vague: pattern(vague), did: pattern(did), part: pattern(part) };
  made.set(language, patterns);
  return patterns;
}

const commons = new Map(
  Object.entries(LEXICONS).map(([name, { common }]) => [name as Language, new Set(common.split('|'))] as const),
);
/** Fewer words identify no language; English is then the likeliest one. */
const LEAST_WORDS = 8;

function languageOf(text: string): Language | undefined {
  if (/[\u3040-\u30ff]/.test(text)) return 'ja';
  if (/[\u4e00-\u9fff]/.test(text)) return 'zh';
  if (/[а-яё]/i.test(text)) return 'ru';
  const words = wordsOf(text).slice(0, 400);
  const letters = words.join('');
  if (/[\p{L}]/u.test(letters) && !/[a-z]/.test(letters)) return undefined;
  const counts = [...commons].map(
    ([language, common]) => [language, words.filter((word) => common.has(word)).length] as const,
  );
  const [best = ['en', 0] as const] = counts.sort((a, b) => b[1] - a[1]);
  if (words.length < LEAST_WORDS) return best[1] >= 2 ? best[0] : 'en';
  return best[1] / words.length < 0.08 && !/\b(?:the|is|not|no|with|fails?|error)\b/.test(text) ? undefined : best[0];
}
