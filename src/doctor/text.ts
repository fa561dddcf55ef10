import pc from 'picocolors';
import { printable, wrap } from '../report/layout.ts';
import type { Result, Status } from './check.ts';
import type { DoctorReport, ProviderReport } from './doctor.ts';

export interface TextOptions {
  colour: boolean;
  width: number;
}

/** The report for a person: a line a check, and below it what puts right what is wrong. */
export function asText(report: DoctorReport, { colour, width }: TextOptions): string {
  const c = pc.createColors(colour);
  const paint: Record<Status, (text: string) => string> = {
    ok: c.green,
    warning: c.yellow,
    problem: c.red,
    skipped: c.dim,
  };
  const { providers, node, counts, configuration } = report;
  const lines =
    configuration === null ? [] : [c.dim(`Configuration: ${printable(configuration)}`), ''];
  for (const provider of providers)
    lines.push(c.bold(title(provider)), ...section(provider.checks), '');
  if (node !== null) lines.push(c.bold('This machine, as a node'), ...section(node), '');
  lines.push(closing(counts));
  return `${lines.join('\n')}\n`;

  function section(results: readonly Result[]): string[] {
    const names = Math.max(...results.map(({ name }) => name.length));
    return results.flatMap((result) => {
      const head = `  ${paint[result.status](result.status.padEnd(7))}  ${result.name.padEnd(names)}  `;
      const indent = ' '.repeat(2 + 7 + 2 + names + 2);
      const [first = '', ...more] = wrap(printable(result.found), width, indent);
      const fix = 'fix' in result ? wrap(`-> ${printable(result.fix)}`, width, indent) : [];
      return [head + first.trimStart(), ...more, ...fix];
    });
  }
}

function title({ name, backend, isDefault }: ProviderReport): string {
  const what = backend === null ? 'of the program itself' : backend;
  const parts = [...(name === what ? [] : [what]), ...(isDefault ? ['default'] : [])];
  return parts.length === 0 ? name : `${name} (${parts.join(', ')})`;
}

function closing({ ok, warning, problem, skipped }: DoctorReport['counts']): string {
  const plural = (count: number, word: string): string =>
    `${count} ${word}${count === 1 ? '' : 's'}`;
  return `${plural(problem, 'problem')}, ${plural(warning, 'warning')}, ${ok} ok, ${skipped} skipped`;
}
