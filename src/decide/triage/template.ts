/** Recognises the texts of issue templates: headings, prompts, empty answers and environment details. */

export type SectionAbout = 'steps' | 'expected' | 'actual' | 'environment' | 'other';

const HEADINGS: readonly (readonly [SectionAbout, RegExp])[] = [
  ['steps', /\brepro|\bsteps?\b|schritte|étapes|pasos|passos|步骤|手順|воспроизв/i],
  ['expected', /\bexpect|should happen|\bsoll\b|erwart|attendu|esperad|期待|预期|ожида/i],
  ['actual', /\bactual|what (?:is )?happen|current behaviou?r|happens instead|tatsächlich|obtenu|实际|実際/i],
  [
    'environment',
    /environment|version|system info|operating system|\bos\b|\bdevice|browser|platform|desktop|smartphone|severity|code of conduct|checklist|before submitting|distribution|acknowledge|umgebung|环境|環境/i,
  ],
];

export const aboutOf = (heading: string): SectionAbout =>
  HEADINGS.find(([, pattern]) => pattern.test(heading))?.[0] ?? 'other';

const EMPTY = /^[\s>*_\-–—.…\d)]*(?:no response|n\.? ?\/? ?a\.?|none|nothing|keine?|todo|tbd|\.{2,}|-)?[\s*_.]*$/i;

/** Also matches a number or a bullet without text. */
export const isEmptyAnswer = (line: string): boolean => line.length < 60 && EMPTY.test(line);

const PROMPTS: readonly RegExp[] = [
  /a clear and concise description of/i,
  /^\s*steps to reproduce the behaviou?r:?\s*$/i,
  /^\s*(?:\d+[.)]|[-*])?\s*(?:go to|click on|scroll down to|open|type) ['‘"“`]?(?:\.{2,}|…)['’"”`]?\s*$/i,
  /^\s*(?:\d+[.)]|[-*])?\s*see error\s*$/i,
  /if applicable, add screenshots/i,
  /add any other (?:context|details)/i,
  /please complete the following/i,
  /\[e\.?g\.?[^\]\n]{0,80}\]/i,
  /i'?m always frustrated when \[/i,
  /please (?:search|check|read) (?:for |the )?(?:existing|open|contributing|guide)/i,
  /(?:agree to follow|read) (?:this project's|the|our) (?:code of conduct|contributing)/i,
  /^\s*tell us (?:what|how)\b/i,
];

export const isPrompt = (line: string): boolean => line.length < 300 && PROMPTS.some((pattern) => pattern.test(line));

const NAMES =
  'os|os version|operating system|browser|version|app version|node|node version|python version|device|device model|model|phone|android|android version|ios|platform|arch|theme|path|tenure|mode|environment|env|locale|field|key|severity|priority|type|root|pro|fingerprint|install id';
const ENVIRONMENT = new RegExp(`^[\\s>*_|-]{0,10}(?:${NAMES})[\\s*_]{0,6}[:：|]`, 'i');
const RULE = /^[\s|:=_*-]*$/;

/** `- OS: Debian`, a row of an environment table, or the rule between rows. */
export const isEnvironmentLine = (line: string): boolean =>
  line.length < 200 && (ENVIRONMENT.test(line) || (line.trim() !== '' && RULE.test(line)));
