import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchText, namesDaytonaHost } from '../../src/analyze/text/index.ts';
import { ruleById } from '../../src/catalog/rules.ts';
import { TEXT_PATTERNS } from '../../src/catalog/text.ts';

/** `rule confidence matched-text` of every match in a literal as it stands in a source file. */
function literal(text: string, daytonaHost = false): string[] {
  return matchText(text, 'literal', { daytonaHost }).map(
    (m) => `${m.rule} ${m.confidence} ${text.slice(m.start, m.end)}`,
  );
}

/** A template literal's text: `$` is written as `§`, so that it is no template here. */
const template = (text: string) => text.replaceAll('§', '$');

describe('a literal that is a coupling', () => {
  it.each([
    [`'DAYTONA_API_KEY'`, 'DT901 likely DAYTONA_API_KEY'],
    [`'NEXT_PUBLIC_DAYTONA_API_KEY'`, 'DT901 likely NEXT_PUBLIC_DAYTONA_API_KEY'],
    [`'DAYTONA_SNAPSHOT_NAME'`, 'DT901 possible DAYTONA_SNAPSHOT_NAME'],
    [`'Set DAYTONA_API_KEY first'`, 'DT901 possible DAYTONA_API_KEY'],
    [`'@daytonaio/sdk'`, 'DT112 likely @daytonaio/sdk'],
    [`'@daytonaio/sdk/src/Process.js'`, 'DT112 likely @daytonaio/sdk/src/Process.js'],
    [`'@computesdk/daytona'`, 'DT112 possible @computesdk/daytona'],
    [`'https://app.daytona.io/api'`, 'DT903 likely https://app.daytona.io/api'],
    [`'https://app.daytona.io'`, 'DT903 likely https://app.daytona.io'],
    [`'frame-src https://*.daytona.io;'`, 'DT903 likely https://*.daytona.io'],
    [
      `'https://app.daytona.io/dashboard/keys'`,
      'DT903 possible https://app.daytona.io/dashboard/keys',
    ],
    [`'Your key is at https://app.daytona.io.'`, 'DT903 possible https://app.daytona.io'],
    ['`ssh §{token}@ssh.app.daytona.io`', 'DT903 likely ssh.app.daytona.io'],
    [
      `'https://app.daytona.io/api/sandbox/x/start'`,
      'DT902 likely https://app.daytona.io/api/sandbox/x/start',
    ],
    [
      '`§{base}/toolbox/§{id}/toolbox/process/execute`',
      'DT902 likely /toolbox/§{id}/toolbox/process/execute',
    ],
    [
      '`https://proxy.app.daytona.io/toolbox/§{id}/files`',
      'DT902 likely https://proxy.app.daytona.io/toolbox/§{id}/files',
    ],
    ['`§{url}/sandbox/§{id}/autostop/15`', 'DT902 possible /sandbox/§{id}/autostop'],
    [
      '`https://§{port}-§{id}.proxy.daytona.work/`',
      'DT904 likely https://§{port}-§{id}.proxy.daytona.work',
    ],
    [
      '`https://§{p}-§{s.id.replace("-", "")}.proxy.app.daytona.io`',
      'DT904 likely https://§{p}-§{s.id.replace("-", "")}.proxy.app.daytona.io',
    ],
    ['.proxy.daytona.work', 'DT904 likely .proxy.daytona.work'],
    [
      String.raw`/^(\d+)-(\w+)\.proxy\.daytona\.works$/`,
      String.raw`DT904 likely ^(\d+)-(\w+)\.proxy\.daytona\.works`,
    ],
    [`'https://3000-abc.daytonaproxy01.net/x'`, 'DT904 likely https://3000-abc.daytonaproxy01.net'],
    [`'*.h7890.daytona.work'`, 'DT904 likely *.h7890.daytona.work'],
    [`'daytona sandbox create --snapshot x'`, 'DT905 likely daytona sandbox create'],
    [`'daytonaio/acme-box:1.2.0'`, 'DT906 likely daytonaio/acme-box:1.2.0'],
    [`'daytonaio/sandbox'`, 'DT906 likely daytonaio/sandbox'],
    [`'daytona-medium'`, 'DT906 likely daytona-medium'],
    [`'cr.app.daytona.io/org/img:1'`, 'DT906 likely cr.app.daytona.io/org/img:1'],
    [`'/home/daytona'`, 'DT907 likely /home/daytona'],
    ['`/home/daytona/§{name}/src`', 'DT907 likely /home/daytona/§{name}/src'],
    [`'You work in /home/daytona/project. Keep it clean.'`, 'DT907 likely /home/daytona/project'],
    [`'useradd -m -s /bin/bash daytona'`, 'DT907 likely useradd -m -s /bin/bash daytona'],
    [`'X-Daytona-Preview-Token'`, 'DT909 likely X-Daytona-Preview-Token'],
    [`'x-daytona-organization-id'`, 'DT909 likely x-daytona-organization-id'],
    ['`§{url}?DAYTONA_SANDBOX_AUTH_KEY=§{token}`', 'DT909 likely DAYTONA_SANDBOX_AUTH_KEY'],
    ['`from daytona import Daytona\nDaytona()`', 'DT908 likely from daytona import'],
    [`'import daytona_sdk'`, 'DT908 likely import daytona_sdk'],
    [`"const { Daytona } = require('@daytonaio/sdk')"`, `DT908 likely require('@daytonaio/sdk`],
    [`"import { Daytona } from '@daytona/sdk'"`, `DT908 likely from '@daytona/sdk`],
    [`'Call new Daytona() first'`, 'DT908 possible new Daytona('],
  ])('%s', (text, expected) => {
    expect(literal(template(text))).toEqual([template(expected)]);
  });

  it('counts a program in a string once, whatever else it names', () => {
    const program = `import os
from daytona import Daytona, DaytonaConfig
d = Daytona(DaytonaConfig(api_key=os.environ["DAYTONA_API_KEY"], api_url="https://app.daytona.io/api"))
d.create().process.exec("ls /home/daytona")`;
    expect(literal(`\`${program}\``)).toEqual(['DT908 likely from daytona import']);
  });

  it('finds several couplings in one literal', () => {
    expect(literal(`'https://*.proxy.daytona.works https://*.daytona.io /home/daytona'`)).toEqual([
      'DT904 likely https://*.proxy.daytona.works',
      'DT903 likely https://*.daytona.io',
      'DT907 likely /home/daytona',
    ]);
  });

  it('leaves the expressions of a template to whoever reads the code', () => {
    expect(literal(template('`key: §{process.env.DAYTONA_API_KEY}`'))).toEqual([]);
    expect(literal(template('`§{ok ? "/home/daytona" : `a§{b}`}`'))).toEqual([]);
  });

  it('takes bare REST paths for Daytona only next to a Daytona host', () => {
    const paths = ['`§{base}/sandbox/§{id}/start`', '`/sandbox/§{id}`', `'/sandbox'`, `'/volumes'`];
    for (const path of paths.map(template)) {
      expect(literal(path)).toEqual([]);
      expect(literal(path, true)).toEqual([expect.stringMatching(/^DT902 possible \//)]);
    }
    for (const path of [`'/api/sandbox/create'`, `'/sandbox/settings/page'`, `'/sandboxes'`]) {
      expect(literal(path, true)).toEqual([]);
    }
    expect(namesDaytonaHost(`const base = 'https://app.daytona.io/api'`)).toBe(true);
    expect(namesDaytonaHost(`// docs: https://www.daytona.io`)).toBe(false);
  });

  it('says what a variable becomes', () => {
    const of = (name: string) => matchText(name, 'literal')[0];
    expect(of('DAYTONA_API_KEY')?.becomes).toBe('E2B_API_KEY');
    expect(of('DAYTONA_SERVER_URL')?.becomes).toBe('E2B_API_URL');
    expect(of('DAYTONA_TARGET')?.becomes).toBeUndefined();
    expect(of('VITE_DAYTONA_API_KEY')?.message).toContain('browsers');
  });
});

describe('a literal that is none', () => {
  it.each([
    `'daytona'`,
    `'Daytona'`,
    `'DAYTONA'`,
    `'12 Daytona Street'`,
    `'Daytona Beach, FL'`,
    `'DAYTONA_BEACH_STORE'`,
    `'DAYTONA_500'`,
    `'DAYTONA_DAEMON'`,
    `'Daytona sandbox'`,
    `'Creating daytona sandbox...'`,
    `'daytona-card'`,
    `'.daytona-large-title'`,
    `'./daytona/client'`,
    `'../providers/daytona.ts'`,
    `'/api/daytona/create'`,
    `'/home/daytonas'`,
    `'/usr/home/daytona-x'`,
    `'https://www.daytona.io/docs/en/api'`,
    `'https://daytona.io'`,
    `'support@daytona.io'`,
    `'https://github.com/daytonaio/daytona'`,
    `'daytonaio/daytona'`,
    `'https://www.npmjs.com/package/@daytonaio/sdk'`,
    `'Install @daytonaio/sdk to use this'`,
    `'https://daytona.example.com/api/sandbox'`,
    `'myapp.daytona.iot'`,
    `'xx-daytona-token'`,
    `'new DaytonaProvider()'`,
    `'import daytonaBeach from "x"'`,
    `'from daytona_beach import x'`,
    `'the daytona server is down'`,
    `'user: daytona'`,
    `'/toolbox/settings'`,
    `'/sandbox/x/start'`,
    `''`,
  ])('%s', (text) => {
    expect(literal(text)).toEqual([]);
  });
});

describe('matchText', () => {
  it('only names rules of the catalogue', () => {
    for (const { rule } of TEXT_PATTERNS) expect(ruleById(rule).id).toBe(rule);
  });

  it('never throws, and its matches are inside the text, in order and apart', () => {
    const words = [
      'daytona',
      'Daytona',
      'DAYTONA_',
      'API_KEY',
      '/home/daytona',
      'https://',
      'app.daytona.io',
      '/api',
      '/sandbox/',
      '/toolbox/',
      '.proxy.',
      'daytona.work',
      '${',
      '}',
      '`',
      "'",
      '"',
      '\n',
      ' ',
      '-',
      '.',
      '\\',
      '@daytonaio/sdk',
      'from ',
      'import ',
      'new ',
      '(',
      'daytonaio/',
      ':1',
      'x-daytona-',
      'npm install ',
      'pip install ',
      'USER ',
      'useradd ',
      '<',
      '>',
      '=',
      '\u{1f680}',
    ];
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...words) },
      { weight: 1, arbitrary: fc.string() },
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('literal' as const, 'file' as const),
        fc.boolean(),
        (source, context, daytonaHost) => {
          let last = 0;
          for (const match of matchText(source, context, { daytonaHost })) {
            expect(match.start).toBeGreaterThanOrEqual(last);
            expect(match.end).toBeGreaterThan(match.start);
            expect(match.end).toBeLessThanOrEqual(source.length);
            last = match.end;
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
