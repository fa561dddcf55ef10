import type { Finding } from '../../src/model/finding.ts';
import type { ScanReport } from '../../src/model/report.ts';
import type { ReportContext } from '../../src/report/reporter.ts';

export const CONTEXT: ReportContext = { path: (file) => file, colour: false, width: 80 };

const TEMPLATE_NOTE =
  'E2B and Cube start from a template that exists beforehand; an image that Daytona would build on the fly must be built as a template first.';
const ENV_NOTE = 'No counterpart: pass env with every command.';

/** A finding with plain values; tests say only what they are about. */
export function finding(values: Partial<Finding> & Pick<Finding, 'id'>): Finding {
  return {
    rule: 'DT401',
    file: 'src/agent/sandbox.ts',
    start: 100,
    end: 120,
    line: 12,
    column: 9,
    endLine: 12,
    endColumn: 29,
    symbol: 'Process.executeCommand',
    confidence: 'certain',
    message: 'Command execution.',
    snippet: "const r = await sandbox.process.executeCommand('npm test');",
    scope: 'runTests',
    becomes: 'sandbox.exec(command, { cwd, env, timeoutMs })',
    fix: 'automatic',
    effortMinutes: 0,
    verdicts: {
      'cube@0.7.2': { verdict: 'adapted', note: 'Seconds become milliseconds.' },
      e2b: { verdict: 'adapted', note: 'Seconds become milliseconds.' },
    },
    ...values,
  };
}

/** Text that would break out of a format that does not escape it. */
export const HOSTILE =
  '</script><img src=x onerror=alert(1)> | `code` ``` *b* @octocat %0A::error::x \u001b[31mred\u202e &amp; "q" \'s\'';

/** A report with every kind of thing a report can hold. */
export function sampleReport(): ScanReport {
  const findings: Finding[] = [
    finding({
      id: 'a0a0a0a0a0a0a0a0',
      rule: 'DT901',
      file: '.env.example',
      line: 3,
      endLine: 3,
      column: 1,
      endColumn: 16,
      confidence: 'possible',
      message: 'DAYTONA_API_KEY names a Daytona credential.',
      snippet: 'DAYTONA_API_KEY=',
      becomes: 'SANDBOX_API_KEY',
      fix: 'review',
      effortMinutes: 5,
      verdicts: { 'cube@0.7.2': { verdict: 'native' }, e2b: { verdict: 'native' } },
    }),
    finding({ id: '0000000000000001' }),
    finding({ id: '0000000000000002', line: 40, endLine: 40, column: 3, endColumn: 23 }),
    finding({ id: '0000000000000003', line: 77, endLine: 79 }),
    finding({
      id: '0000000000000004',
      rule: 'DT203',
      symbol: 'Daytona.create',
      line: 90,
      endLine: 90,
      message: 'Creation of a sandbox.',
      becomes: 'provider.create({ template })',
      fix: 'review',
      effortMinutes: 10,
      verdicts: {
        'cube@0.7.2': { verdict: 'emulated', note: TEMPLATE_NOTE },
        e2b: { verdict: 'adapted', note: TEMPLATE_NOTE },
      },
    }),
    finding({
      id: '0000000000000005',
      rule: 'DT312',
      symbol: 'Sandbox.updateEnv',
      line: 95,
      endLine: 95,
      confidence: 'likely',
      message: 'The variables are built at run time, so nobody knows which ones change.',
      fix: 'manual',
      effortMinutes: 60,
      verdicts: {
        'cube@0.7.2': { verdict: 'unsupported', note: ENV_NOTE },
        e2b: { verdict: 'unsupported', note: ENV_NOTE },
      },
    }),
    finding({
      id: '0000000000000006',
      rule: 'DT207',
      symbol: 'Daytona.delete',
      legacyName: 'remove',
      file: 'src/päth with space/ünï#1.ts',
      line: 1,
      endLine: 1,
      message: 'Lifecycle call through the client.',
      snippet: HOSTILE.slice(0, 120),
      becomes: HOSTILE,
      verdicts: { 'cube@0.7.2': { verdict: 'native' }, e2b: { verdict: 'native', note: HOSTILE } },
    }),
  ];
  // Built at run time, nothing replaces it.
  delete findings[5]?.becomes;
  delete findings[0]?.symbol;
  delete findings[0]?.scope;
  return {
    $schema: './node_modules/cubeshift/schema/report.schema.json',
    schemaVersion: 1,
    tool: { name: 'cubeshift', version: '0.1.0' },
    targets: ['cube@0.7.2', 'e2b'],
    complete: false,
    sdk: [
      {
        package: '@daytonaio/sdk',
        manifest: 'package.json',
        range: '^0.25.0',
        version: '0.25.6',
        source: 'package-lock.json',
        generation: 'Daytona.create with snapshots (0.21 to 0.99)',
      },
      {
        package: '@daytona/sdk',
        manifest: 'packages/b/package.json',
        range: '*',
        version: null,
        source: null,
        generation: null,
      },
    ],
    summary: {
      filesListed: 1234,
      filesAnalysed: 31,
      filesCoupled: 3,
      sites: 7,
      byConfidence: { certain: 5, likely: 1, possible: 1 },
      byFix: { automatic: 4, review: 2, manual: 1, none: 0 },
      byRule: { DT901: 1, DT203: 1, DT207: 1, DT312: 1, DT401: 3 },
      effortMinutes: 75,
      targets: ['cube@0.7.2', 'e2b'].map((target) => ({
        target,
        verdicts: { native: 2, adapted: 3, emulated: 1, unsupported: 1 },
        blockers: [
          { symbol: 'Sandbox.updateEnv', rule: 'DT312', sites: 1, files: 1, instead: ENV_NOTE },
        ],
      })),
      nextSteps: ['Replace Sandbox.updateEnv by env per command.', 'Run the codemods.'],
    },
    findings,
    warnings: ['web/tsconfig.json is not valid JSON; its paths are not followed'],
    skipped: [
      { file: 'src/broken.ts', reason: 'unparsable', incomplete: true, detail: '3:1 } expected' },
      { file: 'dist/app.min.js', reason: 'generated', incomplete: false },
    ],
    suppressions: { used: 2, unused: [{ file: 'src/old.ts', line: 4, rule: 'DT999' }] },
  };
}

/** A clean scan. */
export function emptyReport(): ScanReport {
  const full = sampleReport();
  return {
    ...full,
    complete: true,
    sdk: [],
    summary: {
      ...full.summary,
      filesCoupled: 0,
      sites: 0,
      byConfidence: { certain: 0, likely: 0, possible: 0 },
      byFix: { automatic: 0, review: 0, manual: 0, none: 0 },
      byRule: {},
      effortMinutes: 0,
      targets: full.targets.map((target) => ({
        target,
        verdicts: { native: 0, adapted: 0, emulated: 0, unsupported: 0 },
        blockers: [],
      })),
      nextSteps: [],
    },
    findings: [],
    skipped: [],
    warnings: [],
    suppressions: { used: 0, unused: [] },
  };
}
