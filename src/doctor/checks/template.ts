import { type TemplateRecord, templateOf } from '../../../shims/src/providers/e2b/services.ts';
import type { RestAnswer } from '../../../shims/src/providers/http/rest.ts';
import { type Check, type Outcome, ok, problem, warning } from '../check.ts';
import type { Subject } from '../subject.ts';

/** Whether what sandboxes start from is there and ready. */
export const template: Check<Subject> = {
  name: 'template',
  needs: ['api', 'key', 'server'],
  run(subject) {
    if (subject.kind === 'cube') return cube(subject);
    return subject.kind === 'e2b' ? e2b(subject) : daytona(subject);
  },
};

async function cube(subject: Subject): Promise<Outcome> {
  const { template, rest, server } = subject;
  const name = template.value;
  if (name === undefined) {
    return warning(
      'none is named, so every create() has to name one',
      `Set ${template.where}${await suggestion(subject)}`,
    );
  }
  const answer = await rest.ask('GET', `/templates/${encodeURIComponent(name)}`);
  if (answer.status >= 300) {
    const list = name.startsWith('snap-') ? await rest.ask('GET', '/snapshots?limit=100') : answer;
    const snapshots = Array.isArray(list.body) ? (list.body as { snapshotID: string }[]) : [];
    if (snapshots.some(({ snapshotID }) => snapshotID === name)) return ok(`snapshot ${name}`);
    return absent(subject, name, answer);
  }
  const record = answer.body as TemplateRecord;
  if (record.templateID !== name && !(await server()).hasAliases) {
    return problem(
      `${name} is a name, and this CubeSandbox (before 0.6.0) takes ids only`,
      `Set ${template.where} to ${record.templateID}`,
    );
  }
  if (record.status?.toUpperCase() === 'PARTIALLY_READY') {
    return warning(
      `${name} is on some nodes only`,
      'Make it on the others: cubemastercli tpl redo',
    );
  }
  return ready(name, record);
}

async function e2b(subject: Subject): Promise<Outcome> {
  const name = subject.template.value ?? 'base';
  const { rest } = subject;
  const answer = await rest.ask('GET', `/templates/aliases/${encodeURIComponent(name)}`);
  // The latter: it is there and of somebody else, as those that come with E2B.
  if (answer.status < 300 || answer.status === 403) return ok(`${name} is there`);
  const own = (await records(subject)).find(({ templateID }) => templateID === name);
  return own === undefined ? absent(subject, name, answer) : ready(name, own);
}

async function daytona(subject: Subject): Promise<Outcome> {
  const { template, rest } = subject;
  const name = template.value;
  if (name === undefined) {
    const { defaultSnapshot } = await rest.must<{ defaultSnapshot?: string }>('GET', '/config');
    return ok(`none is named: Daytona takes its own (${defaultSnapshot ?? 'unknown'})`);
  }
  const answer = await rest.ask('GET', `/snapshots/${encodeURIComponent(name)}`);
  if (answer.status >= 300) return absent(subject, name, answer);
  const { state, errorReason } = answer.body as { state?: string; errorReason?: string | null };
  if (state === 'active') return ok(`snapshot ${name} is active`);
  const why = errorReason ? `: ${errorReason}` : '';
  const fix =
    state === 'inactive'
      ? `daytona snapshot activate ${name}`
      : 'Wait until it is active, or make it anew';
  return problem(`snapshot ${name} is ${state}${why}`, fix);
}

function ready(name: string, record: TemplateRecord): Outcome {
  const { status, error } = templateOf(record);
  if (status === 'ready') return ok(`${name} is ready`);
  return status === 'failed'
    ? problem(`${name} could not be built: ${error ?? 'no reason is told'}`, 'Build it anew')
    : problem(`${name} is still being built`, 'Wait until it is ready, and run this again');
}

async function absent(subject: Subject, name: string, { status }: RestAnswer): Promise<Outcome> {
  const found =
    status === 404 ? `${name} does not exist` : `${name} cannot be looked up (${status})`;
  return problem(found, `Set ${subject.template.where}${await suggestion(subject)}`);
}

/** Names one that is there. */
async function suggestion(subject: Subject): Promise<string> {
  if (subject.kind === 'daytona') return ' to a snapshot that is there';
  const one = (await records(subject)).map(templateOf).find(({ status }) => status === 'ready');
  return one === undefined
    ? ' once a template is built'
    : ` to one that is there, such as ${one.id}`;
}

async function records({ rest }: Subject): Promise<TemplateRecord[]> {
  const { status, body } = await rest.ask('GET', '/templates');
  return status < 300 && Array.isArray(body) ? (body as TemplateRecord[]) : [];
}
