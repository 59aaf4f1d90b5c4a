/** Messages to one receiver keep their order, however long each takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../../src/workflows/run/mailbox.js';

describe('Mailbox', () => {
  it('never has two messages to one receiver under way, keeps their order, and holds nobody else up', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ to: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() }), { maxLength: 40 }),
        async (scheduler, messages) => {
          const mailbox = new Mailbox();
          const arrived: Record<string, number[]> = {};
          const underWay = new Set<string>();
          const sent = messages.map(({ to, fails }, i) =>
            mailbox.send(to, async () => {
              expect(underWay.has(to)).toBe(false);
              underWay.add(to);
              await scheduler.schedule(Promise.resolve());
              underWay.delete(to);
              arrived[to] = [...(arrived[to] ?? []), i];
              if (fails) throw new Error('gone');
            }),
          );
          const ends = Promise.allSettled(sent);
          await scheduler.waitFor(ends);
          for (const to of ['a', 'b', 'c']) {
            const wanted = messages.flatMap((message, i) => (message.to === to ? [i] : []));
            expect(arrived[to] ?? []).toEqual(wanted);
          }
          expect((await ends).map(({ status }) => status === 'rejected')).toEqual(messages.map(({ fails }) => fails));
        },
      ),
    );
  });

  it('delivers at once when nothing is under way, so that a command is issued in the same step', () => {
    let delivered = false;
    void new Mailbox().send('a', async () => {
      delivered = true;
    });
    expect(delivered).toBe(true);
  });
});
