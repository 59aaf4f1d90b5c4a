/** The details of a run and of an idea in the real Web UI, in a browser: nothing is cut. Features: D4 G9. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { ideaWorkflowId } from '../../src/protocol/names.js';
import { readRecord } from '../../src/server/files.js';
import { browser, inBrowser, type Page } from '../support/chromium.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
let dir: string;
afterEach(async () => {
  await world?.close();
  await rm(dir, { recursive: true, force: true });
});

interface Placed {
  /** Where the last line ends, and how high its frame is; px. */
  bottom: number;
  frame: number;
  /** Whether the frame shows its beginning. */
  top: boolean;
}

/** The last text that begins with `word`, in its frame. Nothing while no frame has it. */
const place = ({ measure }: Page, word: string): Promise<Placed | null> =>
  measure(`(() => {
    for (const frame of document.querySelectorAll('iframe')) {
      const page = frame.contentDocument;
      if (!page?.body || frame.clientHeight === 0) continue;
      const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
      let found;
      while (walker.nextNode()) if (walker.currentNode.data.startsWith('${word}')) found = walker.currentNode;
      if (!found) continue;
      const range = page.createRange();
      range.selectNodeContents(found.parentNode);
      const { bottom } = range.getBoundingClientRect();
      return { bottom, frame: frame.clientHeight, top: page.defaultView.scrollY === 0 };
    }
    return null;
  })()`);

it.skipIf(!browser)('D4: the last line of the details is inside its frame', { timeout: 180_000 }, async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-ui-'));
  let go = false;
  const ids = Array.from({ length: 12 }, (_, at) => `i-${at + 1}`);
  world = await World.open(inject('address'), {
    cards: cardsOf(...ids),
    agent: async (_input, signal) => {
      while (!go && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
      return 'complete';
    },
  });
  await world.start();
  await until('all slots at work', async () => world.working.size === 6);
  const { uiUrl = '' } = (await readRecord(inject('stateRoot'))) ?? {};
  const pages = [
    [world.autopilot.workflowId, 'As of '],
    [ideaWorkflowId(world.project, 'i-1'), 'Worktree: '],
  ] as const;
  for (const [at, [id, word]] of pages.entries()) {
    const { runId } = await world.client.workflow.getHandle(id).describe();
    const url = `${uiUrl}/namespaces/default/workflows/${encodeURIComponent(id)}/${runId}/user-metadata`;
    await inBrowser(join(dir, `profile-${at}`), url, async (page) => {
      for (const width of [1400, 800]) {
        await page.send('Emulation.setDeviceMetricsOverride', {
          width,
          height: 1200,
          deviceScaleFactor: 1,
          mobile: false,
        });
        await page.send('Page.reload');
        const placed = await until(`the frame with "${word}"`, () => place(page, word).then((found) => found ?? false));
        expect(placed.top).toBe(true);
        expect(placed.bottom).toBeGreaterThan(0);
        expect(placed.bottom, `${word} at ${width}`).toBeLessThanOrEqual(placed.frame);
      }
    });
  }
  go = true;
  expect((await world.result()).landed).toBe(ids.length);
});
