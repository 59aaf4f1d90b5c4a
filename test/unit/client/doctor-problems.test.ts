/** Problems of a configuration in `doctor`: each is a finding of its own. Features: F1. */
import { expect, it } from 'vitest';
import { problemsOf } from '../../../src/client/doctor/problems.js';
import { ConfigError } from '../../../src/config/problems.js';

it('each problem is one finding, with its own fix where it has one', () => {
  const error = new ConfigError([
    { file: 'ralphctl.yaml', line: 2, message: 'unknown key "slot"', fix: 'did you mean "slots"?' },
    { file: 'ralphctl.yaml', line: 3, message: 'unknown key "gates"' },
  ]);
  expect(problemsOf('configuration', error, 'change it there').map(({ found, fix }) => [found, fix])).toEqual([
    ['ralphctl.yaml:2: unknown key "slot"', 'did you mean "slots"?'],
    ['ralphctl.yaml:3: unknown key "gates"', 'change it there'],
  ]);
});

it('a long list is cut, and an error of another kind stays whole', () => {
  const many = Array.from({ length: 14 }, (_, at) => ({ file: 'ralphctl.yaml', line: at + 1, message: 'no' }));
  expect(problemsOf('configuration', new ConfigError(many), 'x')).toHaveLength(11);
  expect(problemsOf('configuration', new ConfigError(many), 'x').at(-1)?.found).toBe('and 4 more problems');
  expect(problemsOf('configuration', new Error('broken'), 'x')).toMatchObject([{ found: 'broken', fix: 'x' }]);
});
