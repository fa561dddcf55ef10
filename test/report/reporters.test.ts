import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { ScanReport } from '../../src/model/report.ts';
import { githubReporter } from '../../src/report/github.ts';
import { htmlReporter } from '../../src/report/html.ts';
import { SCRIPT } from '../../src/report/html-assets.ts';
import { jsonReporter } from '../../src/report/json.ts';
import { markdownReporter } from '../../src/report/markdown.ts';
import { REPORTER_NAMES, REPORTERS } from '../../src/report/reporter.ts';
import { MOST_RESULTS, sarifReporter } from '../../src/report/sarif.ts';
import { textReporter } from '../../src/report/text.ts';
import { CONTEXT, emptyReport, finding, HOSTILE, sampleReport } from './sample-report.ts';
import { SARIF_SUBSET } from './sarif-subset.ts';

const ESC = String.fromCharCode(27);

function withBaseline(): ScanReport {
  const report = sampleReport();
  const fixed = [{ id: 'f'.repeat(16), rule: 'DT401', file: 'gone.ts', snippet: 'gone()' }];
  return {
    ...report,
    findings: report.findings.map((found, i) => ({
      ...found,
      baseline: i === 1 ? 'new' : 'known',
    })),
    baseline: { file: 'cubeshift-baseline.json', new: 1, known: 6, fixed },
  };
}

describe.each(REPORTER_NAMES)('every reporter: %s', (name) => {
  test('is a pure function that ends with a newline', async () => {
    const render = await REPORTERS[name].load();
    for (const build of [sampleReport, emptyReport, withBaseline]) {
      const report = build();
      const first = render(report, CONTEXT);
      expect(render(build(), CONTEXT)).toBe(first);
      expect(report).toEqual(build());
      expect(first.endsWith('\n')).toBe(true);
      expect(first.endsWith('\n\n')).toBe(false);
    }
  });
});

describe('text', () => {
  const text = textReporter(sampleReport(), CONTEXT);

  test('fits the width but for words that must not be cut', () => {
    const long = text.split('\n').filter((line) => line.length > CONTEXT.width);
    expect(long).toEqual([]);
  });

  test('tells findings of one kind in a file once, with all their lines', () => {
    expect(text.match(/DT401 Process\.executeCommand/g)).toHaveLength(1);
    expect(text).toContain('also lines 40, 77');
  });

  test('says a note once, however often it applies', () => {
    expect(text.match(/Seconds become milliseconds/g)).toHaveLength(1);
    expect(text.match(/pass env with every command/g)).toHaveLength(1);
  });

  test('ends with the answers', () => {
    const summary = text.slice(text.indexOf('7 Daytona sites in 3 files'));
    expect(summary).toContain('4 automatic, 2 to review, 1 manual');
    expect(summary).toContain('Daytona.create with snapshots (0.21 to 0.99)');
    expect(summary).toMatch(/cube@0\.7\.2 {2}e2b/);
    expect(summary).toContain('Sandbox.updateEnv on cube@0.7.2, e2b: 1 site in 1 file');
    expect(summary).toContain('1. Replace Sandbox.updateEnv');
    expect(summary).toContain('Incomplete');
  });

  test('with one target, the verdict is a column', () => {
    const report = sampleReport();
    const one = report.findings.map((found) => ({
      ...found,
      verdicts: { e2b: found.verdicts.e2b ?? { verdict: 'native' as const } },
    }));
    const single = textReporter({ ...report, targets: ['e2b'], findings: one }, CONTEXT);
    expect(single).toMatch(/Sandbox\.updateEnv +manual {5}unsupported$/m);
    expect(single.split('\n').every((line) => line.length <= CONTEXT.width)).toBe(true);
  });

  test('control and direction characters of the code are shown, not obeyed', () => {
    expect(text).not.toContain(ESC);
    expect(text).not.toContain('\u202e');
    expect(text).toContain('\\u{1b}[31m');
  });

  test('colour only when asked for, and the text stays the same', () => {
    const coloured = textReporter(sampleReport(), { ...CONTEXT, colour: true });
    expect(coloured).toContain(ESC);
    const codes = new RegExp(`${ESC}\\[\\d+m`, 'g');
    expect(coloured.replace(codes, '')).toBe(text);
  });

  test('with a baseline, lists what is new and what is fixed', () => {
    const compared = textReporter(withBaseline(), CONTEXT);
    expect(compared).toContain('1 new, 6 known (not listed), 1 fixed');
    expect(compared).toContain('fixed: gone.ts DT401 gone()');
    expect(compared).not.toContain('95:9');
  });

  test('a clean scan is one line', () => {
    expect(textReporter(emptyReport(), CONTEXT)).toBe(
      'No Daytona coupling found in 1,234 files.\n',
    );
  });
});

describe('json', () => {
  const schema = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../schema/report.schema.json'), 'utf8'),
  ) as object;
  const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(
    schema,
  );

  test.each([
    ['full', sampleReport],
    ['empty', emptyReport],
    ['compared', withBaseline],
  ])('a %s report follows the schema', (_, build) => {
    const report = JSON.parse(jsonReporter(build(), CONTEXT)) as unknown;
    validate(report);
    expect(validate.errors).toBeNull();
    expect(report).toEqual(build());
  });

  test('the schema refuses what is not in the model', () => {
    const report = sampleReport();
    expect(validate({ ...report, extra: 1 })).toBe(false);
    expect(validate({ ...report, findings: [{ ...report.findings[0], rule: 'X1' }] })).toBe(false);
    expect(validate({ ...report, findings: [finding({ id: 'short' })] })).toBe(false);
  });

  test('the order of keys does not depend on how the report was built', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)] as const);
      // Targets are shown in the order asked for, so their order is content.
      return Object.fromEntries('e2b' in value ? entries : entries.reverse());
    };
    const shuffled = reversed(withBaseline()) as ScanReport;
    expect(Object.keys(shuffled)[0]).not.toBe('$schema');
    expect(jsonReporter(shuffled, CONTEXT)).toBe(jsonReporter(withBaseline(), CONTEXT));
  });
});

describe('sarif', () => {
  interface Sarif {
    runs: [
      {
        tool: { driver: { rules: { id: string; helpUri?: string }[] } };
        invocations: [
          {
            executionSuccessful: boolean;
            toolExecutionNotifications: { level: string; message: { text: string } }[];
          },
        ];
        results: {
          ruleId: string;
          ruleIndex: number;
          level: string;
          baselineState?: string;
          partialFingerprints: Record<string, string>;
          locations: [{ physicalLocation: { artifactLocation: { uri: string } } }];
        }[];
      },
    ];
  }
  const parse = (report: ScanReport, homepage?: string) => {
    const context = homepage === undefined ? CONTEXT : { ...CONTEXT, homepage };
    return (JSON.parse(sarifReporter(report, context)) as Sarif).runs[0];
  };
  const validate = new Ajv({ strict: false, allErrors: true }).compile(SARIF_SUBSET);

  test.each([
    ['full', sampleReport],
    ['empty', emptyReport],
    ['compared', withBaseline],
  ])('a %s log follows the part of SARIF 2.1.0 we use', (_, build) => {
    const context = { ...CONTEXT, homepage: 'https://example.org/docs' };
    validate(JSON.parse(sarifReporter(build(), context)));
    expect(validate.errors).toBeNull();
  });

  test('results point at their rules', () => {
    const { tool, results } = parse(sampleReport());
    for (const { ruleId, ruleIndex } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    }
  });

  test('levels follow confidence and verdict', () => {
    const levels = parse(sampleReport()).results.map(({ ruleId, level }) => `${ruleId} ${level}`);
    expect(levels).toEqual([
      'DT901 note',
      'DT401 note',
      'DT401 note',
      'DT401 note',
      'DT203 warning',
      'DT312 error',
      'DT207 note',
    ]);
  });

  test('paths are percent-encoded', () => {
    const [last] = parse(sampleReport()).results.slice(-1);
    expect(last?.locations[0].physicalLocation.artifactLocation.uri).toBe(
      'src/p%C3%A4th%20with%20space/%C3%BCn%C3%AF%231.ts',
    );
  });

  test('an incomplete run is no success and says why', () => {
    const [invocation] = parse(sampleReport()).invocations;
    expect(invocation.executionSuccessful).toBe(false);
    expect(invocation.toolExecutionNotifications[0]).toMatchObject({
      level: 'error',
      message: { text: 'Could not be analysed in full: 3:1 } expected' },
    });
    expect(parse(emptyReport()).invocations[0].executionSuccessful).toBe(true);
  });

  test('fingerprints are the finding ids; a baseline becomes a state', () => {
    const { results } = parse(withBaseline());
    expect(results[1]).toMatchObject({
      baselineState: 'new',
      partialFingerprints: { 'cubeshiftFindingId/v1': '0000000000000001' },
    });
    expect(results[2]?.baselineState).toBe('unchanged');
  });

  test('rules link to the documentation where there is one', () => {
    const [rule] = parse(sampleReport(), 'https://example.org/docs').tool.driver.rules;
    expect(rule?.helpUri).toBe('https://example.org/docs#dt203');
  });

  test('too many results are cut to the most severe ones, and it says so', () => {
    const many = Array.from({ length: MOST_RESULTS }, (_, i) => {
      return finding({ id: i.toString(16).padStart(16, '0'), line: i + 1, endLine: i + 1 });
    });
    const report = { ...sampleReport(), findings: [...many, ...sampleReport().findings] };
    const run = parse(report);
    expect(run.results).toHaveLength(MOST_RESULTS);
    expect(run.results.some(({ ruleId }) => ruleId === 'DT312')).toBe(true);
    const texts = run.invocations[0].toolExecutionNotifications.map(({ message }) => message.text);
    expect(texts.some((text) => text.includes(`of ${report.findings.length} results`))).toBe(true);
  });
});

describe('github', () => {
  const lines = githubReporter(sampleReport(), CONTEXT).trimEnd().split('\n');

  test('every line is one workflow command, loudest first', () => {
    for (const line of lines) expect(line).toMatch(/^::(error|warning|notice) [^:]*::/);
    expect(lines[0]).toMatch(/^::error file=src\/agent\/sandbox\.ts,line=95,/);
  });

  test('nothing in a message can start another command', () => {
    const hostile = lines.find((line) => line.includes('%250A'));
    expect(hostile).toBeDefined();
    const report = sampleReport();
    const path = {
      ...report,
      findings: [finding({ id: 'a'.repeat(16), file: 'a,b:c%\n::error::x' })],
    };
    const [line] = githubReporter(path, CONTEXT).split('\n');
    expect(line).toContain('file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax,line=');
  });

  test('columns only within one line', () => {
    expect(lines.find((line) => line.includes('line=77,endLine=79'))).not.toContain('col=');
  });

  test('known findings are not annotated again', () => {
    const annotated = githubReporter(withBaseline(), CONTEXT).match(/^::\w+ file=src\/agent/gm);
    expect(annotated).toHaveLength(1);
  });
});

describe('markdown', () => {
  const markdown = markdownReporter(sampleReport(), CONTEXT);

  test('tables keep their shape whatever is in the cells', () => {
    const tables = markdown.split('\n\n').filter((part) => part.startsWith('|'));
    for (const table of tables) {
      const widths = table.split('\n').map((row) => row.split('|').length);
      expect(new Set(widths).size).toBe(1);
    }
    expect(tables.length).toBeGreaterThan(5);
  });

  test('text of the code is neither HTML nor markup nor a mention', () => {
    expect(markdown).not.toContain('<img');
    expect(markdown).not.toContain('</script>');
    const plain = markdown.replace(/`[^`]*`|<code>.*?<\/code>/g, '');
    expect(plain).not.toMatch(/@\w/);
  });

  test('a huge report stays within what GitHub takes', () => {
    const many = Array.from({ length: 5000 }, (_, i) =>
      finding({ id: i.toString(16).padStart(16, '0'), file: `src/f${i}.ts` }),
    );
    const text = markdownReporter({ ...sampleReport(), findings: many }, CONTEXT);
    expect(text.length).toBeLessThan(500_000);
    expect(text).toContain('4,600 more entries not shown');
  });
});

describe('html', () => {
  const html = htmlReporter(sampleReport(), CONTEXT);
  const data = /<script type="application\/json" id="findings">(.*?)<\/script>/s.exec(html)?.[1];

  test('is self-contained', () => {
    expect(html).not.toMatch(/(?:src|href|url\()\s*=?\s*["'(]?\s*https?:/i);
    expect(html).toContain("default-src 'none'");
  });

  test('the policy allows exactly the style and the script of the page', () => {
    const blocks = [...html.matchAll(/<(style|script)>(.*?)<\/\1>/gs)];
    expect(blocks.map(([, tag]) => tag)).toEqual(['style', 'script']);
    for (const [, , code = ''] of blocks) {
      expect(html).toContain(`'sha256-${createHash('sha256').update(code).digest('base64')}'`);
    }
    expect(html).not.toMatch(/\son\w+=["']/);
  });

  test('text of the code is never markup', () => {
    expect(html).not.toContain('<img');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    const listed = JSON.parse(data ?? '') as { becomes: string }[];
    expect(listed).toHaveLength(7);
    expect(listed.some(({ becomes }) => becomes.startsWith(HOSTILE.slice(0, 40)))).toBe(true);
  });

  test('the script is valid JavaScript', () => {
    // Fails on the missing document, which is later than any syntax error.
    expect(() => runInNewContext(SCRIPT, {})).toThrow('document is not defined');
  });

  test('the summary is readable without the script', () => {
    expect(html).toContain('7 sites in 3 files');
    expect(html).toContain('Sandbox.updateEnv');
    expect(html).toContain('<noscript>');
  });
});
