/**
 * The comments of ralphctl.
 * Invariant: words of an agent or a person stand in a fence, where they neither mention anybody nor link or close
 * anything. Pure; imports types only.
 */
import type { TrackedItem } from '../protocol/tracker.js';

const MAX_QUOTE = 4000;

export interface About {
  run: string;
  target: string;
}

export const worksText = ({ run }: About): string =>
  `**ralphctl** works on this (run \`${run}\`). This comment changes with the state of the work.`;

const reviewText = (url: string, { run }: About): string =>
  `**ralphctl** has this in review: ${url} (run \`${run}\`). This comment changes with the state of the work.`;

export function textOf({ idea, state, reason, commit, review }: TrackedItem, about: About): string {
  switch (state) {
    case 'works':
      return review === undefined ? worksText(about) : reviewText(review, about);
    case 'asks':
      return `**ralphctl** asks a person:\n\n${fenced(reason ?? 'a question')}\n\nThe answer goes to the machine of run \`${about.run}\`: \`ralphctl answer ${idea} "…"\``;
    case 'done':
      return `**ralphctl** landed this on \`${about.target}\`${commit === undefined ? '' : ` as ${commit}`} (run \`${about.run}\`).`;
    case 'released':
      return `**ralphctl** gives this back (run \`${about.run}\`). It has not landed.${reason === undefined ? '' : `\n\n${fenced(reason)}`}`;
  }
}

function fenced(text: string): string {
  const cut = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${cut.trim()}\n${fence}`;
}
