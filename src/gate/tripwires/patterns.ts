/** Patterns for tripwires: data, so that a language is a line. Must import nothing. */

/** A glob of a name, in capitals or not. */
export const anyCase = (name: string): string =>
  name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** Files that hold tests. Git globs, top-relative. */
export const TEST_FILES = [
  '**/test/**',
  '**/tests/**',
  '**/spec/**',
  '**/__tests__/**',
  '**/*.test.*',
  '**/*.spec.*',
  '**/*_test.*',
  '**/*_spec.*',
  '**/test_*.py',
  '**/*Test.java',
  '**/*Tests.java',
  '**/*Test.kt',
  '**/*Tests.cs',
  '**/*Test.php',
  '**/*.bats',
];

/** By its name alone a file is a test. */
export const TEST_NAMES = /(?:[._](?:test|spec)\.[^/]+|(?:^|\/)test_[^/]+\.py|\.bats|Tests?\.(?:java|kt|cs|php))$/;

/** Expected data of tests: changing it changes what they check. */
export const TEST_DATA = ['**/__snapshots__/**', '**/*.snap', '**/testdata/**', '**/fixtures/**'];

/** Data, where the tests of the base name it. */
export const DATA_FILE =
  /(?<!(?:^|\/)(?:package(?:-lock)?|npm-shrinkwrap|tsconfig[^/]*))\.(?:json|ya?ml|csv|tsv|txt|snap|golden|xml|html)$/;

/** Code that can import or name another file: endings. */
export const CODE_FILES = [
  'js',
  'mjs',
  'cjs',
  'jsx',
  'ts',
  'mts',
  'cts',
  'tsx',
  'vue',
  'svelte',
  'py',
  'rb',
  'go',
  'rs',
  'java',
  'kt',
  'cs',
  'php',
  'sh',
  'bats',
];

/** Build products, by name. */
export const PRODUCT_FOLDER = /(?:^|\/)(?:src|source|app|apps)\/|^(?:lib|pkg|server|client)\//;

/** Test helpers, by name. */
export const SUPPORT_NAME =
  /(?:^|\/)(?:[\w-]*tests?(?:ing)?[\w-]*|support|helpers?|__mocks__|mocks?|fakes?|stubs?|harness|e2e|checks|assertions?|matchers?)\/|(?:^|[/._-])(?:tests?|testing|assert\w*|matchers?|expect\w*|harness|helpers?)[._-][^/]*$/i;

/** Beside a script of the gate: what it uses rather than what it checks. */
export const HELPER_NAME = /lib|util|helper|rule|check|assert|expect|common|support|harness/i;

/** A text that imports a test-only module. */
export const TEST_LIBRARY =
  /['"](?:node:test|vitest|chai|@jest\/[\w-]+|@playwright\/test|sinon|ava|tap|uvu)['"/]|^\s*(?:import|from)\s+(?:pytest|unittest)\b/m;
export const ASSERTS = /['"](?:node:)?assert(?:\/strict)?['"]/;

/** Folders of gate command scripts. */
export const TOOL_FOLDER = /(?:^|\/)(?:scripts?|tools?|tooling|ci|checks?|lint|hack|support|helpers?|harness)\//;

/** Not tests, even below test folders. */
export const NO_TESTS = ['**/fixtures/**', '**/testdata/**', '**/__snapshots__/**', '**/*.snap', '**/*.md'];

/** One declared test. */
export const TEST_DECLARATION =
  /\b(?:it|test)(?:\.(?!skip|todo)\w+)*\s*\(|^\s*(?:async\s+)?def test_|^func (?:Test|Fuzz)\w*\(|#\[(?:\w+::)*test\b|@(?:Parameterized)?Test\b|\[(?:Fact|Theory|Test)\b|^\s*@test\s|^\s*(?:it|specify)\s+['"]|function test\w*\(/;

/** A declared test that does not run. */
export const SKIPPED_DECLARATION = /\b(?:it|test)\.(?:skip|todo|failing|fails|fixme|skipIf)\b|\bx(?:it|test)\s*\(/;

/** A line that is a comment in most languages; `#[` is an attribute. */
export const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!\[)|--|<!--)/;

/** A test that does not run, or that prevents others from running. */
export const SKIPPED =
  /\b(?:it|test|describe|context|suite|bench)\.(?:skip|only|todo|failing|fails|fixme|skipIf|runIf)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(|[{,]\s*(?:skip|todo|only)\s*:\s*(?:true|['"`])|@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip|expectedFailure))|\bpytest\.(?:skip|xfail)\(|\.skipTest\(|\bt\.Skip(?:f|Now)?\(|#\[ignore|@(?:Disabled|Ignore)\b|\[Ignore\b|\bSkip\s*=\s*"|\bmarkTest(?:Skipped|Incomplete)\(|^\s*(?:skip|pending)\b|\b(?:t|ctx|context|this)\.(?:skip|todo)\(|^pytestmark\s*=/;

/** Files that decide what a gate command checks. Git globs, top-relative. */
export const GATE_FILES = [
  '**/package.json',
  '**/pyproject.toml',
  '**/setup.cfg',
  '**/tox.ini',
  '**/pytest.ini',
  '**/.pytest.ini',
  '**/pytest.toml',
  '**/.pytest.toml',
  '**/conftest.py',
  '**/nose2.cfg',
  '**/unittest.cfg',
  '**/behave.ini',
  '**/.behaverc',
  '**/hatch.toml',
  '**/.coveragerc',
  '**/jest.config.*',
  '**/jest.setup.*',
  '**/vitest.setup.*',
  '**/vitest.config.*',
  '**/vitest.workspace.*',
  '**/.mocharc*',
  '**/mocha.opts',
  '**/web-test-runner.config.*',
  '**/wdio.conf.*',
  '**/nightwatch.conf.*',
  '**/.testcaferc*',
  '**/codecept.conf.*',
  ...['js', 'cjs', 'mjs', 'json', 'y*ml'].map((end) => `**/cucumber.${end}`),
  '**/karma.conf.*',
  '**/playwright.config.*',
  '**/cypress.config.*',
  '**/.eslintrc*',
  '**/eslint.config.*',
  '**/.eslintignore',
  '**/biome.json*',
  '**/.oxlintrc.json',
  '**/tsconfig*.json',
  '**/ruff.toml',
  '**/.ruff.toml',
  '**/mypy.ini',
  '**/.mypy.ini',
  '**/.pylintrc*',
  '**/pylintrc',
  '**/pyrightconfig.json',
  '**/.prettierrc*',
  '**/prettier.config.*',
  '**/.prettierignore',
  '**/.stylelintrc*',
  '**/stylelint.config.*',
  '**/rustfmt.toml',
  '**/.rustfmt.toml',
  '**/*.runsettings',
  '**/composer.json',
  '**/.flake8',
  '**/.golangci.*',
  '**/clippy.toml',
  '**/.rubocop.yml',
  '**/.rspec',
  '**/phpunit.xml*',
  '**/phpstan.neon*',
  '**/vite.config.*',
  '**/babel.config.*',
  '**/.babelrc*',
  '**/.swcrc',
  '**/ava.config.*',
  '**/jasmine.json',
  '**/.taprc',
  '**/.c8rc*',
  '**/.nycrc*',
  '**/bunfig.toml',
  '**/deno.json*',
  '**/nx.json',
  '**/turbo.json',
  '**/pnpm-workspace.yaml',
  '**/.pnpmfile.cjs',
  '**/.npmrc',
  '.worktreeinclude',
  '**/.yarnrc*',
  '**/node_modules/**',
  '**/noxfile.py',
  '**/sitecustomize.py',
  '**/usercustomize.py',
  '**/*.pth',
  '**/.bazelrc',
  '**/.cargo/config*',
  '**/.config/nextest.toml',
  '**/.mvn/**',
  '**/.phpunit.xml*',
  '**/.envrc',
  '**/.mise.toml',
  '**/mise.toml',
  '**/.tool-versions',
  '**/.pre-commit-config.yaml',
  '**/lefthook.y*ml',
  // A file on a runner's module path takes precedence over the module itself.
  ...['pytest', '_pytest', 'pluggy', 'unittest', 'nose', 'nose2', 'tox', 'nox', 'coverage', 'mypy', 'ruff'].flatMap(
    (name) => [`${name}.py`, `${name}/**`],
  ),
  '.github/workflows/**',
  '.gitlab-ci.yml',
  '.circleci/**',
];
/**
 * The relevant parts of a file: keys of JSON, or sections of INI and TOML files. `grows`: keys of which only the base's
 * entries count.
 */
export type Part = { json: readonly string[]; grows: readonly string[] } | { sections: RegExp };

/** Only a part of these is relevant; the rest changes with everyday work. */
export const PARTLY: Readonly<Record<string, Part>> = {
  'package.json': {
    json: [
      ...['scripts', 'type', 'config', 'overrides', 'resolutions', 'pnpm', 'babel', 'eslintConfig'],
      ...['jest', 'mocha', 'ava', 'tap', 'vitest', 'c8', 'nyc'],
    ],
    grows: ['imports', 'exports', 'workspaces'],
  },
  'composer.json': { json: ['scripts'], grows: [] },
  'pyproject.toml': { sections: /^tool\.(?:pytest|coverage|tox|nox|mypy|ruff|pyright|flake8|pylint)\b/ },
  'setup.cfg': { sections: /^(?:tool:pytest|coverage|flake8|mypy|pylint)/ },
};

/** Below the top, a new one of these belongs to a new package and affects no existing one. */
export const NEW_IS_FINE = ['*/**/package.json', '*/**/tsconfig*.json', '**/turbo.json'];

/** A command's build files, for commands that use them. */
export const BUILD_FILES: ReadonlyArray<readonly [program: RegExp, files: readonly string[]]> = [
  [/(?:^|[\s/])g?make(?:\s|$)/, ['**/Makefile', '**/makefile', '**/GNUmakefile', '**/*.mk']],
  [/(?:^|\s)just(?:\s|$)/, ['**/justfile', '**/Justfile', '**/.justfile']],
  [/(?:^|\s)task(?:\s|$)/, ['**/Taskfile.y*ml']],
  [/(?:^|[\s/])rake(?:\s|$)/, ['**/Rakefile', '**/rakefile', '**/Rakefile.rb', '**/*.rake']],
  [/(?:^|[\s/])grunt(?:\s|$)/, ['**/Gruntfile.*', '**/gruntfile.*']],
  [/(?:^|[\s/])gulp(?:\s|$)/, ['**/gulpfile.*', '**/Gulpfile.*']],
  [/(?:^|[\s/])inv(?:oke)?(?:\s|$)/, ['tasks.py', 'tasks/**']],
  [/(?:^|[\s/])earthly(?:\s|$)/, ['**/Earthfile']],
];
