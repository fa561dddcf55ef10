import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failing, useSandbox, withPrograms } from './support/host.ts';

const host = useSandbox();

describe('runCodeAsFile', () => {
  it('says that nothing runs a language', async () => {
    const sandbox = host();
    const bare = await withPrograms(sandbox, 'mkdir', 'cat', 'rm', 'ln');
    for (const language of ['python', 'javascript', 'typescript', 'bash'] as const) {
      const { code, message } = await failing(bare.runCode('1', { language }));
      expect([code, message]).toEqual(['unsupported', expect.stringContaining(language)]);
    }
    await bare.delete();
  });

  it('finds the modules of the working folder', async () => {
    const sandbox = host();
    await sandbox.files.write([
      { path: 'project/helper.py', data: 'value = 42' },
      { path: 'project/node_modules/helper/index.js', data: 'module.exports = 43' },
    ]);
    const options = { cwd: join(String(sandbox.native), 'project') };
    const python = await sandbox.runCode('import helper; print(helper.value)', options);
    expect(python.stdout).toBe('42\n');
    for (const code of [
      'console.log(require("helper"))',
      'import helper from "helper"; console.log(helper)',
    ]) {
      const { stdout, stderr } = await sandbox.runCode(code, {
        ...options,
        language: 'javascript',
      });
      expect(stdout, stderr).toBe('43\n');
    }
  });

  it('leaves no file behind, whatever ends it', async () => {
    const sandbox = host();
    const path = 'import sys; print(__file__, flush=True)';
    const { stdout } = await sandbox.runCode(path);
    expect(await sandbox.files.exists(stdout.trim())).toBe(false);
    let said = '';
    const onStdout = (text: string) => {
      said += text;
    };
    const slow = `${path}\nimport time; time.sleep(60)`;
    const { code } = await failing(sandbox.runCode(slow, { timeoutMs: 1_500, onStdout }));
    expect(code).toBe('timeout');
    expect(said).toMatch(/main\.py/);
    expect(await sandbox.files.exists(said.trim())).toBe(false);
  });

  it.each([
    ['python', 'raise KeyError("a")', { name: 'KeyError', value: "'a'" }],
    ['python', 'raise ValueError("two\\nlines")', { name: 'ValueError', value: 'two\nlines' }],
    ['python', 'try:\n  1/0\nexcept Exception as e:\n  raise OSError from e', { name: 'OSError' }],
    ['python', 'x = = 1', { name: 'SyntaxError' }],
    ['python', 'import json; json.loads("{")', { name: 'JSONDecodeError' }],
    ['python', 'import sys; print("Error: no", file=sys.stderr); sys.exit(1)', undefined],
    ['javascript', 'throw new RangeError("a\\nb")', { name: 'RangeError', value: 'a\nb' }],
    ['javascript', 'throw Object.assign(new Error("x"), { code: "E" })', { value: 'x' }],
    ['javascript', 'await Promise.reject(new TypeError("late"))', { name: 'TypeError' }],
    ['javascript', 'require("no-such")', { name: 'Error' }],
    ['javascript', 'throw "text"', undefined],
    ['javascript', 'console.error("TypeError: no\\n    at x"); process.exit(1)', undefined],
    ['bash', 'false', undefined],
  ] as const)('tells what ended %s: %s', async (language, code, error) => {
    const sandbox = host();
    const result = await sandbox.runCode(code, { language });
    expect(result.exitCode).toBe(1);
    if (error === undefined) expect(result.error).toBeUndefined();
    else expect(result.error).toMatchObject(error);
  });
});
