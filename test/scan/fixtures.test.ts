import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RULES } from '../../src/catalog/rules.ts';
import { parseTarget } from '../../src/catalog/targets.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { Finding } from '../../src/model/finding.ts';
import type { ScanReport } from '../../src/model/report.ts';
import { scan } from '../../src/scan/scan.ts';

/**
 * Every folder under test/fixtures/scan is a case: `input/` is a repository, `expected.txt` its
 * findings, one a line. `UPDATE_FIXTURES=1` rewrites the expectations; read the diff before you keep it.
 */
const ROOT = join(import.meta.dirname, '../fixtures/scan');
const cases = readdirSync(ROOT).sort();
const update = process.env.UPDATE_FIXTURES === '1';
const work = mkdtempSync(join(tmpdir(), 'cubeshift-fixtures-'));
const seen = new Set<string>();

afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('scan fixtures', () => {
  it.each(cases)('%s', async (name) => {
    // Outside of this repository, so that its manifests and git do not take part.
    const copy = join(work, name);
    cpSync(join(ROOT, name, 'input'), copy, { recursive: true });
    const report = await scan({
      cwd: copy,
      paths: ['.'],
      targets: [parseTarget('cube')],
      config: structuredClone(DEFAULT_CONFIG),
    });
    for (const finding of report.findings) seen.add(finding.rule);
    const actual = render(report);
    const file = join(ROOT, name, 'expected.txt');
    if (update || !existsSync(file)) writeFileSync(file, actual);
    expect(actual).toBe(readFileSync(file, 'utf8'));
  });

  it('cover every rule', () => {
    // A file that cannot be read cannot be checked in: bad-input.test.ts makes one.
    const missing = RULES.map((rule) => rule.id).filter((id) => id !== 'DT002' && !seen.has(id));
    expect(missing).toEqual([]);
  });
});

function render(report: ScanReport): string {
  const lines = report.findings.map(line);
  for (const { file, reason, incomplete } of report.skipped) {
    lines.push(`skipped ${file} ${reason}${incomplete ? ' incomplete' : ''}`);
  }
  for (const use of report.sdk) lines.push(`sdk ${use.package} ${use.version ?? 'unknown'}`);
  return `${lines.join('\n')}\n`;
}

function line(finding: Finding): string {
  const legacy = finding.legacyName === undefined ? '' : ` (was ${finding.legacyName})`;
  const what = finding.symbol ?? finding.message;
  return `${finding.file}:${finding.line}:${finding.column} ${finding.rule} ${finding.confidence} ${finding.fix} ${what}${legacy}`;
}
