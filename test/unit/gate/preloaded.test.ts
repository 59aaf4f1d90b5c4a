/** Files that commands and settings load before the tests (F3). */
import { expect, it } from 'vitest';
import { preloaded, setupFiles } from '../../../src/gate/tripwires/shell-text.js';

it.each<[string, string[]]>([
  ['node --test --import ./a.mjs', ['./a.mjs']],
  ['mocha -r ./a.cjs --require=./b.cjs', ['./a.cjs', './b.cjs']],
  ['node --loader ./a.mjs x.js', ['./a.mjs']],
  ['grep -r word src', []],
])('%s', (command, files) => {
  expect(preloaded(command.split(' '))).toEqual(files);
});

it.each<[string, string, string[]]>([
  ['vitest.config.ts', "export default { test: { setupFiles: ['./a.ts', 'b.ts'] } };", ['./a.ts', 'b.ts']],
  ['jest.config.js', 'module.exports = { globalSetup: "<rootDir>/a.js" };', ['a.js']],
  ['.mocharc.yml', 'require: ./a.js\n', ['./a.js']],
  ['package.json', '{"jest":{"setupFiles":["./a.js"]},"exports":{"import":"./src/b.js"}}', ['./a.js']],
])('%s', (path, text, files) => {
  expect(setupFiles(path, text)).toEqual(files);
});
