/** Interventions that read a file of the person's: `edit` in $EDITOR, `split --file`. Features: C3. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { yaml } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

/** Makes $EDITOR a script that does this to the file it is given. */
async function editor(script: string): Promise<void> {
  const path = join(held.box.scratch, 'editor.sh');
  await writeFile(path, `file=$1\n${script}\n`);
  held.box.env.EDITOR = `sh ${path}`;
}

describe('edit in $EDITOR (C3)', () => {
  it('texts and limits count from the next iteration on; what is no idea changes nothing', async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'e-1', max_iterations: 1, steps: [{ signal: 'PROGRESS:50' }, { signal: 'COMPLETE', free: true }] },
    ]);
    const { box } = held;
    await held.start();
    await held.began('e-1');
    const unset = await box.run('edit', 'e-1');
    expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('there is no editor: set EDITOR')]);
    const refusals: [string, RegExp][] = [
      ['exit 3', /the editor exited with code 3; e-1 is unchanged/],
      ['echo "title: [" > "$file"', /not valid YAML: .*is unchanged/],
      ['echo "colour: red" >> "$file"', /colour.*is unchanged/],
      ['sed -i "s/^text:.*/text: \'\'/" "$file"', /text: .*is unchanged/],
      ['true', /e-1 is unchanged/],
    ];
    for (const [script, words] of refusals) {
      await editor(script);
      const { code, stderr } = await box.run('edit', 'e-1');
      expect([code, stderr], script).toEqual([2, expect.stringMatching(words)]);
    }
    await editor(
      'grep -q "backlog file stays as it is" "$file" || exit 9\n' +
        'sed -i -e "s/Do e-1/Do e-1 in green/" -e "s/^maxIterations: 1$/maxIterations: 4/" "$file"',
    );
    const told = await box.run('edit', 'e-1', '--reason', 'green it is');
    expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringContaining('from the next iteration')]);
    expect(told.stderr).toContain('later runs use the edit too');
    expect((await held.why('e-1')).told).toEqual({ verb: 'edit', reason: 'green it is' });
    await held.go('e-1-1');
    // With its one iteration alone it would have ended with a timeout.
    expect((await held.finish()).notLanded).toEqual([]);
    expect(await held.prompt('e-1', 1)).not.toContain('in green');
    expect(await held.prompt('e-1', 2)).toContain('Do e-1 in green');
    expect(await box.git('show', 'main:roadmap.md')).not.toContain('in green');
  });
});

describe('split --file (C3)', () => {
  it('the parts of the file take the place of the idea, in their order; bad files change nothing', async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'big', steps: [{ signal: 'BLOCKED: too large', free: true }] },
      { id: 'after', steps: [DONE], depends: 'big' },
      { id: 'keep', steps: [{ signal: 'COMPLETE' }] },
    ]);
    const { box } = held;
    await held.start();
    await held.idea('big', 'blocked');
    const file = async (name: string, ideas: object[]): Promise<string> => {
      const path = join(box.scratch, name);
      await writeFile(path, yaml({ version: 1, ideas }));
      return path;
    };
    const bad: [string, RegExp][] = [
      [join(box.scratch, 'none.yaml'), /none\.yaml/],
      [await file('empty.yaml', []), /./],
      [await file('taken.yaml', [{ id: 'keep', text: 'x' }]), /the run already has an idea keep/],
      [await file('lost.yaml', [{ id: 'p', text: 'x', dependsOn: ['nowhere'] }]), /nowhere/],
    ];
    for (const [path, words] of bad) {
      const { code, stderr } = await box.run('split', 'big', '--file', path);
      expect([code === 0, stderr], path).toEqual([false, expect.stringMatching(words)]);
    }
    expect((await held.why('big')).status).toBe('blocked');

    const parts = await file('parts.yaml', [
      { id: 'roof', text: 'Put the roof on', dependsOn: ['walls'] },
      { id: 'walls', text: 'Build the walls', success: ['they stand'] },
    ]);
    const told = await box.run('split', 'big', '--file', parts, '--reason', 'too large');
    expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringMatching(/big is replaced by roof, walls/)]);
    expect(told.stderr).toContain('later runs use the parts');
    await held.go('keep-1');
    expect((await held.finish()).notLanded).toEqual([]);
    const landed = (await held.events()).flatMap((event) =>
      event.kind === 'idea' && event.status === 'landed' && event.idea !== 'keep' ? [event.idea] : [],
    );
    // The group has landed once its parts have (A4).
    expect(landed).toEqual(['walls', 'roof', 'big', 'after']);
    const prompt = await held.prompt('walls', 1);
    expect(prompt).toContain('Build the walls');
    expect(prompt).toContain('they stand');
  });
});
