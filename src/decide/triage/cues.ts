/**
 * Cues of an English report: numbers that tell a description of behaviour from a wish, a question or a complaint.
 * `cue-weights.ts` has the weight of each. Cues come from the form of sentences, so that they hold for any program.
 * Invariant: every pattern has bounded repetitions.
 */
import type { Readable } from './readable.js';
import { type Shown, shownIn } from './shown.js';
import { wordsOf } from './words.js';

/** What somebody would like, or plans. */
const WISHES =
  /\b(?:should|could|would|want|wish|needs?|needed|must|let(?:'s| us)|hope|suggest|propose|consider|recommend\w{0,6}|prefer|like to|love to|how about|have to|going to|will|belongs?|asks? for|asked for|looking for|waiting for|wait for|next time|planned|idea|how (?:does|do|can)|where (?:do|can|is)|what (?:is|do|does))\b/g;
/** What somebody thinks of it. */
const OPINIONS =
  /\b(?:good|great|better|best|bad|worse|worst|poor|unhappy|happy|satisf\w{1,7}|nice|mess|useless|terrible|awful|love|hate|expect(?:ed)? more|unfriendly|annoy\w{0,3}|confus\w{1,4}|unprofessional|ugly|quality|eas(?:y|ier)|difficult|patience|ok|fine|problems?|issues?|errors?|broken|wrong with|bugs?|weird|strange|unstable|stable|slow\w{0,4}|reliab\w{1,5}|unreliable|intuitive|outdated|modern|old-fashioned|hard to|feels?|trust\w{0,3}|believe|unbelievable|serious\w{0,2}|unclear|clear|professional|useful|helpful|handy|cumbersome|clunky|laggy|disappoint\w{2,5}|frustrat\w{2,4}|amazing|perfect|excellent|cool|awesome|enjoy\w{0,3}|thin|stupid|crap|horrible|unusable|usable|acts? up|nothing works|properly|correctly|somehow|unfortunately|amused|hardly|experience)\b/g;
/** A sentence that begins with a task. */
const TASK =
  /^\W{0,5}(?:please |pls )?(?:add|remove|update|suggest|clean|improve|make|write|rename|allow|support|use|implement|change|move|let|provide|refactor|allowing|adding|consider|fix|do something|bump|merge|send|delete|clean ?up|split)\b/;
const PLEASE = /\b(?:please|pls|kindly|bitte)\b/;
const GREETING = /^\W{0,5}(?:hi|hello|hey|thanks|thank you|regards|cheers|dear|good (?:morning|day))\b.{0,25}$/;
const SUBJECT_TITLE =
  /^\W{0,5}(?:feature|suggestion|proposal|option|ability|support|instructions|solution|update|remove|get|add|wish|idea)/;
/** Programs of others, as a measure. */
const OTHERS =
  /\b(?:other (?:tools?|boards?|products?|apps?|planners?|programs?|vendors?|systems?)|competitors?|like in)\b/;
/** The work on the project, its people and its business, and not its behaviour. */
const WORK =
  /\b(?:call me|contact|meeting|agency|price|prices|license|contract|hiring|release notes?|documentation|docs|guide|tutorial|examples?|dependenc\w{1,3}|refactor\w{0,4}|rewrite|rewritten|code|unit tests?|ci|maintainers?|contribut\w{1,4}|assign|pull request|discuss\w{0,4}|epic|roadmap|marketing|support team|regards|designers?)\b/g;
/** What somebody does not know. */
const UNKNOWN =
  /\b(?:no (?:idea|clue)|(?:do not|don['’]t|did not|didn['’]t|cannot|can['’]t) (?:know|understand|say|tell|describe|find out)|not sure|any(?:one|body) |some(?:one|body) )/;
const NEGATIONS = /\b(?:not|no|never|cannot|can['’]t|\w{3,6}n['’]t|nothing|none|without|neither)\b/g;
const US = /\b(?:we|our|us)\b/g;
const YOU = /\byour?\b/g;
const PLAN = /\b(?:i|we)(?:['’](?:m|ve|d|ll)| am| are| have| would| will)\b/;
const OPENING = /^\W{0,5}(?:the|when|if|after|in|on|since|an?|my|with|opening|clicking|each|every)\b/;

const MOST_CLAUSES = 60;

/** What `shownIn` says of one sentence alone. */
function shownBy(text: string): Shown {
  return shownIn({ title: '', said: text, sections: [], picture: false });
}

/** A sentence that states something: no wish, no opinion, no task, no greeting, no question. */
function isPlain(text: string): boolean {
  const low = text.toLowerCase();
  const asks = low.trimEnd().endsWith('?');
  const other = low.search(WISHES) >= 0 || low.search(OPINIONS) >= 0 || TASK.test(low) || GREETING.test(low);
  return !asks && !other && wordsOf(low).length >= 3;
}

function sentencesOf(said: string): string[] {
  return said
    .split(/(?<=[.!?])\s|\n/)
    .filter((text) => /\p{L}/u.test(text))
    .slice(0, MOST_CLAUSES);
}

const clausesOf = (sentences: readonly string[]): string[] =>
  sentences
    .flatMap((text) => text.split(/[,;:]\s|\s-\s|\s(?:but|though|although|because|so that|while)\s/))
    .slice(0, MOST_CLAUSES);

export type Cues = ReturnType<typeof cuesOf>;

export function cuesOf({ title, said, picture }: Readable, shown: Shown) {
  const low = said.toLowerCase();
  const count = (pattern: RegExp, most = 3): number => Math.min(most, low.match(pattern)?.length ?? 0);
  const is = Number;
  const sentences = sentencesOf(said);
  const plain = sentences.filter(isPlain);
  const stated = plain.map(shownBy);
  const clauses = clausesOf(sentences).filter(isPlain).map(shownBy);
  const firmest = (all: readonly Shown[]): number => all.reduce((most, { anchors }) => Math.max(most, anchors), 0);
  const titled = shownBy(title);
  return {
    steps: is(shown.steps),
    contrast: is(shown.contrast),
    seen: is(shown.seen),
    hard: is(shown.hard),
    vague: is(shown.vague),
    anchors: Math.min(5, shown.anchors),
    firm: shown.firm,
    asks: is(shown.asks),
    questions: is(shown.questions),
    picture: is(picture),
    length: Math.log(1 + wordsOf(said).length),
    wishes: count(WISHES),
    task: is(TASK.test(low)),
    opinions: count(OPINIONS),
    negations: count(NEGATIONS),
    please: is(PLEASE.test(low)),
    others: is(OTHERS.test(low)),
    work: count(WORK),
    unknown: is(UNKNOWN.test(low)),
    us: count(US),
    you: count(YOU),
    plan: is(PLAN.test(low)),
    question: is(low.includes('?')),
    numbers: count(/\d{1,20}/g),
    opening: is(OPENING.test(low)),
    plain: Math.min(3, plain.length),
    plainLength: Math.log(1 + plain.reduce((sum, text) => sum + wordsOf(text).length, 0)),
    statedSeen: is(stated.some((one) => one.seen && one.anchors > 0)),
    statedNothing: is(!stated.some((one) => one.seen || one.hard)),
    statedAnchors: Math.min(4, firmest(stated)),
    clauseSeen: is(clauses.some(({ seen }) => seen)),
    clauseHard: is(clauses.some(({ hard }) => hard)),
    clauseAnchors: Math.min(4, firmest(clauses)),
    clausesSeen: Math.min(2, clauses.filter((one) => one.seen && one.anchors > 0).length),
    titleSeen: is(titled.seen),
    titleHard: is(titled.hard),
    titleTask: is(SUBJECT_TITLE.test(title.toLowerCase()) || TASK.test(title.toLowerCase())),
    titleLength: Math.min(8, wordsOf(title).length),
  };
}
