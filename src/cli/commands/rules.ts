import pc from 'picocolors';
import { RULES, TOPICS } from '../../catalog/rules.ts';
import { columns } from '../../report/layout.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { writeStdout } from '../output.ts';
import { useColour } from '../terminal.ts';

export interface RulesFlags {
  json?: boolean;
  color: boolean;
}

/** Prints all rules by topic. */
export async function runRules(flags: RulesFlags): Promise<ExitCode> {
  if (flags.json) {
    const rules = RULES.map((rule) => ({ ...rule, topic: topicOf(rule.id) }));
    await writeStdout(`${JSON.stringify(rules, null, 2)}\n`);
    return EXIT.ok;
  }
  const c = pc.createColors(useColour(process.stdout, flags.color));
  const lines = columns(RULES.map(({ id, name, title }) => [id, name, title]));
  const byTopic = new Map<string, string[]>();
  RULES.forEach(({ id }, index) => {
    const topic = topicOf(id);
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), `  ${lines[index]}`]);
  });
  const parts = [...byTopic].map(([topic, rows]) => [c.bold(topic), ...rows].join('\n'));
  await writeStdout(`${parts.join('\n\n')}\n`);
  return EXIT.ok;
}

/** The topic of a rule id; its first digit says. */
export function topicOf(id: string): string {
  return TOPICS[Number(id[2]) as keyof typeof TOPICS];
}
