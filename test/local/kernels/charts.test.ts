import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KernelPool, runOnce } from '../../../src/local/kernels/index.ts';
import { fakeMatplotlib } from './fake-matplotlib.ts';
import { spawnHere, type Told, told } from './sandbox.ts';

const PICTURE = Buffer.from('picture').toString('base64');

describe('figures', () => {
  let env: Record<string, string>;
  let pool: KernelPool;
  const run = (code: string): Promise<Told> => told(pool.execute({}, code));
  beforeAll(() => {
    env = { PYTHONPATH: fakeMatplotlib() };
    pool = new KernelPool({ spawn: spawnHere, env });
  });
  afterAll(() => pool.close());

  it('are displayed by show(), in order with output, and at the end of a cell', async () => {
    const { events } = await run(
      'import matplotlib.pyplot as plt\nprint(1)\nplt.figure(); plt.show()\nprint(2)\nplt.figure(); 5',
    );
    const figure = {
      type: 'result',
      isMain: false,
      data: {
        'text/plain': '<Figure>',
        'image/png': PICTURE,
        'e2b/chart': { type: 'unknown', title: null, elements: [] },
      },
    };
    expect(events.slice(1)).toMatchObject([
      { type: 'stdout', text: '1\n' },
      figure,
      { type: 'stdout', text: '2\n' },
      { type: 'result', isMain: true, data: { 'text/plain': '5' } },
      figure,
      { type: 'end' },
    ]);
    expect((await run('plt.get_fignums()')).text).toBe('[]');
  });

  it('are results as the last expression', async () => {
    const { results } = await run('from matplotlib.figure import Figure\nFigure()');
    expect(results).toMatchObject([{ isMain: true, data: { 'image/png': PICTURE } }]);
  });

  it('keep the backend that a program chose', async () => {
    const chosen = new KernelPool({ spawn: spawnHere, env: { ...env, MPLBACKEND: 'pdf' } });
    const code = 'import matplotlib.pyplot as plt\nplt.figure(); plt.show()\nplt.get_backend()';
    expect((await told(chosen.execute({}, code))).results).toMatchObject([
      { isMain: true, data: { 'text/plain': "'agg'" } },
    ]);
    await chosen.close();
  });

  it('are told beside the output of code that runs once, also of code that fails', async () => {
    const code = `import matplotlib.pyplot as plt, sys
plt.figure(); plt.figure()
plt.show()
print(sys.argv, __name__)
plt.show()
raise ValueError('after')`;
    const { exitCode, output, charts } = await runOnce({
      spawn: spawnHere,
      code,
      env,
      argv: ['a'],
    });
    expect(exitCode).toBe(1);
    expect(output).toBe(
      "['-', 'a'] __main__\nTraceback (most recent call last):\n  File \"<stdin>\", line 6, in <module>\nValueError: after\n",
    );
    const chart = { type: 'unknown', title: null, elements: [], png: PICTURE };
    expect(charts).toEqual([chart, chart]);
  });

  it('are none in code that only names matplotlib', async () => {
    const code = 'print("matplotlib")\nimport sys\nsys.exit(3)';
    expect(await runOnce({ spawn: spawnHere, code, env })).toEqual({
      exitCode: 3,
      output: 'matplotlib\n',
      charts: [],
    });
    const wrong = await runOnce({ spawn: spawnHere, code: '# matplotlib\nlet x' });
    expect(wrong.output).toMatch(/^ {2}File "<stdin>", line 2\n/);
  });
});

const python = process.env.CUBESHIFT_TEST_PYTHON ?? 'python3';
const hasMatplotlib = spawnSync(python, ['-c', 'import matplotlib, pandas']).status === 0;

/** With the real libraries, where they are: `CUBESHIFT_TEST_PYTHON` names a Python that has them. */
describe.runIf(hasMatplotlib)('matplotlib and pandas', () => {
  const bin = spawnSync(python, ['-c', 'import sys, os; print(os.path.dirname(sys.executable))']);
  const env = { PATH: `${bin.stdout?.toString().trim()}:${process.env.PATH}` };
  let pool: KernelPool;
  beforeAll(() => {
    pool = new KernelPool({ spawn: spawnHere, env });
  });
  afterAll(() => pool.close());
  const run = (code: string): Promise<Told> => told(pool.execute({}, code));
  const chart = async (code: string): Promise<unknown> => {
    const { results, error } = await run(`import matplotlib.pyplot as plt\n${code}\nplt.show()`);
    expect(error).toBeUndefined();
    expect(results).toHaveLength(1);
    const data = results[0]?.data ?? {};
    expect(Buffer.from(String(data['image/png']), 'base64').subarray(1, 4).toString()).toBe('PNG');
    return data['e2b/chart'];
  };

  it('give lines', async () => {
    expect(
      await chart(
        'plt.plot([1, 2], [3, 4.5], label="l"); plt.title("T"); plt.xlabel("Time (s)"); plt.yscale("log")',
      ),
    ).toMatchObject({
      type: 'line',
      title: 'T',
      x_label: 'Time (s)',
      x_unit: 's',
      x_scale: 'linear',
      y_label: null,
      y_scale: 'log',
      elements: [
        {
          label: 'l',
          points: [
            [1, 3],
            [2, 4.5],
          ],
        },
      ],
    });
  });

  it('give dates and categories', async () => {
    const dates =
      'import datetime\nplt.scatter([datetime.date(2024, 1, n) for n in (1, 2)], [1, 2])';
    expect(await chart(dates)).toMatchObject({
      type: 'scatter',
      x_scale: 'datetime',
      elements: [
        {
          points: [
            ['2024-01-01T00:00:00+00:00', 1],
            [expect.any(String), 2],
          ],
        },
      ],
    });
    expect(await chart('plt.plot(["a", "b"], [1, 2])')).toMatchObject({
      x_scale: 'categorical',
      x_ticks: ['a', 'b'],
    });
  });

  it('give bars, pies, boxes, several at once and none', async () => {
    const several = `
figure, ((a, b), (c, d)) = plt.subplots(2, 2)
figure.suptitle('S')
a.bar(['p', 'q'], [1, 2.5], label='g')
b.barh(['r'], [3])
c.pie([1, 3], labels=['s', 't'])
d.boxplot([[1, 2, 3, 9]])`;
    expect(await chart(several)).toMatchObject({
      type: 'superchart',
      title: 'S',
      elements: [
        {
          type: 'bar',
          elements: [
            { label: 'p', group: 'g', value: 1 },
            { label: 'q', value: 2.5 },
          ],
        },
        { type: 'bar', elements: [{ label: 'r', value: 3 }] },
        {
          type: 'pie',
          elements: [
            { label: 's', angle: 90, radius: 1 },
            { label: 't', angle: 270 },
          ],
        },
        { type: 'box_and_whisker', elements: [{ median: 2.5, min: 1, outliers: [9] }] },
      ],
    });
    expect(
      await chart('plt.figure().add_subplot().add_patch(plt.Circle((0, 0), 1))'),
    ).toMatchObject({
      type: 'unknown',
      elements: [],
    });
  });

  it('give the columns of tables', async () => {
    const { results } = await run(
      'import pandas as pd\npd.DataFrame({"a": [1, 2], "t": pd.to_datetime(["2024-01-01", "2024-01-02"])})',
    );
    expect(results[0]?.data).toMatchObject({
      'text/html': expect.stringContaining('<table'),
      'e2b/data': { a: [1, 2], t: ['2024-01-01T00:00:00', '2024-01-02T00:00:00'] },
    });
  });

  it('give numbers only to Daytona', async () => {
    const code = `import matplotlib.pyplot as plt
figure, (a, b) = plt.subplots(1, 2)
a.bar(['p'], [2.5]); b.plot([1], [2])
plt.show()`;
    const { charts } = await runOnce({ spawn: spawnHere, code, env });
    expect(charts).toMatchObject([
      {
        type: 'composite_chart',
        png: expect.stringMatching(/^iVBOR/),
        elements: [{ elements: [{ value: '2.5' }] }, { elements: [{ points: [[1, 2]] }] }],
      },
    ]);
  });
});
