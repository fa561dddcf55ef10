/** A piece of user code and the catalogue ids its member accesses must resolve to, in order. */
export interface Sample {
  name: string;
  code: string;
  ids: readonly string[];
}

export const SAMPLES: readonly Sample[] = [
  {
    name: 'current',
    code: `
      import { Daytona, Image, DaytonaNotFoundError, SandboxState } from '@daytona/sdk';
      const daytona = new Daytona({ apiKey: 'k' });
      const sandbox = await daytona.create({ snapshot: 'base', envVars: { A: '1' } }, { timeout: 90 });
      const run = await sandbox.process.executeCommand('ls', undefined, undefined, 5);
      run.result.split('\\n').map((line) => line.trim());
      if (run.exitCode !== 0) throw new Error(run.artifacts.stdout);
      const { cmdId } = await sandbox.process.executeSessionCommand('s', { command: 'x', runAsync: true });
      (await sandbox.process.getSessionCommandLogs('s', cmdId)).stdout;
      for await (const each of daytona.list({ labels: { a: 'b' } })) await each.stop();
      const image = Image.debianSlim('3.12').pipInstall(['numpy']).workdir('/srv');
      await daytona.snapshot.create({ name: 'n', image }, { onLogs: (chunk) => chunk });
      const volume = await daytona.volume.get('data', true);
      volume.state;
      try { await sandbox.fs.downloadFile('/a'); } catch (e) {
        if (e instanceof DaytonaNotFoundError) console.log(e.statusCode, e.message);
      }
      sandbox.state === SandboxState.STARTED;
      (await sandbox.codeInterpreter.runCode('1')).error?.traceback;
      (await sandbox.getPreviewLink(3000)).url.replace('a', 'b');
      await sandbox.computerUse.mouse.click(1, 2);
      const server = await sandbox.createLspServer('python', '/srv');
      (await server.completions('/a.py', { line: 1, character: 2 })).items[0].label;
      await using other = daytona;
      const pty = await sandbox.process.createPty({ id: 'p', onData: (data) => data.length });
      (await pty.wait()).exitCode;
    `,
    ids: [
      'Daytona.create',
      'Process.executeCommand',
      'Sandbox.process',
      'ExecuteResponse.result',
      'ExecuteResponse.exitCode',
      'ExecutionArtifacts.stdout',
      'ExecuteResponse.artifacts',
      'SessionExecuteResponse.cmdId',
      'Process.executeSessionCommand',
      'Sandbox.process',
      'SessionCommandLogsResponse.stdout',
      'Process.getSessionCommandLogs',
      'Sandbox.process',
      'Daytona.list',
      'Sandbox.stop',
      'Image.workdir',
      'Image.pipInstall',
      'Image.debianSlim',
      'SnapshotService.create',
      'Daytona.snapshot',
      'VolumeService.get',
      'Daytona.volume',
      'Volume.state',
      'FileSystem.downloadFile',
      'Sandbox.fs',
      'DaytonaError.statusCode',
      'DaytonaError.message',
      'Sandbox.state',
      'SandboxState.STARTED',
      'ExecutionError.traceback',
      'ExecutionResult.error',
      'CodeInterpreter.runCode',
      'Sandbox.codeInterpreter',
      'PortPreviewUrl.url',
      'Sandbox.getPreviewLink',
      'Mouse.click',
      'ComputerUse.mouse',
      'Sandbox.computerUse',
      'Sandbox.createLspServer',
      'CompletionItem.label',
      'CompletionList.items',
      'LspServer.completions',
      'Process.createPty',
      'Sandbox.process',
      'PtyResult.exitCode',
      'PtyHandle.wait',
    ],
  },
  {
    name: 'workspace-era',
    code: `
      import { Daytona, Workspace, type CreateWorkspaceParams, WorkspaceState } from '@daytonaio/sdk';
      const params: CreateWorkspaceParams = { language: 'python', image: 'x', async: true };
      const daytona = new Daytona({ serverUrl: 'u', target: 'us' });
      const workspace: Workspace = await daytona.create(params, 60);
      const root = await workspace.getWorkspaceRootDir();
      (await workspace.process.executeCommand('ls', root, 5 as never)).code;
      workspace.instance.state === WorkspaceState.STARTED;
      workspace.instance.info.nodeDomain;
      (await workspace.info()).resources.cpu;
      const again = await daytona.getCurrentWorkspace(workspace.id);
      await daytona.remove(again);
    `,
    ids: [
      'Daytona.create',
      'Sandbox.getWorkspaceRootDir',
      'ExecuteResponse.code',
      'Process.executeCommand',
      'Sandbox.process',
      'Sandbox.state',
      'Sandbox.instance',
      'SandboxState.STARTED',
      'SandboxInfo.nodeDomain',
      'SandboxInstance.info',
      'Sandbox.instance',
      'SandboxResourcesInfo.cpu',
      'SandboxInfo.resources',
      'Sandbox.info',
      'Daytona.getCurrentWorkspace',
      'Sandbox.id',
      'Daytona.remove',
    ],
  },
  {
    name: 'list-generations',
    code: `
      import * as sdk from '@daytonaio/sdk';
      const daytona = new sdk.Daytona();
      (await daytona.list())[0].delete();
      const names = (await daytona.list()).map((one) => one.name);
      const { items, total } = await daytona.list({ app: 'x' }, 1, 10);
      for (const item of items) await item.archive();
      const found = items.find((item) => item.labels.app === 'x');
      await found.refreshData();
      const iterator = daytona.list();
      (await iterator.next()).value.start();
      const one = await daytona.findOne({ labels: { a: 'b' } });
      await one.fs.uploadFile('/remote', new File([], 'f'));
    `,
    ids: [
      'Sandbox.delete',
      'Daytona.list',
      'Daytona.list',
      'Sandbox.name',
      'SandboxPage.items',
      'SandboxPage.total',
      'Daytona.list',
      'Sandbox.archive',
      'Sandbox.labels',
      'Sandbox.refreshData',
      'Daytona.list',
      'Sandbox.start',
      'Daytona.findOne',
      'FileSystem.uploadFile',
      'Sandbox.fs',
    ],
  },
  {
    name: 'flows',
    code: `
      import { Daytona, type Sandbox } from '@daytonaio/sdk';
      import { AsyncLocalStorage } from 'node:async_hooks';
      import pRetry from 'p-retry';
      import pLimit from 'p-limit';
      import { createContext, useContext, useRef, useState } from 'react';
      import { vi } from 'vitest';
      type Made = Awaited<ReturnType<Daytona['create']>>;
      type Create = Parameters<Daytona['create']>[0];
      const daytona = new Daytona();
      const pool = new Map<string, Made>();
      for (const [id, sandbox] of pool) await sandbox.stop();
      for (const value of pool.values()) value.id;
      pool.values().next().value.name;
      [...pool.values()].forEach((value) => value.state);
      Object.values({} as Record<string, Sandbox>).map((value) => value.cpu);
      const made = await Promise.all([1, 2].map(() => daytona.create()));
      made.flatMap((one) => [one.disk]);
      const [first, second] = await Promise.all([daytona.create(), daytona.get('x')]);
      second.memory;
      const settled = await Promise.allSettled(made.map((one) => one.pause()));
      const { process, fs: files } = first;
      await process.codeRun('1');
      await files.getFileDetails('/a').then((info) => info.isDir).catch(() => false);
      const store = new AsyncLocalStorage<Sandbox>();
      store.getStore()?.git.status('/srv').then((status) => status.currentBranch);
      const retried = await pRetry(async () => daytona.get('x'));
      retried.gpu;
      const limit = pLimit(2);
      (await limit(() => daytona.get('x'))).target;
      const Context = createContext<Sandbox | null>(null);
      useContext(Context).user;
      const [held] = useState<Sandbox>();
      held.env;
      useRef<Sandbox>(null).current.public;
      vi.mocked(daytona).get('x');
      const bound = first.delete.bind(first);
      const pick: Pick<Sandbox, 'id' | 'resize'> = first;
      pick.resize({ cpu: 2 });
      async function* each() { yield await daytona.create(); }
      for await (const one of each()) one.recover();
      const lazy = async (): Promise<Sandbox> => first;
      (await lazy()).fork();
      class Pool { #own?: Sandbox; use() { return this.#own?.archive(); } }
      const maybe: Sandbox | undefined = made.at(-1);
      maybe?.setLabels({});
    `,
    ids: [
      'Sandbox.stop',
      'Sandbox.id',
      'Sandbox.name',
      'Sandbox.state',
      'Sandbox.cpu',
      'Daytona.create',
      'Sandbox.disk',
      'Daytona.create',
      'Daytona.get',
      'Sandbox.memory',
      'Sandbox.pause',
      'Sandbox.process',
      'Sandbox.fs',
      'Process.codeRun',
      'FileSystem.getFileDetails',
      'FileInfo.isDir',
      'Git.status',
      'Sandbox.git',
      'GitStatus.currentBranch',
      'Daytona.get',
      'Sandbox.gpu',
      'Sandbox.target',
      'Daytona.get',
      'Sandbox.user',
      'Sandbox.env',
      'Sandbox.public',
      'Daytona.get',
      'Sandbox.delete',
      'Sandbox.resize',
      'Daytona.create',
      'Sandbox.recover',
      'Sandbox.fork',
      'Sandbox.archive',
      'Sandbox.setLabels',
    ],
  },
  {
    name: 'api-client',
    code: `
      import { Configuration, SandboxApi, type PortPreviewUrl, SandboxState } from '@daytonaio/api-client';
      import type { FileInfo, Session } from '@daytona/toolbox-api-client';
      const api = new SandboxApi(new Configuration({ basePath: 'u', baseOptions: {} }));
      (await api.getSandbox('x')).data.id;
      declare const link: PortPreviewUrl;
      link.token;
      declare const info: FileInfo;
      info.modTime;
      declare const session: Session;
      session.commands[0].exitCode;
      SandboxState.ARCHIVED;
    `,
    ids: [
      'SandboxApi.getSandbox',
      'PortPreviewUrl.token',
      'FileInfo.modTime',
      'Command.exitCode',
      'Session.commands',
      'SandboxState.ARCHIVED',
    ],
  },
];
