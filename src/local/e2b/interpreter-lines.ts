import type { KernelEvent, MimeBundle } from '../kernels/index.ts';

/** Formats that results name by a field of their own. */
const FIELDS: Readonly<Record<string, string>> = {
  'text/plain': 'text',
  'text/html': 'html',
  'text/markdown': 'markdown',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'application/pdf': 'pdf',
  'text/latex': 'latex',
  'application/json': 'json',
  'application/javascript': 'javascript',
  'e2b/data': 'data',
  'e2b/chart': 'chart',
};

/** A line of the answer of `/execute`; undefined for what it has no line for. */
export function lineOf(event: KernelEvent): object | undefined {
  switch (event.type) {
    case 'executionCount':
      return { type: 'number_of_executions', execution_count: event.count };
    case 'stdout':
    case 'stderr':
      return { type: event.type, text: event.text, timestamp: new Date().toISOString() };
    case 'result':
      return { type: 'result', ...resultFields(event.data), is_main_result: event.isMain };
    case 'error':
      return { type: 'error', name: event.name, value: event.value, traceback: event.traceback };
    default:
      return endLine(event);
  }
}

function resultFields(bundle: MimeBundle): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const [type, value] of Object.entries(bundle)) {
    const field = FIELDS[type];
    if (field === undefined) extra[type] = value;
    else fields[field] = field === 'text' ? unquoted(`${value}`) : value;
  }
  return { ...fields, extra };
}

/** A string's value is shown without the quotes of its representation. */
function unquoted(text: string): string {
  const isQuoted = /^'.*'$|^".*"$/s.test(text) && text.length > 1;
  return isQuoted ? text.slice(1, -1) : text;
}

/** An execution that ended by itself says nothing more. */
function endLine(event: Extract<KernelEvent, { type: 'end' }>): object | undefined {
  if (event.reason !== 'crashed') return undefined;
  return {
    type: 'error',
    name: 'UnexpectedEndOfExecution',
    value: 'Connection to the execution was closed before the execution was finished',
    traceback: '',
  };
}
