import { strict as assert } from 'node:assert';
import type { CodeLanguage } from '../../provider/code.ts';
import { type Case, rejects } from '../kit.ts';

/** Small programs: one that prints its first argument and a variable, and one that fails. */
const PROGRAMS: Readonly<Record<CodeLanguage, { says: string; fails: string; error?: string }>> = {
  python: {
    says: `import os, sys\nprint(f"{sys.argv[1]} {os.environ['KIT_VALUE']}")`,
    fails: 'def f():\n    raise ValueError("not that")\nf()',
    error: 'ValueError',
  },
  javascript: {
    says: 'console.log(`${process.argv.at(-1)} ${process.env.KIT_VALUE}`)',
    fails: 'throw new TypeError("not that")',
    error: 'TypeError',
  },
  typescript: {
    says: 'const said: string = `${process.argv.at(-1)} ${process.env.KIT_VALUE}`;\nconsole.log(said)',
    fails: 'const told: string = "not that";\nthrow new TypeError(told)',
    error: 'TypeError',
  },
  bash: { says: 'echo "$1 $KIT_VALUE"', fails: 'echo not that >&2; exit 3' },
};

const LANGUAGES = Object.keys(PROGRAMS) as CodeLanguage[];

/** Programs in the languages of the template. */
export const CODE: readonly Case[] = [
  ...LANGUAGES.map(
    (language): Case => ({
      name: `runCode: ${language}`,
      async run(kit) {
        const sandbox = await kit.shared();
        const { says, fails, error } = PROGRAMS[language];
        const args = [`it's "one" ü`];
        const options = { language, args, env: { KIT_VALUE: 'from outside' } };
        let heard = '';
        const onStdout = (text: string): void => {
          heard += text;
        };
        const start = () => sandbox.runCode(says, { ...options, onStdout });
        if (!(await kit.supports('runCode', start))) return;
        if (!kit.capabilities.runCode.languages.includes(language)) {
          kit.seen('not in the list of languages');
          return;
        }
        const said = await start();
        assert.deepEqual([said.exitCode, said.error], [0, undefined], said.stderr);
        assert.equal(said.stdout, `it's "one" ü from outside\n`);
        assert.equal(heard, said.stdout);
        const failed = await sandbox.runCode(fails, { language });
        assert.notEqual(failed.exitCode, 0, 'A program that failed seems to have ended well');
        assert.match(failed.stderr + failed.stdout, /not that/);
        if (failed.error !== undefined) {
          assert.deepEqual([failed.error.name, failed.error.value], [error, 'not that']);
        }
        kit.seen(`its error: ${failed.error === undefined ? 'not told apart' : failed.error.name}`);
      },
    }),
  ),
  {
    name: 'runCode: its time is over',
    async run(kit) {
      const sandbox = await kit.shared();
      const options = { language: 'python', timeoutMs: kit.paceMs } as const;
      const start = () => sandbox.runCode('import time\ntime.sleep(60)', options);
      if (!(await kit.supports('runCode', start))) return;
      if (kit.capabilities.runCode.languages.includes('python')) await rejects(start(), 'timeout');
    },
  },
  {
    name: 'runCode: each program in a process of its own',
    async run(kit) {
      const sandbox = await kit.shared();
      const start = (code: string) => sandbox.runCode(code, { language: 'python' });
      if (!(await kit.supports('runCode', () => start('x = 1')))) return;
      if (!kit.capabilities.runCode.languages.includes('python')) return;
      await start('kept = 1');
      const { exitCode } = await start('print(kept)');
      assert.notEqual(exitCode, 0, 'A program sees variables of the one before');
    },
  },
];
