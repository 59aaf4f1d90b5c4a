import { describe, expect, test } from 'vitest';
import {
  type Effect,
  IDEA_TABLE,
  ideaEffect,
  legalInterventions,
  legalVerbs,
  SITUATIONS,
  type Situation,
  situationOf,
} from '../../../../src/decide/idea/table.js';
import { IDEA_VERBS, type IdeaVerb } from '../../../../src/protocol/command.js';
import { card, entryOf } from '../support.js';

/** Every pair of situation and verb; a verb that is not named is refused. */
const TABLE: Record<Situation, string> = {
  group: '',
  pending:
    'edit=patch limit=patch hint=note bump=score score=score assign=assign rollback=revert cleanup=clean skip=mark skip-step=omit abandon=mark split=divide pause=hold pause-now=hold stop=hold',
  held: 'edit=patch limit=patch hint=note bump=score score=score assign=assign rollback=revert cleanup=clean skip=mark skip-step=omit abandon=mark split=divide resume=release retry=requeue unblock=release',
  busy: 'edit=patch limit=patch hint=note bump=score score=score',
  running:
    'edit=tell limit=tell hint=tell pause=tell pause-now=tell resume=tell stop=end skip=end skip-step=tell abandon=end rollback=end split=end',
  'awaits-approval':
    'edit=tell limit=tell hint=tell pause=tell pause-now=tell resume=tell approve=tell stop=end skip=end skip-step=tell abandon=end rollback=end split=end',
  paused:
    'edit=tell limit=tell hint=tell pause=tell pause-now=tell resume=tell stop=end skip=end skip-step=tell abandon=end rollback=end split=end',
  'needs-human':
    'edit=tell limit=tell hint=tell answer=tell pause=tell pause-now=tell resume=tell stop=end skip=end skip-step=tell abandon=end rollback=end split=end',
  'asks-approval':
    'edit=tell limit=tell hint=tell answer=tell pause=tell pause-now=tell resume=tell approve=tell stop=end skip=end abandon=end rollback=end split=end',
  'wants-slot':
    'edit=tell limit=tell hint=tell pause=tell pause-now=tell resume=tell stop=end skip=end skip-step=tell abandon=end rollback=end split=end',
  'done-paused': 'edit=tell limit=tell hint=tell resume=tell stop=end skip=end abandon=end rollback=end split=end',
  ready: 'edit=tell limit=tell hint=tell stop=end skip=end abandon=end rollback=end split=end',
  'awaits-landing': 'edit=tell limit=tell hint=tell stop=end skip=end abandon=end rollback=end split=end approve=pass',
  landing: 'edit=tell limit=tell hint=tell',
  landed: 'rollback=undo',
  blocked:
    'edit=patch limit=patch hint=note bump=score score=score assign=assign rollback=revert cleanup=clean skip=mark skip-step=omit abandon=mark split=divide retry=requeue unblock=requeue',
  timeout:
    'edit=patch limit=extend hint=note bump=score score=score assign=assign rollback=revert cleanup=clean skip=mark skip-step=omit abandon=mark split=divide retry=requeue',
  failed:
    'edit=patch limit=patch hint=note bump=score score=score assign=assign rollback=revert cleanup=clean skip=mark skip-step=omit abandon=mark split=divide retry=requeue',
  skipped:
    'edit=patch limit=patch hint=note bump=score score=score assign=assign rollback=revert cleanup=clean skip-step=omit abandon=mark split=divide retry=requeue',
  abandoned: 'retry=requeue rollback=revert cleanup=clean',
};

const expected = (situation: Situation): Partial<Record<string, Effect>> =>
  Object.fromEntries(
    TABLE[situation]
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split('=') as [string, Effect]),
  );
const pairs = SITUATIONS.flatMap((situation) => IDEA_VERBS.map((verb) => ({ situation, verb })));

describe('C1 to C5: what an idea can be told', () => {
  test('every situation has a row', () => {
    expect(Object.keys(IDEA_TABLE).sort()).toEqual([...SITUATIONS].sort());
  });

  test.each(pairs)('$verb for an idea that is $situation', ({ situation, verb }) => {
    const effect = expected(situation)[verb];
    const found = ideaEffect('x-1', situation, verb);
    if (effect) expect(found).toEqual({ effect });
    else expect(found).toEqual({ refusal: expect.stringMatching(/^x-1 (is|was|has|waits|timed out|failed)/) });
  });

  test.each(SITUATIONS)('a refusal for an idea that is %s names what is legal', (situation) => {
    const no = IDEA_VERBS.find((verb) => !expected(situation)[verb]) as IdeaVerb;
    const found = ideaEffect('x-1', situation, no);
    const legal = Object.keys(expected(situation)).sort();
    const typed = legal.map((verb) => verb.replace('pause-now', 'pause --now').replace('skip-step', 'skip --step'));
    expect(legalVerbs(situation)).toEqual(legal);
    expect(legalInterventions(situation)).toEqual(typed);
    const words = 'refusal' in found ? found.refusal : '';
    expect(words.split('Possible now: ')[1] ?? '').toBe(typed.join(', '));
  });

  test('C2, C3, C4: the recovery rows of the sources', () => {
    const row = (situation: Situation): string[] => legalVerbs(situation);
    expect(row('failed')).toEqual(expect.arrayContaining(['retry', 'edit', 'rollback', 'cleanup']));
    expect(row('timeout')).toEqual(expect.arrayContaining(['retry', 'edit', 'split', 'limit', 'rollback', 'abandon']));
    expect(row('blocked')).toEqual(expect.arrayContaining(['unblock', 'edit', 'abandon']));
    expect(row('needs-human')).toContain('answer');
  });
});

describe('situations', () => {
  const of = (more: Parameters<typeof entryOf>[1], landing?: string) => situationOf(entryOf(card('a'), more), landing);
  test.each<[Situation, Parameters<typeof entryOf>[1], string?]>([
    ['pending', {}],
    ['held', { hold: true }],
    ['busy', { hold: true, busy: 'rollback' }],
    ['busy', { status: 'landing', busy: 'undo' }],
    ['running', { status: 'running' }],
    ['paused', { status: 'paused' }],
    ['awaits-approval', { status: 'paused', approval: true }],
    ['needs-human', { status: 'needs-human' }],
    ['asks-approval', { status: 'needs-human', approvable: true }],
    ['landed', { status: 'landed', approvable: true }],
    ['ready', { status: 'landing' }, 'b'],
    ['awaits-landing', { status: 'landing', approval: true }],
    ['landing', { status: 'landing' }, 'a'],
    ['landed', { status: 'landed' }],
    ['blocked', { status: 'blocked' }],
  ])('%s', (situation, more, landing) => {
    expect(of(more, landing)).toBe(situation);
  });
  test('a Blue is a group whatever its status says', () => {
    expect(situationOf(entryOf(card('b', { blue: true })), undefined)).toBe('group');
  });
});
