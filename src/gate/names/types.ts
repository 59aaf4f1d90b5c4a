/** What is known of the tests that one runner ran. Must import nothing. */
export interface Names {
  passed: string[];
  skipped: string[];
}

/** `count`: of a file that has several tests. */
export type Named = { name: string; kind: 'passed' | 'skipped' | 'failed'; count?: number };
