/**
 * Finds a provider's HTTP status in the words of an error, for CLIs that give it in words only.
 * Invariant: applied to what a CLI marks as an error, never to prose; a number counts only where a status stands.
 */
const FORMS = [
  /\b(?:unexpected status|last status:?|status code:?|status:|HTTP(?: status)?:?|API Error:) ?\(?([45]\d\d)\b/i,
  /^\W{0,3}([45]\d\d)\b(?!\s*(?:%|ms|s|tokens)\b)/,
  /"(?:code|status|statusCode)"\s*:\s*([45]\d\d)\b/,
];

export function statusIn(message: string): number | undefined {
  const text = message.slice(0, 4096);
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match) return Number(match[1]);
  }
  return undefined;
}
