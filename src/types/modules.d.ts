declare module 'wrap-ansi' {
  /** `hard`: also breaks words that are longer than a line. */
  export default function wrapAnsi(text: string, columns: number, options?: { hard?: boolean; trim?: boolean }): string;
}

declare module 'pino-roll' {
  import type { DestinationStream } from 'pino';

  interface RollOptions {
    file: string;
    /** e.g. `10m` */
    size?: string;
    mkdir?: boolean;
    mode?: number;
    limit?: { count: number };
  }
  export default function build(options: RollOptions): Promise<DestinationStream & { end(): void; flushSync(): void }>;
}
