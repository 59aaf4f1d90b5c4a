/** Finds gaps in an idea's description: no criteria, or words without content. Pure. May import protocol only. */
import type { Idea } from '../protocol/idea.js';

const FEWEST_CHARACTERS = 20;
const FEWEST_WORDS = 3;
const VAGUE =
  /\b(?:tbd|tba|todo|fixme|etc|and so on|somehow|something|stuff|misc|miscellaneous|various|as needed|if needed|properly|nicer?)\b|\?{2,}/i;
/** Text that states when the idea is done. */
const CRITERIA =
  /\b(?:acceptance|success|done when|must|should|expected|verif(?:y|ies)|criteria|requirements?)\b|test strategy/i;

/** Returns short reasons; empty for an epic and for an idea that is done. */
export function unclear(idea: Idea): string[] {
  if (idea.blue || idea.done) return [];
  const { text, title, success } = idea;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const reasons: string[] = [];
  const short = text.trim().length < FEWEST_CHARACTERS || words.length < FEWEST_WORDS;
  if (short && success.length === 0) reasons.push('its text is too short to work from');
  const vague = VAGUE.exec(text)?.[0];
  if (vague !== undefined) reasons.push(`its text is vague: "${vague}"`);
  if (text.trim() !== title.trim() && repeats(text, title)) reasons.push('its text only repeats its title');
  if (success.length === 0 && !CRITERIA.test(text)) reasons.push('it has no success criteria');
  return reasons;
}

function repeats(text: string, title: string): boolean {
  const plain = (some: string): string =>
    some
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const rest = plain(text.slice(text.startsWith(title) ? title.length : 0));
  return rest === plain(title);
}
