import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passedValues, RedactingStream, redactor, secretValues } from '../../../src/process/redact.js';

const x = (n: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8'.repeat(10).slice(0, n);
const TOKENS = [
  `sk-ant-api03-${x(90)}`,
  `sk-proj-${x(120)}`,
  `ghp_${x(36)}`,
  `github_pat_${x(80)}`,
  `glpat-${x(20)}`,
  `xoxb-${x(40)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `AIza${x(35)}`,
  `npm_${x(36)}`,
  `hf_${x(34)}`,
  `eyJ${x(30)}.eyJ${x(60)}.${x(43)}`,
];

describe('secrets', () => {
  it.each(TOKENS)('the shape of %s', (token) => {
    for (const text of [token, `key=${token}\n`, `{"k":"${token}"}`, `(${token})`]) {
      expect(redactor([])(text)).toBe(text.replace(token, '[redacted]'));
    }
  });

  it('keeps what stands around a secret', () => {
    const clean = redactor([]);
    expect(clean('Authorization: Bearer abcdefghijklmnop1234')).toBe('Authorization: Bearer [redacted]');
    expect(clean('https://me:pa55word@host/x https://host:8080/a@b')).toBe(
      'https://me:[redacted]@host/x https://host:8080/a@b',
    );
    expect(clean('https://t0ken-alone@host/x and git+https://t0ken-alone:@host/y')).toBe(
      'https://[redacted]@host/x and git+https://[redacted]:@host/y',
    );
    expect(clean('https://t0ken-alone:x-oauth-basic@host')).toBe('https://[redacted]:[redacted]@host');
    const long = x(250).repeat(8);
    expect(clean(`https://aws:${long}@host/simple`)).toBe('https://aws:[redacted]@host/simple');
    const key = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\n${x(200)}\n-----END RSA PRIVATE KEY-----`;
    expect(clean(key)).toBe('-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----');
  });

  it.each([
    'task-sk-list and desk-top',
    'see https://github.com/a/b and git@github.com:a/b.git',
    'ssh://someone@host/a https://git@host/b docker-image://alpine@sha256:12',
    'https://host/@scope/name@1.2.3 https://host?mail=a@b',
    'npm_config_registry npm_lifecycle_event',
    'bearer of good news',
    'eyJ is how it begins',
    'commit 0991be3f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e',
  ])('leaves alone: %s', (text) => expect(redactor([])(text)).toBe(text));

  it('are values of variables by their names, long enough to be one', () => {
    const env = {
      ...{ ANTHROPIC_API_KEY: 'value-one-long', DB_PASSWORD: 'value-two-long', GITHUB_TOKEN: 'value-three' },
      ...{
        SHORT_KEY: 'abc',
        SSH_AUTH_SOCK: '/tmp/agent.sock',
        PATH: '/usr/bin:/bin',
        KEYBOARD: 'qwertz-de',
        MAX_TOKENS: '100000000',
      },
    };
    expect(secretValues(env, { SECRET: 'value-four-long', MODE: 'development' }).sort()).toEqual([
      ...['value-four-long', 'value-one-long', 'value-three', 'value-two-long'],
    ]);
  });
});

describe('values of variables that the configuration passes on', () => {
  it.each([
    ['MYSQL_PWD', 'hunter2'],
    ['LICENCE', 'correct horse battery'],
    ['PIN', 'a1b2'],
    ['DB_PASS', '4711'],
  ])('F6: %s=%s', (name, value) => {
    expect(passedValues({ [name]: value, OTHER: 'not passed' }, [name])).toEqual([value]);
    expect(redactor(passedValues({ [name]: value }, [name]))(`it is ${value}.`)).toBe('it is [redacted].');
  });

  it.each([
    ['NODE_ENV', 'test'],
    ['APP_PORT', '8080-8090'],
    ['RETRIES', '1000'],
    ['DATA', '/srv/data'],
    ['PIN', 'abc'],
    ['HOME', 'home-of-mine'],
  ])('F6: not %s=%s', (name, value) => expect(passedValues({ [name]: value }, [name])).toEqual([]));

  it('F6: one of several lines is masked line by line, as output has them', () => {
    const PEM =
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5v\nAAAAB3NzaC1lZDI1NTE5\n-----END OPENSSH PRIVATE KEY-----\n';
    const env = { DEPLOY: PEM, TWO: 'first words here\r\nsecond words\n' };
    const values = passedValues(env, ['DEPLOY', 'TWO']);
    const redact = redactor(values);
    expect(redact('key: AAAAB3NzaC1lZDI1NTE5!')).toBe('key: [redacted]!');
    expect(redact('it says second words, and first')).toBe('it says [redacted], and first');
    expect(redactor(['-----BEGIN CERTIFICATE-----\nMIIBIjANBgkq'])('-----BEGIN CERTIFICATE----- x')).toMatch(
      /^-+BEGIN/,
    );
    expect(secretValues({ 'BASH_FUNC_get_token%%': '() {  echo one\n return 1;\n}' })).toEqual([]);
    const stream = new RedactingStream(values);
    const text = Buffer.from(`${env.TWO}${PEM}end\n`);
    for (let cut = 1; cut < text.length; cut++) {
      const out = Buffer.concat([stream.push(text.subarray(0, cut)), stream.push(text.subarray(cut))]).toString();
      expect(out, String(cut)).not.toMatch(/first words|second|b3Bl|AAAAB3/);
      expect(out).toMatch(/end\n$/);
    }
  });

  it('F6: one that begins with another is masked whole', () => {
    expect(redactor(['hunter', 'hunter2-long'])('hunter2-long hunter')).toBe('[redacted] [redacted]');
  });
});

describe('secrets inside the values of variables that every gate gets', () => {
  it.each([
    ['PIP_INDEX_URL', 'https://t0ken-alone@host/simple', ['t0ken-alone']],
    ['UV_INDEX_URL', 'https://token-first:@host/simple', ['token-first']],
    ['npm_config_registry', 'https://token-first:x-oauth-basic@host/npm/', ['token-first']],
    ['HTTPS_PROXY', 'http://me:corr%40ct@proxy:3128', ['corr%40ct', 'corr@ct']],
    ['GOPROXY', 'https://me:first-one@a.example,https://second-one@b.example,direct', ['second-one', 'first-one']],
    ['MAVEN_OPTS', '-Xmx1g -Djavax.net.ssl.keyStorePassword=changeit', ['changeit']],
    ['GRADLE_OPTS', '-Dpassword="two words" -Dhttp.proxyPassword=4711', ['two words', '4711']],
    [
      'JAVA_OPTS',
      "-Dsonar.token='abcdef' -Dsigning.key=ghijkl -Dspring.datasource.password=mnop",
      [...['abcdef', 'ghijkl', 'mnop']],
    ],
    ['MAKEFLAGS', 'w -- API_TOKEN=abcdefgh', ['abcdefgh']],
    ['ERL_AFLAGS', '-sname me -setcookie monster-of-mine', ['monster-of-mine']],
  ])('F6: %s=%s', (name, value, parts) => {
    expect(secretValues({ [name]: value })).toEqual(parts);
    for (const part of parts) expect(redactor(secretValues({ [name]: value }))(`<${part}>`)).toBe('<[redacted]>');
  });

  it.each([
    ['DOCKER_HOST', 'ssh://someone-else@host'],
    ['PIP_INDEX_URL', 'https://alice@host/simple'],
    ['PIP_INDEX_URL', 'https://host/simple'],
    ['HTTP_PROXY', 'http://someone:someone@proxy'],
    ['JAVA_OPTS', '-Xmx1g -Dtoken.ttl=3600 -Djavax.net.ssl.keyStore=/etc/keys -Dauth=true -Dtoken=$TOKEN'],
    ['GOFLAGS', '-mod=mod -ldflags=-s'],
    ['CFLAGS', '-O2 -DNAME=abcdefgh'],
  ])('F6: none in %s=%s', (name, value) => expect(secretValues({ [name]: value })).toEqual([]));

  it('F6: and inside those that the configuration passes', () => {
    const env = { DATABASE_URL: 'postgres://me:pa55word@db/x', APP_OPTS: '--api-key hunter2' };
    expect(redactor(passedValues(env, ['DATABASE_URL', 'APP_OPTS']))('pa55word, hunter2')).toBe(
      '[redacted], [redacted]',
    );
    const ordinary = { DATABASE_URL: 'postgres://postgres:postgres@db/x' };
    expect(redactor(passedValues(ordinary, ['DATABASE_URL']))('postgres starts')).toBe('postgres starts');
  });
});

describe('secrets by what they are', () => {
  it.each([
    ...[
      ['PGPASSWORD', 'hunter-hunter'],
      ['MYSQL_PWD', 'correct horse'],
      ['SECRETKEY', 'abcdefgh'],
      ['API_TOKEN_V2', 'qwertyui'],
    ],
    ...[
      ['SESSION_COOKIE', 'abcdefghij'],
      ['PRIVATE_KEY_B64', 'TUlJRXBBSUJBQUtDQVFFQQ=='],
      ['STRIPE_SK', 'not-so-random'],
    ],
    ...[
      ['TWILIO_SID', 'ACabcdefabcdef'],
      ['MY_THING', 'x7Qp2mZ9kL4vT8'],
      ['NOTE_URL', 'see:pa55word-x1'],
    ],
  ])('%s=%s', (name, value) => expect(secretValues({ [name]: value })).toEqual([value]));

  it('an address with a login, and its password alone', () => {
    const value = 'postgres://me:pa55word@db/x';
    expect(secretValues({ DATABASE_URL: value })).toEqual([value, 'pa55word']);
  });

  it.each([
    ...[
      ['PWD', '/home/someone/w0rk'],
      ['SSH_AUTH_SOCK', '/tmp/ssh-1/agent.12'],
      ['NODE_ENV', 'development1'.slice(0, 11)],
    ],
    ...[
      ['npm_config_registry', 'https://registry.example/a1'],
      ['GOFLAGS', '-mod=mod2 -x'],
      ['MAX_TOKENS', '100000000'],
    ],
    ...[
      ['CI_COMMIT_SHA', '0991be3f8a7c6d5e'],
      ['NODE_VERSION', 'v20.11.0-rc1'],
      ['TIMEOUT_MS', '120000000'],
    ],
    ...[
      ['PYTHONPATH', 'src2/lib'],
      ['API_URL', 'https://api1.example/v2'],
      ['GREETING', 'hello world 12'],
      ['RALPHCTL_IDEA', 'task-001-x9'],
      ['PROJECT', 'my-project-001'],
    ],
  ])('not %s=%s', (name, value) => expect(secretValues({ [name]: value })).toEqual([]));
});

describe('redacting as it comes', () => {
  const through = (pieces: readonly Buffer[], secrets: readonly string[] = []): Buffer => {
    const stream = new RedactingStream(secrets);
    return Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]);
  };

  it('gives every byte back when there is no secret', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (pieces) => {
        const buffers = pieces.map((piece) => Buffer.from(piece));
        expect(through(buffers).equals(Buffer.concat(buffers))).toBe(true);
      }),
    );
  });

  it('finds a secret wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TOKENS, 'pässwörd-ÿ-value'),
        fc.array(fc.nat(400), { maxLength: 8 }),
        fc.constantFrom('', '\n', 'x\n', ' '),
        (secret, cuts, before) => {
          const whole = Buffer.from(`${before}token ${secret}\nafter\n`);
          const at = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
          const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
          expect(through(pieces, ['pässwörd-ÿ-value']).toString()).toBe(`${before}token [redacted]\nafter\n`);
        },
      ),
    );
  });

  it('finds one in a line that never ends, and holds little of it', () => {
    const words = Buffer.from(`${'word '.repeat(300)}sk-ant-api03-${x(90)} `);
    const out = through(Array.from({ length: 200 }, () => words)).toString();
    expect(out).not.toContain('sk-ant');
    expect(out.match(/\[redacted\]/g)).toHaveLength(200);
    expect(through([Buffer.alloc(3 << 20, 'y')])).toHaveLength(3 << 20);
  });

  it.each([
    ['addresses', '://aaaa'],
    ['logins', 'https://aaaa'],
    ['passwords', '://a:aaaa'],
    ['web tokens', 'eyJaaaaaaaaaaaaaaaa'],
    ['private keys', '-----BEGIN PRIVATE KEY-----aaaa'],
    ['keys', 'sk-'],
  ])('takes linear time for endless beginnings of %s', (_name, text) => {
    expect(through([Buffer.from(text.repeat((1 << 20) / text.length))]).length).toBeGreaterThan(0);
  });
});
