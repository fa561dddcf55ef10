import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeTextFile } from '../../src/analyze/text/index.ts';

/** `line rule confidence matched-text` of every finding. */
function findings(path: string, text: string): string[] {
  return analyzeTextFile(path, text).map((d) => {
    const line = text.slice(0, d.start).split('\n').length;
    return `${line} ${d.rule} ${d.confidence} ${text.slice(d.start, d.end)}`;
  });
}

describe('env files', () => {
  const text = `# Daytona credentials
# DAYTONA_API_KEY=old
DAYTONA_API_KEY="x"
export DAYTONA_API_URL=https://app.daytona.io/api
SANDBOX_URL=https://app.daytona.io/api
NEXT_PUBLIC_DAYTONA_TARGET=us
DAYTONA_SNAPSHOT=daytona-large
DAYTONA_BEACH_SHOP=1
CITY=Daytona
`;

  it.each(['.env', '.env.local', 'apps/x/.env.test.example', 'prod.env', '.envrc', 'env.example'])(
    '%s',
    (path) => {
      expect(findings(path, text)).toEqual([
        '2 DT901 possible DAYTONA_API_KEY',
        '3 DT901 likely DAYTONA_API_KEY',
        '4 DT901 likely DAYTONA_API_URL',
        '5 DT903 likely https://app.daytona.io/api',
        '6 DT901 likely NEXT_PUBLIC_DAYTONA_TARGET',
        '7 DT901 likely DAYTONA_SNAPSHOT',
      ]);
    },
  );

  it('says in words what a variable becomes', () => {
    expect(analyzeTextFile('.env', 'DAYTONA_API_KEY=x')[0]?.message).toContain('E2B_API_KEY');
  });
});

describe('configuration', () => {
  it('compose', () => {
    const text = `services:
  box:
    image: daytonaio/sandbox:0.4.3 # the default
    environment:
      - DAYTONA_API_KEY
      - DAYTONA_API_URL=\${DAYTONA_API_URL:-https://app.daytona.io/api}
    # set DAYTONA_TARGET too
    volumes: ["./x:/home/daytona/x"]
    labels: { city: Daytona Beach, vendor: daytona }
`;
    expect(findings('docker-compose.yml', text)).toEqual([
      '3 DT906 likely daytonaio/sandbox:0.4.3',
      '5 DT901 likely DAYTONA_API_KEY',
      '6 DT901 likely DAYTONA_API_URL',
      '7 DT901 possible DAYTONA_TARGET',
      '8 DT907 likely /home/daytona/x',
    ]);
  });

  it('workflow', () => {
    const text = `name: daytona create tests
jobs:
  a:
    env:
      DAYTONA_API_KEY: \${{ secrets.DAYTONA_API_KEY }}
      KEY: \${{ secrets.E2E_DAYTONA_API_KEY }}
    steps:
      - uses: daytonaio/setup@v1
      - name: needs DAYTONA_TARGET
        run: daytona login --api-key "$KEY"
      - run: |
          npm install -D @daytonaio/sdk
          python - <<EOF
          from daytona import Daytona
          EOF
`;
    expect(findings('.github/workflows/ci.yaml', text)).toEqual([
      '5 DT901 likely DAYTONA_API_KEY',
      '6 DT901 likely E2E_DAYTONA_API_KEY',
      '9 DT901 possible DAYTONA_TARGET',
      '10 DT905 likely daytona login',
      '12 DT112 likely @daytonaio/sdk',
      '14 DT908 likely from daytona import',
    ]);
  });

  it('Dockerfile', () => {
    const text = `FROM daytonaio/sandbox AS base
ARG DAYTONA_API_KEY
ENV DAYTONA_TARGET=us
RUN useradd -m daytona && chown -R daytona:daytona /app
COPY --chown=daytona:daytona . /home/daytona/app
USER daytona
RUN curl -sfL https://download.daytona.io/daytona/install.sh | sh && daytona snapshot push x:1
RUN pip install --no-cache-dir "daytona>=0.100" requests
LABEL vendor=daytona
`;
    expect(findings('deploy/Dockerfile.prod', text)).toEqual([
      '1 DT906 likely daytonaio/sandbox',
      '2 DT901 likely DAYTONA_API_KEY',
      '3 DT901 likely DAYTONA_TARGET',
      '4 DT907 likely useradd -m daytona',
      '4 DT907 likely chown -R daytona:daytona',
      '5 DT907 likely --chown=daytona:daytona',
      '5 DT907 likely /home/daytona/app',
      '6 DT907 likely USER daytona',
      '7 DT905 likely https://download.daytona.io/daytona/install.sh',
      '7 DT905 likely daytona snapshot push',
      '8 DT112 likely daytona',
    ]);
  });

  it('shell and Makefile', () => {
    const text = `#!/bin/sh
if [ -z "\${DAYTONA_API_KEY:-}" ]; then echo "DAYTONA_API_KEY is missing"; fi
curl -H "X-Daytona-Organization-ID: $O" https://app.daytona.io/api/sandbox
daytona sandbox list # cleanup
cd daytona && ls
`;
    const expected = [
      '2 DT901 likely DAYTONA_API_KEY',
      '3 DT909 likely X-Daytona-Organization-ID',
      '3 DT902 likely https://app.daytona.io/api/sandbox',
      '4 DT905 likely daytona sandbox list',
    ];
    expect(findings('scripts/run.sh', text)).toEqual(expected);
    expect(findings('scripts/run', text)).toEqual(expected);
    expect(findings('Makefile', 'up:\n\tdaytona create --name x\n')).toEqual([
      '2 DT905 likely daytona create',
    ]);
  });

  it('nginx and Caddy', () => {
    const text = `add_header Content-Security-Policy "frame-src https://*.proxy.daytona.works";
proxy_set_header x-daytona-skip-preview-warning true;
`;
    const expected = [
      '1 DT904 likely https://*.proxy.daytona.works',
      '2 DT909 likely x-daytona-skip-preview-warning',
    ];
    expect(findings('nginx.conf', text)).toEqual(expected);
    expect(findings('Caddyfile', text)).toEqual(expected);
  });

  it('Terraform, TOML and JSON', () => {
    expect(findings('main.tf', 'environment = { DAYTONA_API_KEY = var.k }')).toEqual([
      '1 DT901 likely DAYTONA_API_KEY',
    ]);
    expect(findings('fly.toml', '[env]\nDAYTONA_TARGET = "us"\nname = "daytona"\n')).toEqual([
      '2 DT901 likely DAYTONA_TARGET',
    ]);
    const turbo = '{ "globalEnv": ["DAYTONA_API_KEY", "OTHER"], "note": "about DAYTONA_TARGET" }';
    expect(findings('turbo.json', turbo)).toEqual([
      '1 DT901 likely DAYTONA_API_KEY',
      '1 DT901 possible DAYTONA_TARGET',
    ]);
    expect(
      findings('tsconfig.json', '{"compilerOptions":{"paths":{"@daytona/sdk":["x"]}}}'),
    ).toEqual(['1 DT112 likely @daytona/sdk']);
  });

  it('package.json: scripts and settings, but not what the manifest reader tells', () => {
    const text = `{
  "name": "daytona-app", "description": "Set DAYTONA_API_KEY", "keywords": ["@daytonaio/sdk"],
  "scripts": {
    "test:daytona": "vitest",
    "snap": "daytona snapshot create x && DAYTONA_API_KEY=y node a.js"
  },
  "dependencies": { "@daytonaio/sdk": "^0.20.0" },
  "peerDependenciesMeta": { "@daytonaio/sdk": { "optional": true } },
  "build": { "external": ["@daytonaio/sdk"] }
}`;
    expect(findings('package.json', text)).toEqual([
      '5 DT905 likely daytona snapshot create',
      '5 DT901 likely DAYTONA_API_KEY',
      '9 DT112 likely @daytonaio/sdk',
    ]);
  });

  it.each(['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'uv.lock', 'go.sum'])(
    'nothing in %s',
    (name) => {
      const text = '"@daytonaio/sdk@^0.20.0": https://app.daytona.io/api DAYTONA_API_KEY=1';
      expect(findings(`x/${name}`, text)).toEqual([]);
    },
  );
});

describe('Python', () => {
  it('imports, variables, paths; not words', () => {
    const text = `import os, daytona_sdk
from daytona import Daytona
    from daytona.common.errors import DaytonaError
from daytona_api_client import SandboxState
from .daytona import helper
import daytona_beach
provider = "daytona"
key = os.environ["DAYTONA_API_KEY"]
raise ValueError("DAYTONA_API_KEY is not set")
# DAYTONA_TARGET, see docs
HOME = "/home/daytona/x"
code = "from daytona import x"
`;
    expect(findings('app/main.py', text)).toEqual([
      '1 DT101 likely import os, daytona_sdk',
      '2 DT101 likely from daytona import',
      '3 DT101 likely from daytona.common.errors import',
      '4 DT109 likely from daytona_api_client import',
      '8 DT901 likely DAYTONA_API_KEY',
      '9 DT901 possible DAYTONA_API_KEY',
      '10 DT901 possible DAYTONA_TARGET',
      '11 DT907 likely /home/daytona/x',
    ]);
  });

  it('requirements', () => {
    const text =
      '# daytona\ndaytona==0.100.0\ndaytona_sdk>=0.2 # x\ndaytona-beach==1\ndaytona[a]\n';
    expect(findings('requirements-dev.txt', text)).toEqual([
      '2 DT111 likely daytona',
      '3 DT111 likely daytona_sdk',
      '5 DT111 likely daytona',
    ]);
  });

  it('pyproject', () => {
    const text = `[project]
name = "daytona"
keywords = [
  "daytona",
]
dependencies = [
  "daytona>=0.1",
]
[project.optional-dependencies]
daytona = ["daytona-sdk>=0.3"]
[tool.poetry.dependencies]
daytona = "^0.1"
[tool.isort]
known_first_party = ["daytona"]
`;
    expect(findings('pyproject.toml', text)).toEqual([
      '7 DT111 likely daytona',
      '10 DT111 likely daytona-sdk',
      '12 DT111 likely daytona',
    ]);
  });
});

describe('documents and data', () => {
  it('one finding per fenced block that uses the SDK, and prose is no coupling', () => {
    const text = `# Daytona
Runs in a Daytona sandbox. Set \`DAYTONA_API_KEY\` ([keys](https://app.daytona.io/dashboard/keys)).
See https://www.daytona.io/docs and \`@daytonaio/sdk\`; call \`new Daytona()\`.

\`\`\`ts
const key = process.env.DAYTONA_API_KEY;
import { Daytona } from '@daytonaio/sdk';
const d = new Daytona({ apiUrl: 'https://app.daytona.io/api' });
\`\`\`

\`\`\`sh
npm install @daytonaio/sdk
export DAYTONA_API_KEY=x
daytona sandbox list
\`\`\`

  ~~~python
  from daytona import Daytona
`;
    const expected = [
      '2 DT901 possible DAYTONA_API_KEY',
      '2 DT903 possible https://app.daytona.io/dashboard/keys',
      "7 DT908 possible from '@daytonaio/sdk",
      '12 DT112 possible @daytonaio/sdk',
      '13 DT901 possible DAYTONA_API_KEY',
      '14 DT905 possible daytona sandbox list',
      '18 DT908 possible from daytona import',
    ];
    expect(findings('README.md', text)).toEqual(expected);
    expect(findings('docs/a.mdx', text)).toEqual(expected);
  });

  it('does not count a link whose text is its address twice', () => {
    expect(findings('a.md', '[https://app.daytona.io](https://app.daytona.io)')).toHaveLength(1);
  });

  it('counts each text of recorded data once', () => {
    const text = '{"cwd":"/home/daytona"}\n{"cwd":"/home/daytona"}\n{"f":"/home/daytona/a"}\n';
    expect(findings('fixtures/run.jsonl', text)).toEqual([
      '1 DT907 possible /home/daytona',
      '3 DT907 possible /home/daytona/a',
    ]);
  });

  it.each([
    ['seed.sql', `insert into shops values ('Daytona', '12 Daytona Street', 'daytona');`],
    ['i18n/en.json', '{"provider.daytona": "Daytona", "hint": "Powered by Daytona sandboxes"}'],
    ['index.html', '<p>Visit Daytona Beach</p><a href="https://www.daytona.io">Daytona</a>'],
    ['.vscode/settings.json', '{"cSpell.words": ["DAYTONA", "daytonaio"]}'],
    ['labels.yml', '- daytona server\n- daytona\n- name: daytona\n'],
    ['CHANGELOG.md', '- daytona: bump to 0.2, daytona sandbox create is faster\n'],
  ])('nothing in %s', (path, text) => {
    expect(findings(path, text)).toEqual([]);
  });
});

it('works for every kind of file without overlap, out of order or outside the text', () => {
  const names = [
    '.env',
    'a.yml',
    'Dockerfile',
    'a.sh',
    'package.json',
    'a.py',
    'a.md',
    'a.vue',
    'a.csv',
    'pyproject.toml',
    'turbo.json',
  ];
  const words = [
    'daytona',
    'DAYTONA_API_KEY',
    '=',
    ':',
    '"',
    "'",
    '\n',
    ' ',
    '```',
    '# ',
    '{',
    '}',
    '[',
    ']',
    ',',
    '/home/daytona',
    'https://app.daytona.io/api',
    '@daytonaio/sdk',
    'from daytona import ',
    'dependencies',
    'npm i ',
    '$',
  ];
  const text = fc
    .array(fc.constantFrom(...words), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...names), text, (name, source) => {
      let last = 0;
      for (const found of analyzeTextFile(name, source)) {
        expect(found.start).toBeGreaterThanOrEqual(last);
        expect(found.end).toBeGreaterThan(found.start);
        expect(found.end).toBeLessThanOrEqual(source.length);
        last = found.end;
      }
    }),
    { numRuns: 2000 },
  );
});
