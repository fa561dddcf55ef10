import type { RunCodeError } from '../provider/code.ts';

/** What ended a Python program, if what it printed ends with a traceback. */
export function errorOfPython(text: string): RunCodeError | undefined {
  const last = text.split(/^(?=Traceback \(most recent call last\):$)/m).at(-1) ?? '';
  // A mistake of syntax in the program itself is told without that line.
  const start = last.startsWith('Traceback') ? 0 : last.search(/^ {2}File ".*", line \d+$/m);
  if (start < 0) return undefined;
  const traceback = last.slice(start).trimEnd();
  const [, name, value] = /\n(?=\S)([\w.]+)(?:: ([\s\S]*))?$/.exec(traceback) ?? [];
  if (name === undefined) return undefined;
  return { name: name.split('.').at(-1) ?? name, value: value ?? '', traceback };
}

/** What ended a program of Node, if what it printed ends as for an error that nobody caught. */
export function errorOfNode(text: string): RunCodeError | undefined {
  const [told, isUncaught] = text.split(/\n\nNode\.js (?=v\d\S*\s*$)/);
  if (told === undefined || isUncaught === undefined) return undefined;
  // The line that threw, with a caret below, comes before the stack.
  const traceback = told.split('^\n\n').at(-1) ?? '';
  const [, name, value] =
    /^([A-Za-z_$][\w$]*)(?: \[\w+\])?(?:: ([\s\S]*?))?\n {4}at /.exec(traceback) ?? [];
  return name === undefined ? undefined : { name, value: value ?? '', traceback };
}
