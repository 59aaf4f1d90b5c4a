/**
 * Applies gates 3 and 5 by rules.
 * Invariant: rejects only a report whose own text gives the reason; an agent that reads the code could reject more.
 */
import type { Doubt } from './coherence.js';
import type { Readable } from './readable.js';

const SERVICES =
  'stripe|paypal|github|gitlab|bitbucket|aws|azure|cloudflare|google|gmail|slack|discord|npm|pypi|docker hub|openai|anthropic|twilio|mailgun|sendgrid|heroku|vercel|netlify|auth0|okta|twitter|facebook|whatsapp|apple|microsoft|zoom|atlassian|jira';
const OUTAGE = new RegExp(
  `\\b(?:${SERVICES})(?:['’]s)? (?:(?:api|servers?|service|website|registry) )?(?:is|are|was|seems|has|have) (?:\\w+ )?(?:down|unreachable|an outage|outages|offline|unavailable|not reachable|broken)\\b|\\b(?:${SERVICES})\\b.{0,60}\\bon their (?:side|end)\\b|\\boutage (?:of|at) (?:${SERVICES})\\b`,
  'i',
);

/** The known paths of the project's files. Empty: unknown. */
export interface ProjectFacts {
  files: ReadonlySet<string>;
  /** Words from the paths. */
  words: ReadonlySet<string>;
}

const MOST_FILES = 50_000;

export function projectFacts(paths: readonly string[]): ProjectFacts {
  const [files, words] = [new Set<string>(), new Set<string>()];
  for (const path of paths.slice(0, MOST_FILES)) {
    files.add((path.split('/').at(-1) ?? path).toLowerCase());
    for (const word of path
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{4,}/g) ?? [])
      words.add(word);
  }
  return { files, words };
}

const FILE =
  /(?<![\w.-])(?:[\w.-]{1,60}[\\/]){0,12}([\w-]{2,60}\.(?:tsx?|jsx?|mjs|cjs|py|go|rs|java|kt|rb|php|cs|cpp|swift|vue|svelte))\b/gi;
const FOREIGN = /node_modules|site-packages|dist-packages|\/usr\/|internal|<anonymous>|vendor|https?:/;

/** Gate 3, project match: rejects a report about another project, or about a service that others operate. */
export function elsewhere({ title, said }: Readable, project: ProjectFacts): Doubt | undefined {
  const text = `${title}\n${said}`;
  const outage = OUTAGE.exec(text)?.[0];
  if (outage !== undefined) return { reason: 'it is about a service that others run', about: outage };
  if (project.files.size === 0) return undefined;
  const named: string[] = [];
  for (const line of said.split('\n')) {
    if (FOREIGN.test(line)) continue;
    for (const [, file] of line.slice(0, 1000).matchAll(FILE)) if (file !== undefined) named.push(file);
  }
  const own = named.some((file) => project.files.has(file.toLowerCase()));
  if (named.length === 0 || own) return undefined;
  const words = text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  // A compiled file may have a different extension from its source.
  const related = named.some((file) => project.words.has(file.toLowerCase().replace(/\.\w+$/, '')));
  if (related || words.filter((word) => project.words.has(word)).length >= 5) return undefined;
  return { reason: 'it names files that this project does not have', about: named[0] ?? '' };
}

const NOT_HERE: readonly (readonly [string, RegExp])[] = [
  [
    'it needs an account or a key that an agent does not have',
    /\b(?:i|we) (?:do not|don['’]t) have (?:the )?(?:credentials|access|permissions?)\b|\b(?:somebody|someone) with access to\b|\b(?:rotate|renew|create a new|replace) (?:the |our |an )?(?:api[ -]?key|access token|certificate|secret|credentials)\b|\b(?:changed|set|fixed|added|done) in the \w+ (?:dashboard|console|admin panel)\b/i,
  ],
  [
    'only the reporter’s environment shows it',
    /\bnobody else (?:can|could|has|is able)\b|\bonly (?:on|happens on) my (?:\w+ ){0,2}(?:machine|laptop|computer|pc|phone)\b|\bworks (?:on|for) (?:every|all) other (?:computers?|machines?|people|users?)\b|\bcannot reproduce (?:it )?(?:on|with) any other\b/i,
  ],
  [
    'a person has to decide how it should be',
    /\b(?:we|you|the team|someone|somebody|product|design) (?:have|has|need|needs|should|must) to (?:decide|agree|make (?:a|this|the) (?:decision|call))\b|\bshould (?:decide|make (?:a|this|the) (?:decision|call))\b|\bneeds? a (?:design |product )?decision\b|\bwhich (?:\w+ ){1,4}do we (?:want|prefer)\b/i,
  ],
];

/** Gate 5, actionability: rejects a report that no code change can fix. */
export function notActionable({ title, said }: Readable): Doubt | undefined {
  const text = `${title}\n${said}`;
  for (const [reason, pattern] of NOT_HERE) {
    const found = pattern.exec(text);
    if (found) return { reason, about: found[0] };
  }
  return undefined;
}
