import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Generates a repository that looks like a product: packages with services, components, tests,
 * configuration, some Python and prose. `coupled` of its source files use the Daytona SDK, spread
 * over the packages; the rest never says its name. The same arguments give the same bytes.
 */
export function generateTree(root: string, files: number, coupled: number): Tree {
  const random = generator(files * 31 + coupled);
  const tree: Tree = { root, files: 0, coupled: 0, calls: 0 };
  const write = (path: string, text: string): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    tree.files++;
  };
  write('package.json', manifest('root', { '@daytonaio/sdk': '0.150.0' }));
  write(
    'tsconfig.json',
    '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } }\n',
  );
  write('src/lib/client.ts', client());
  tree.coupled++;
  tree.calls++;
  const every = Math.max(1, Math.floor(files / Math.max(1, coupled - 1)));
  for (let i = 0; tree.files < files; i++) {
    const area = `src/area${i % 40}/part${i % 7}`;
    if (i % every === 0 && tree.coupled < coupled) {
      write(`${area}/agent${i}.ts`, agent(i));
      tree.coupled++;
      tree.calls += CALLS_PER_AGENT;
    } else if (i % 10 < 7) {
      write(`${area}/module${i}.${i % 10 < 5 ? 'ts' : 'tsx'}`, module_(i, area, random));
    } else if (i % 10 === 7) {
      write(`${area}/script${i}.py`, python(i, random));
    } else if (i % 10 === 8) {
      write(`${area}/notes${i}.md`, prose(i, random));
    } else {
      write(`${area}/data${i}.json`, data(i, random));
    }
  }
  return tree;
}

export interface Tree {
  root: string;
  files: number;
  coupled: number;
  /** Calls and constructions on the SDK that a find should see. */
  calls: number;
}

function client(): string {
  return `import { Daytona } from '@daytonaio/sdk';

let instance: Daytona | undefined;

export function getClient(): Daytona {
  instance ??= new Daytona({ apiKey: process.env.DAYTONA_API_KEY });
  return instance;
}
`;
}

/** create, executeCommand, uploadFile, downloadFile, getPreviewLink, stop, delete. */
const CALLS_PER_AGENT = 7;

function agent(i: number): string {
  return `import type { Sandbox } from '@daytonaio/sdk';
import { getClient } from '@/lib/client';

${filler(i, 20)}
export async function run${i}(command: string): Promise<string> {
  const sandbox: Sandbox = await getClient().create({ language: 'typescript', autoStopInterval: 15 });
  try {
    const response = await sandbox.process.executeCommand(command, '/srv', undefined, 30);
    if (response.exitCode !== 0) throw new Error(response.result);
    await sandbox.fs.uploadFile(Buffer.from(response.result), '/srv/out.txt');
    const data = await sandbox.fs.downloadFile('/srv/out.txt');
    const link = await sandbox.getPreviewLink(3000);
    await sandbox.stop();
    return data.toString() + link.url;
  } finally {
    await sandbox.delete();
  }
}
`;
}

function module_(i: number, area: string, random: () => number): string {
  // A name may be imported once: Babel refuses a module that binds it twice.
  const others = [...new Set(Array.from({ length: 4 }, () => Math.floor(random() * i)))];
  return `${others.map((n) => `import { value${n} } from '@/area${n % 40}/part${n % 7}/module${n}';`).join('\n')}
import { helper } from '../${area.split('/').pop()}/helper${i}';

${filler(i, 8 + Math.floor(random() * 32))}
export const value${i} = helper(${others.map((n) => `value${n}`).join(', ')});
`;
}

function filler(i: number, functions: number): string {
  const lines: string[] = [];
  for (let n = 0; n < functions; n++) {
    lines.push(`export function step${i}_${n}(input: { id: string; count: number }): string {`);
    lines.push(`  const label = \`step \${input.id} of \${input.count + ${n}}\`;`);
    lines.push('  return label.trim().toLowerCase();');
    lines.push('}');
  }
  return lines.join('\n');
}

function python(i: number, random: () => number): string {
  return Array.from(
    { length: 40 + Math.floor(random() * 40) },
    (_, n) => `def task_${i}_${n}(value):\n    return value + ${n}\n`,
  ).join('\n');
}

function prose(i: number, random: () => number): string {
  return `# Notes ${i}\n\n${'The service keeps its promises and answers in time. '.repeat(10 + Math.floor(random() * 40))}\n`;
}

function data(i: number, random: () => number): string {
  return `${JSON.stringify({ id: i, values: Array.from({ length: 50 }, () => Math.floor(random() * 1000)) }, null, 2)}\n`;
}

function manifest(name: string, dependencies: Record<string, string>): string {
  return `${JSON.stringify({ name, private: true, dependencies }, null, 2)}\n`;
}

/** A small linear congruential generator: the tree must be the same on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
