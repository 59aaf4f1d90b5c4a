/** Reports and inputs for tests of triage. */
import type { TriageInput } from '../../../../src/decide/triage/triage.js';
import type { BugReport } from '../../../../src/protocol/triage.js';

export const NOW = '2026-06-15T12:00:00Z';

export const report = (id: string, title: string, body: string, more: Partial<BugReport> = {}): BugReport => ({
  ...{ id, title, body, labels: [], state: 'open' },
  ...more,
});

export const input = (reports: readonly BugReport[], more: Partial<TriageInput> = {}): TriageInput => ({
  ...{ reports, overrules: new Map(), known: [], past: [], files: [], now: NOW },
  ...more,
});
