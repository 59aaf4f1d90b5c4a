declare module 'wrap-ansi' {
  /** `hard`: also breaks words that are longer than a line. */
  export default function wrapAnsi(text: string, columns: number, options?: { hard?: boolean; trim?: boolean }): string;
}
