import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseTarget } from '../../src/catalog/targets.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { ScanReport } from '../../src/model/report.ts';
import { jsonReporter } from '../../src/report/json.ts';
import { scan } from '../../src/scan/scan.ts';

/** Statements that use the SDK in common shapes; `$` is a number that makes names unique. */
const STATEMENTS = [
  `const box$ = await daytona.create({ language: 'python', autoStopInterval: $ });`,
  'const run$ = await box.process.executeCommand(`ls ${$}`);\n  console.log(run$.result, run$.exitCode);',
  `await box.fs.uploadFile(Buffer.from('x'), '/srv/$');`,
  `const { process: shell$ } = box;\n  await shell$.createSession('s$');`,
  `if (box.state === 'stopped') await box.start();`,
  `try {\n    await daytona.get('$');\n  } catch (error) {\n    if (String(error).includes('not found')) throw error;\n  }`,
  `const plain$ = [$, $].map((n) => n + 1);`,
  `const home$ = '/home/daytona/$';`,
  `// nothing here: daytona.create()`,
  `for await (const item$ of daytona.list()) await item$.delete();`,
];

const program = fc
  .array(fc.nat(STATEMENTS.length - 1), { minLength: 1, maxLength: 12 })
  .map((picks) => {
    const body = picks.map((pick, i) => `  ${STATEMENTS[pick]?.replaceAll('$', String(i))}`);
    return [
      `import { Daytona, type Sandbox } from '@daytonaio/sdk';`,
      '',
      'const daytona = new Daytona();',
      '',
      'export async function main(box: Sandbox) {',
      ...body,
      '}',
      '',
    ].join('\n');
  });

const work = mkdtempSync(join(tmpdir(), 'cubeshift-properties-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));
let runs = 0;

async function scanFiles(files: Record<string, string>): Promise<ScanReport> {
  const cwd = join(work, String(runs++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return scan({
    cwd,
    paths: ['.'],
    targets: [parseTarget('cube')],
    config: structuredClone(DEFAULT_CONFIG),
  });
}

const places = (report: ScanReport) =>
  report.findings.map(({ rule, symbol, line, column, confidence }) =>
    [rule, symbol, line, column, confidence].join(' '),
  );
const ids = (report: ScanReport) => report.findings.map((finding) => finding.id).sort();

const OPTIONS = { numRuns: 25 };

describe('any program that uses the SDK', () => {
  it('gives findings whose spans, lines and snippets agree with the text', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const { findings, complete } = await scanFiles({ 'a.ts': text });
        expect(complete).toBe(true);
        expect(findings.length).toBeGreaterThan(1);
        for (const finding of findings) {
          const before = text.slice(0, finding.start).split('\n');
          expect(finding.line).toBe(before.length);
          expect(finding.column).toBe((before.at(-1)?.length ?? 0) + 1);
          expect(finding.end).toBeGreaterThan(finding.start);
          expect(text.split('\n')[finding.line - 1]?.trim()).toBe(finding.snippet);
        }
        expect(new Set(findings.map((finding) => finding.id)).size).toBe(findings.length);
      }),
      OPTIONS,
    );
  });

  it('gives the same bytes for the same input', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const context = { path: (file: string) => file, colour: false, width: 80 };
        const first = await scanFiles({ 'a.ts': text, 'src/b.ts': text });
        const second = await scanFiles({ 'a.ts': text, 'src/b.ts': text });
        expect(jsonReporter(second, context)).toBe(jsonReporter(first, context));
      }),
      OPTIONS,
    );
  });

  it('keeps identities when lines move and other code changes', async () => {
    await fc.assert(
      fc.asyncProperty(program, fc.nat(5), async (text, blanks) => {
        const moved = `// a new header\n${'\n'.repeat(blanks)}${text}\nexport const later = 1;\n`;
        expect(ids(await scanFiles({ 'a.ts': moved }))).toEqual(
          ids(await scanFiles({ 'a.ts': text })),
        );
      }),
      OPTIONS,
    );
  });

  it('does not depend on line ends or a byte order mark', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const crlf = `\ufeff${text.replaceAll('\n', '\r\n')}`;
        const [plain, windows] = [
          await scanFiles({ 'a.ts': text }),
          await scanFiles({ 'a.ts': crlf }),
        ];
        expect(places(windows)).toEqual(places(plain));
        expect(ids(windows)).toEqual(ids(plain));
      }),
      OPTIONS,
    );
  });

  it('finds the same in TypeScript, CommonJS and TSX', async () => {
    const names = (report: ScanReport) =>
      report.findings.filter((finding) => finding.symbol).map((finding) => finding.symbol);
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const untyped = text
          .replace(/^import .*$/m, `const { Daytona } = require('@daytonaio/sdk');`)
          .replace('main(box: Sandbox)', 'main(box)')
          .replace('export async', '/** @param {import("@daytonaio/sdk").Sandbox} box */\nasync');
        const typed = names(await scanFiles({ 'a.ts': text }));
        expect(names(await scanFiles({ 'a.tsx': text }))).toEqual(typed);
        expect(names(await scanFiles({ 'a.js': untyped }))).toEqual(typed);
      }),
      OPTIONS,
    );
  });

  it('survives arbitrary text after the import', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (noise) => {
        const report = await scanFiles({
          'a.ts': `import { Daytona } from '@daytonaio/sdk';\n${noise}`,
        });
        expect(report.findings[0]?.rule).toBe('DT101');
      }),
      { numRuns: 60 },
    );
  });
});
