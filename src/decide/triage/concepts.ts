/**
 * What a text is about, as a set of concepts: words without endings, with one name for words that mean the same in the
 * description of a program.
 * Must not import anything but words.
 */
import { wordsOf } from './words.js';

const SAME: readonly string[] = [
  'crash crashes crashed crashing die dies died killed',
  'blank white empty black grey gray nothing',
  'lose loses lost losing gone forget forgets forgotten vanish vanishes vanished disappear disappears disappeared missing lack lacks persist stick remember',
  'reload reloads reloaded reloading refresh refreshes refreshed refreshing',
  'theme dark light',
  'delete deletes deleted deleting remove removes removed removing erase trash clean cleaned',
  'email emails mail mails e-mail',
  'twice two duplicate duplicates double second identical same',
  'hang hangs hung freeze freezes frozen stuck forever sits finishes',
  'settings setting preferences preference options configuration config',
  'login logon signin logged sign log',
  'logout logged-out expired',
  'attachment attachments upload uploads uploaded',
  'file files document documents',
  'dropdown drop-down select menu menus',
  'column columns',
  'zip postal postcode',
  'zero zeros zeroes digit digits',
  'language english german portuguese italian french locale translation',
  'colour colours color colors coloured',
  'escape sequences esc codes ansi',
  'pipe redirect terminal tty stdout',
  'print prints printed printing paper',
  'total totals sum',
  'negative minus below',
  'blank blanks space spaces',
  'address addresses',
  'suggestion suggestions autocomplete completion',
  'timeout 504 gateway times timed',
  'import imports imported importing',
  'export exports exported exporting',
  'big large huge thousand 10k 10,000 10000',
  'slow slower slowly speed performance',
  'click clicks clicked clicking tap press pressed pressing',
  'type typed typing write wrote writing letter letters character characters',
  'cursor caret',
  'sidebar menu left navigation',
  'top reset resets beginning',
  'overwrite overwrites overwritten silently conflict',
  'save saves saved saving',
  'proxy corporate company network',
  'video play movie',
  'mac safari',
  'map location position',
  'permission permissions deny denied allowed',
  'scan scanned scanner scanners read',
  'user users people person guest guests somebody someone',
  'project projects',
  'disk storage',
  'money price prices amount amounts quantity',
  'cart basket',
  'page screen view site',
  'start starts started starting begin begins',
  'stop stops stopped ends ended',
  'wrong incorrect false invalid bad',
  'error errors failure fails fail failed',
  'notification notifications mention mentions mentioned mentioning',
  'edit edits editing edited editor',
  'picture image photo icon',
];

const SAME_AS = new Map(SAME.flatMap((line) => line.split(' ').map((word, _, all) => [word, all[0] ?? word] as const)));

/** Say nothing about what a report is about. */
const NOISE = new Set(
  `a an the and or but if then than that this these those it its is are was were be been being am to of in on at by for from with without
  into onto out up down off over under as so not no yes do does did done have has had having i me my we us our you your he she they them
  their there here when while whenever where which who what why how can cannot can't could should would will may might must just only
  also too very really again always never ever every each any some all more most much many few one other another after before until
  since because though although even still yet now once however instead get gets got go goes going went come comes came make makes made
  let put see saw seen say says said show shows shown look looks use uses used using want need try tried please thanks thank hi hello
  dear bug issue problem steps expected actual behavior behaviour happen happens happened describe reproduce version report works work
  working fine ok okay like about around some something anything nothing thing things way time times day yesterday today i'm don't doesn't
  didn't isn't it's that's there's am pm own new first last next whole full such same both between through against able app application
  program software system back until till per via http https www com org`.split(/\s+/),
);

/** Frequent in descriptions of programs: they weigh less. */
const COMMON = new Set([
  'page', 'click', 'user', 'start', 'stop', 'save', 'error', 'file', 'open', 'list', 'add', 'set', 'text', 'name', 'button', 'window',
  'number', 'field', 'wrong', 'lose', 'type', 'close', 'change', 'edit', 'picture', 'blank', 'project', 'run', 'create', 'send',
]); // biome-ignore format: a table of words

const MOST_CONCEPTS = 120;

export function conceptsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of wordsOf(text)) {
    if (found.size >= MOST_CONCEPTS) break;
    if (NOISE.has(word) || (word.length < 3 && /^[a-z]+$/.test(word)) || word.length > 40) continue;
    found.add(SAME_AS.get(word) ?? SAME_AS.get(stem(word)) ?? stem(word));
  }
  return found;
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/(?:ss|x|ch|sh)es$/, ''],
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

export const weightOfConcept = (concept: string): number => (COMMON.has(concept) ? 0.4 : 1);
