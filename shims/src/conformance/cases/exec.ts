import { strict as assert } from 'node:assert';
import type { Case } from '../kit.ts';

/** A megabyte, in lines: some backends treat long ones apart. */
const LINES = 16_384;
const LINE = 'x'.repeat(63);

/** Commands that are waited for. */
export const EXEC: readonly Case[] = [
  {
    name: 'exec: a command that fails is no error',
    async run(kit) {
      const sandbox = await kit.shared();
      for (const code of [0, 1, 3, 255]) {
        const { exitCode } = await sandbox.exec(`exit ${code}`);
        assert.equal(exitCode, code);
      }
      const unknown = await sandbox.exec('no-such-program-here');
      assert.equal(unknown.exitCode, 127);
      const killed = await sandbox.exec('kill -9 $$');
      assert.ok(killed.exitCode >= 128, `A command that a signal ended has ${killed.exitCode}`);
      kit.seen(`a command that was killed has the exit code ${killed.exitCode}`);
    },
  },
  {
    name: 'exec: output and errors',
    async run(kit) {
      const sandbox = await kit.shared();
      let out = '';
      let err = '';
      const result = await sandbox.exec('echo to-out; echo to-err >&2', {
        onStdout: (text) => {
          out += text;
        },
        onStderr: (text) => {
          err += text;
        },
      });
      const isApart = kit.capabilities.separateStreams.support !== 'unsupported';
      assert.equal(result.streamsMerged, !isApart, 'streamsMerged is not what capabilities say');
      assert.match(result.output, /to-out\n/);
      assert.match(result.output, /to-err\n/);
      const stdout = isApart ? 'to-out\n' : result.output;
      assert.equal(result.stdout, stdout);
      assert.equal(result.stderr, isApart ? 'to-err\n' : '');
      assert.deepEqual([out, err], [result.stdout, result.stderr], 'Listeners heard other things');
      kit.seen(isApart ? 'both apart' : 'both as one');
    },
  },
  {
    // Nobody who looks for errors is to find none because they are among the output.
    name: 'exec: errors, unheard',
    async run(kit) {
      const sandbox = await kit.shared();
      const { separateStreams } = kit.capabilities;
      const results = [
        await sandbox.exec('echo to-out; echo to-err >&2; exit 3'),
        await (await sandbox.spawn('echo to-out; echo to-err >&2; exit 3')).wait(),
      ];
      for (const { stdout, stderr, output, streamsMerged, exitCode } of results) {
        assert.equal(exitCode, 3);
        assert.match(output, /to-out\n/);
        assert.match(output, /to-err\n/);
        assert.equal(stderr, streamsMerged ? '' : 'to-err\n');
        assert.equal(stdout, streamsMerged ? output : 'to-out\n');
        if (separateStreams.support === 'native') assert.equal(streamsMerged, false);
        if (separateStreams.support === 'unsupported') assert.equal(streamsMerged, true);
      }
      const [exec, spawn] = results.map(({ streamsMerged }) => (streamsMerged ? 'one' : 'two'));
      kit.seen(`streams of exec: ${exec}, of spawn: ${spawn}`);
    },
  },
  {
    name: 'exec: output in the order in which it came',
    async run(kit) {
      const sandbox = await kit.shared();
      const step = (n: number): string => `echo o${n}; sleep 0.3; echo e${n} >&2; sleep 0.3`;
      const { output } = await sandbox.exec([1, 2, 3].map(step).join('\n'));
      assert.equal(output, 'o1\ne1\no2\ne2\no3\ne3\n');
    },
  },
  {
    name: 'exec: text of the shell is left as it is',
    async run(kit) {
      const sandbox = await kit.shared();
      const script = [
        `name="a 'quoted' word"`,
        'for i in 1 2; do printf "%s %s\\n" "$i" "$name"; done | sed "s/word/$((6 * 7))/"',
        "cat <<'END'",
        '$HOME `id` "both" \\n ü',
        'END',
      ];
      const { stdout } = await sandbox.exec(script.join('\n'));
      assert.equal(stdout, `1 a 'quoted' 42\n2 a 'quoted' 42\n$HOME \`id\` "both" \\n ü\n`);
    },
  },
  {
    name: 'exec: variables',
    async run(kit) {
      const sandbox = await kit.shared();
      const value = ` it's "$HOME" \`id\` \\ ü\nsecond line`;
      const { stdout } = await sandbox.exec('printf %s "$KIT_VALUE"', {
        env: { KIT_VALUE: value },
      });
      assert.equal(stdout, value);
      const after = await sandbox.exec('printf %s "$KIT_VALUE"');
      assert.equal(after.stdout, '', 'A variable of one command is there in the next');
    },
  },
  {
    name: 'exec: working folder',
    async run(kit) {
      const sandbox = await kit.shared();
      const { stdout: home } = await sandbox.exec('cd && pwd -P');
      const { stdout: start } = await sandbox.exec('pwd -P');
      assert.equal(start, home, 'Commands do not start in the home folder');
      const folder = `${await kit.folder(sandbox)}/with space`;
      await sandbox.files.makeDir(folder);
      const { stdout } = await sandbox.exec('pwd', { cwd: folder });
      assert.equal(stdout.trim(), folder);
      const missing = await sandbox.exec('echo ran', { cwd: `${folder}/missing` }).then(
        ({ exitCode }) => exitCode,
        (error: { code?: string }) => error.code,
      );
      assert.notEqual(missing, 0, 'A command ran, but not in the folder that it was given');
      kit.seen(`a working folder that is missing gives ${missing}`);
    },
  },
  {
    name: 'exec: another account',
    async run(kit) {
      const sandbox = await kit.shared();
      const asRoot = () => sandbox.exec('id -un', { user: 'root' });
      if (!(await kit.supports('users', asRoot))) return;
      assert.equal((await asRoot()).stdout.trim(), 'root');
      const { stdout } = await sandbox.exec('id -un');
      kit.seen(`the account is ${stdout.trim()}`);
    },
  },
  {
    name: 'exec: input',
    async run(kit) {
      const sandbox = await kit.shared();
      const { stdout: nothing } = await sandbox.exec('cat; echo end', { timeoutMs: 30_000 });
      assert.equal(nothing, 'end\n', 'Without stdin there is something to read');
      const text = `first ü\n${`${LINE}\n`.repeat(4_000)}last`;
      const feed = () => sandbox.exec('cat', { stdin: text, timeoutMs: 60_000 });
      if (!(await kit.supports('stdin', feed))) return;
      assert.ok((await feed()).stdout === text, 'What was read is not what was sent');
      const early = await sandbox.exec('exit 4', { stdin: text, timeoutMs: 60_000 });
      assert.equal(early.exitCode, 4, 'A command that reads nothing of its input');
    },
  },
  {
    name: 'exec: letters that come in pieces',
    async run(kit) {
      const sandbox = await kit.shared();
      const halves =
        "printf 'a\\303'; sleep 0.4; printf '\\251\\360\\237'; sleep 0.4; printf '\\230\\200z'";
      let heard = '';
      const { stdout } = await sandbox.exec(halves, {
        onStdout: (text) => {
          heard += text;
        },
      });
      assert.equal(stdout, 'aé😀z');
      assert.equal(heard, 'aé😀z');
    },
  },
  {
    name: 'exec: a megabyte of output',
    async run(kit) {
      const sandbox = await kit.shared();
      const long = `i=0; while [ $i -lt 64 ]; do cat lines; i=$((i+1)); done`;
      const folder = await kit.folder(sandbox);
      await sandbox.files.write(`${folder}/lines`, `${LINE}\n`.repeat(LINES / 64));
      const started = performance.now();
      const { stdout } = await sandbox.exec(long, { cwd: folder });
      assert.equal(stdout.length, LINES * (LINE.length + 1));
      assert.ok(stdout === `${LINE}\n`.repeat(LINES), 'Some of it came in another order');
      kit.seen(`a megabyte took ${Math.round(performance.now() - started)} ms`);
    },
  },
  {
    name: 'exec: several at once',
    async run(kit) {
      const sandbox = await kit.shared();
      const numbers = [1, 2, 3, 4, 5];
      const results = await Promise.all(
        numbers.map((n) => sandbox.exec(`sleep 0.$((5 - ${n})); echo ${n}; exit ${n}`)),
      );
      const said = results.map(({ stdout, exitCode }) => [stdout, exitCode]);
      assert.deepEqual(
        said,
        numbers.map((n) => [`${n}\n`, n]),
      );
    },
  },
  {
    name: 'exec: what it leaves running does not hold it up',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const behind = `(${kit.sleep}; echo later > later) >/dev/null 2>&1 &`;
      const { stdout } = await sandbox.exec(`${behind}\necho now; ls`, { cwd: folder });
      assert.equal(stdout, 'now\n');
      await kit.until('what was left running has done its work', () =>
        sandbox.files.exists(`${folder}/later`),
      );
    },
  },
];
