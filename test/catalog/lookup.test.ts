import { describe, expect, it } from 'vitest';
import {
  allSymbols,
  currentId,
  distinctiveMembers,
  findDistinctive,
  findSymbol,
  isOptionType,
} from '../../src/catalog/index.ts';
import { parseTarget, verdictFor } from '../../src/catalog/targets.ts';

describe('findSymbol', () => {
  it('fills a member in from its class', () => {
    expect(findSymbol('LspServer.didOpen')).toMatchObject({
      owner: 'LspServer',
      rule: 'DT707',
      fix: 'manual',
      becomes: null,
      py: 'did_open',
      area: 'Language servers',
    });
  });

  it('keeps null of a member apart from nothing said', () => {
    expect(findSymbol('Process.createSession')?.becomes).toBeNull();
    expect(findSymbol('Mouse.click')?.becomes).toBeNull();
  });

  it('knows old names of types and reaches members through them', () => {
    expect(findSymbol('Workspace')).toMatchObject({ until: '0.21.0', replacedBy: 'Sandbox' });
    expect(findSymbol('Workspace.stop')?.id).toBe('Sandbox.stop');
    expect(findSymbol('VolumeDto')?.replacedBy).toBe('Volume');
  });

  it('finds inherited members where they are declared', () => {
    expect(findSymbol('CreateSandboxFromImageParams.labels')?.id).toBe(
      'CreateSandboxBaseParams.labels',
    );
    expect(findSymbol('DaytonaGitMergeConflictError.statusCode')?.id).toBe(
      'DaytonaError.statusCode',
    );
    expect(findSymbol('SandboxInstance.state')?.id).toBe('Sandbox.state');
  });

  it('gives an old member the migration of its replacement', () => {
    const old = findSymbol('Daytona.remove');
    const now = findSymbol('Daytona.delete');
    expect(old).toMatchObject({ rule: now?.rule, becomes: now?.becomes, until: '0.21.0' });
    expect(currentId('Daytona.remove')).toBe('Daytona.delete');
    expect(currentId('Sandbox.getWorkspaceRootDir')).toBe('Sandbox.getUserHomeDir');
  });

  it('leaves what it does not know alone', () => {
    expect(findSymbol('Sandbox.toString')).toBeUndefined();
    expect(findSymbol('Nothing.at.all')).toBeUndefined();
    expect(currentId('Nothing')).toBe('Nothing');
  });

  it('answers for every symbol it lists', () => {
    for (const symbol of allSymbols()) expect(findSymbol(symbol.id)).toBe(symbol);
  });
});

describe('distinctive names', () => {
  it('are unmistakable ones only', () => {
    for (const name of ['executeCommand', 'codeRun', 'getPreviewLink', 'setAutostopInterval']) {
      expect(distinctiveMembers()).toContain(name);
    }
    for (const name of ['create', 'exec', 'get', 'list', 'delete', 'uploadFile', 'findFiles']) {
      expect(distinctiveMembers()).not.toContain(name);
    }
  });

  it('mean one current symbol each', () => {
    for (const name of distinctiveMembers()) {
      expect(findDistinctive(name)?.name).toBe(name);
    }
  });
});

describe('verdicts', () => {
  it('follow the release of the server', () => {
    const volumes = findSymbol('CreateSandboxBaseParams.volumes');
    const on = (target: string) => volumes && verdictFor(volumes.verdicts, parseTarget(target));
    expect(on('cube@0.5.1')?.verdict).toBe('unsupported');
    expect(on('cube@0.6.0')?.verdict).toBe('adapted');
    expect(on('e2b')?.verdict).toBe('adapted');
  });
});

describe('isOptionType', () => {
  it('is true under old names too', () => {
    expect(isOptionType('CreateSandboxBaseParams')).toBe(true);
    expect(isOptionType('SandboxResources')).toBe(true);
    expect(isOptionType('RunCodeOptions')).toBe(false);
  });
});
