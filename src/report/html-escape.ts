/**
 * Texts on their way into a page. Agents wrote most of them.
 * Invariant: what these return holds no markup and nothing that could leave an attribute in quotes.
 */
import { clean, paragraphs } from '../screen/text.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

/** One line. */
export const esc = (text: string): string => escaped(clean(text));

/** With its line breaks. */
export const escLines = (text: string): string => paragraphs(text).map(escaped).join('<br>');
