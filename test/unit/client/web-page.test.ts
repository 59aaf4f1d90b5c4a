/** Addresses in the Temporal Web UI that views print. Features: G1 G8. */
import { expect, test } from 'vitest';
import { webPage } from '../../../src/client/api/web-page.js';

const target = { uiUrl: 'http://127.0.0.1:8424', namespace: 'default' };

test('a run and an idea have a page each, and the id is one segment of the path', () => {
  const pages = 'http://127.0.0.1:8424/namespaces/default/workflows';
  expect(webPage(target, 'shop-1a2b')).toBe(`${pages}/ralph%3Ashop-1a2b%3Aautopilot`);
  expect(webPage(target, 'shop-1a2b', 'a-1')).toBe(`${pages}/ralph%3Ashop-1a2b%3Aidea%3Aa-1`);
});

test('without a known Web UI there is no address', () => {
  expect(webPage({ namespace: 'default' }, 'shop-1a2b')).toBeUndefined();
});
