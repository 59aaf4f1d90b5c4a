/** Tokens of the runs that this process has under way, for whoever must end them all at once. */
const tokens = new Map<string, number>();

export const activeTokens = (): string[] => [...tokens.keys()];

/** Notes a token; call what it returns when the run is over. */
export function noteToken(token: string): () => void {
  tokens.set(token, (tokens.get(token) ?? 0) + 1);
  return () => {
    const left = (tokens.get(token) ?? 1) - 1;
    if (left > 0) tokens.set(token, left);
    else tokens.delete(token);
  };
}
