import { fields, method, optional, property, quiet } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, native, split, unsupported } from '../verdicts.ts';

const UPLOAD = {
  rule: 'DT501',
  verdicts: split(
    adapted('Path first, then content; a local path must be read before.'),
    adapted('Path first, then content; above 256 MiB the proxy refuses, so write in parts.'),
  ),
} as const;

const DOWNLOAD = {
  rule: 'DT502',
  verdicts: everywhere(adapted('Answers bytes; saving to a local path is a second step.')),
} as const;

const SEARCH = {
  rule: 'DT504',
  fix: 'manual',
} as const;

const field = (becomes: string, note?: string): Partial<MemberEntry> => ({
  rule: 'DT505',
  becomes,
  verdicts: everywhere(adapted(note)),
});

const PLAIN_OPTIONS = {
  kind: 'interface',
  exported: true,
  py: null,
  fix: 'review',
} as const;

/** `sandbox.fs`. Relative paths start at the WORKDIR of the image on Daytona, at home elsewhere. */
export const FILES: readonly TypeEntry[] = [
  {
    name: 'FileSystem',
    kind: 'class',
    exported: true,
    pyAlso: ['AsyncFileSystem'],
    rule: 'DT503',
    becomes: 'sandbox.files',
    fix: 'automatic',
    verdicts: everywhere(adapted('Relative paths start at home.')),
    members: {
      uploadFile: method('(source: any, destination: any, timeout?: number): Promise<void>', {
        ...UPLOAD,
        becomes: 'sandbox.files.write(path, data)',
      }),
      uploadFiles: method('(files: FileUpload[], timeout?: number): Promise<void>', {
        ...UPLOAD,
        since: '0.13.0',
        becomes: 'sandbox.files.write([{ path, data }])',
        fix: 'review',
      }),
      uploadFileStream: method(
        '(source: UploadSource, remotePath: string, options?: UploadStreamOptions): Promise<void>',
        {
          ...UPLOAD,
          since: '0.175.0',
          becomes: 'sandbox.files.write(path, stream)',
          fix: 'review',
        },
      ),
      downloadFile: method(
        '(remotePath: string, localPath?: string | number, timeout?: number): Promise<Buffer>',
        {
          ...DOWNLOAD,
          becomes: 'sandbox.files.read(path)',
        },
      ),
      downloadFiles: method(
        '(files: FileDownloadRequest[], timeoutSec?: number): Promise<FileDownloadResponse[]>',
        {
          ...DOWNLOAD,
          since: '0.105.0',
          becomes: 'Promise.allSettled(paths.map((path) => sandbox.files.read(path)))',
          fix: 'review',
          verdicts: everywhere(adapted('One read per file; failures are rejections.')),
        },
      ),
      downloadFileStream: method(
        '(remotePath: string, options?: number | DownloadStreamOptions): Promise<any>',
        {
          ...DOWNLOAD,
          since: '0.171.0',
          becomes: "sandbox.files.read(path, { as: 'stream' })",
          fix: 'review',
          verdicts: everywhere(adapted('A web stream instead of a Node stream.')),
        },
      ),
      listFiles: method('(path: string, options?: { depth?: number }): Promise<FileInfo[]>', {
        becomes: 'sandbox.files.list(path, { depth })',
        verdicts: everywhere(adapted('Records have other field names.')),
      }),
      getFileDetails: method('(path: string): Promise<FileInfo>', {
        py: 'get_file_info',
        distinctive: true,
        becomes: 'sandbox.files.stat(path)',
        verdicts: everywhere(
          adapted('Records have other field names; exists() asks for presence.'),
        ),
      }),
      createFolder: method('(path: string, mode: string): Promise<void>', {
        becomes: 'sandbox.files.makeDir(path, { mode })',
        verdicts: everywhere(adapted('The mode is set by a second call.')),
      }),
      deleteFile: method('(path: string, recursive?: boolean): Promise<void>', {
        becomes: 'sandbox.files.remove(path, { recursive })',
        verdicts: everywhere(
          emulated('Guarded by a stat before: a race may delete what was not meant.'),
        ),
      }),
      moveFiles: method('(source: string, destination: string): Promise<void>', {
        becomes: 'sandbox.files.move(from, to)',
        verdicts: everywhere(
          emulated('Guarded by a stat before: a race may overwrite the destination.'),
        ),
      }),
      findFiles: method('(path: string, pattern: string): Promise<Match[]>', {
        ...SEARCH,
        becomes: "sandbox.exec('grep -rnIF …')",
        verdicts: everywhere(emulated('grep in the template; its output is parsed by you.')),
      }),
      searchFiles: method('(path: string, pattern: string): Promise<SearchFilesResponse>', {
        ...SEARCH,
        becomes: "sandbox.exec('find … -name …')",
        verdicts: everywhere(emulated('find in the template; glob dialects differ slightly.')),
      }),
      replaceInFiles: method(
        '(files: string[], pattern: string, newValue: string): Promise<ReplaceResult[]>',
        {
          ...SEARCH,
          distinctive: true,
          becomes: 'sandbox.files.read, replace, sandbox.files.write',
          verdicts: everywhere(emulated('Each file travels to the client and back.')),
        },
      ),
      setFilePermissions: method(
        '(path: string, permissions: FilePermissionsParams): Promise<void>',
        {
          distinctive: true,
          becomes: "sandbox.exec('chmod …')",
          fix: 'review',
          verdicts: everywhere(adapted('A command; changing the owner needs user root.')),
        },
      ),
    },
  },
  {
    name: 'FileInfo',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    rule: 'DT505',
    becomes: 'FileInfo',
    fix: 'automatic',
    verdicts: everywhere(adapted('Records have other field names.')),
    members: {
      name: property('string', field('name')),
      path: optional('string', { ...field('path'), since: '0.194.0' }),
      isDir: property('boolean', field("type === 'dir'")),
      size: property('number', field('size')),
      modTime: property('string', {
        ...field('modifiedAt', 'A Date instead of text.'),
        fix: 'review',
        replacedBy: 'FileInfo.modifiedAt',
      }),
      modifiedAt: property('string', {
        ...field('modifiedAt', 'A Date instead of text.'),
        since: '0.194.0',
        fix: 'review',
      }),
      mode: property('string', {
        ...field('mode', 'A number instead of text such as -rw-r--r--.'),
        fix: 'review',
      }),
      permissions: property('string', {
        ...field('mode', 'A number instead of an octal string.'),
        fix: 'review',
      }),
      owner: property('string', {
        ...field('owner', 'A name instead of a numeric id.'),
        fix: 'review',
      }),
      group: property('string', {
        ...field('group', 'A name instead of a numeric id.'),
        fix: 'review',
      }),
    },
  },
  {
    name: 'FileUpload',
    kind: 'interface',
    exported: true,
    since: '0.13.0',
    ...UPLOAD,
    becomes: '{ path, data }',
    fix: 'review',
    members: {
      source: property('any', { since: '0.18.0', becomes: 'data' }),
      destination: property('string', { since: '0.18.0', becomes: 'path' }),
      path: optional('string', { until: '0.18.0', replacedBy: 'FileUpload.destination' }),
      content: optional('any', { until: '0.18.0', replacedBy: 'FileUpload.source' }),
    },
  },
  {
    name: 'FileDownloadRequest',
    kind: 'interface',
    exported: true,
    since: '0.105.0',
    ...DOWNLOAD,
    becomes: 'path',
    fix: 'review',
    members: fields('string', 'source', 'destination'),
  },
  {
    name: 'FileDownloadResponse',
    kind: 'interface',
    exported: true,
    since: '0.105.0',
    ...DOWNLOAD,
    becomes: 'PromiseSettledResult<Uint8Array>',
    fix: 'review',
    members: {
      source: quiet('string'),
      result: quiet('any'),
      error: quiet('string'),
      errorDetails: quiet('FileDownloadErrorDetails', { since: '0.163.0' }),
    },
  },
  {
    name: 'FileDownloadErrorDetails',
    kind: 'interface',
    exported: true,
    since: '0.163.0',
    ...DOWNLOAD,
    becomes: 'SandboxError',
    fix: 'review',
    members: {
      ...fields('string', 'message', 'errorCode'),
      code: quiet('string', { since: '0.201.0' }),
      source: quiet('string', { since: '0.201.0' }),
      statusCode: quiet('number'),
    },
  },
  {
    name: 'DownloadMetadata',
    ...PLAIN_OPTIONS,
    ...DOWNLOAD,
    becomes: null,
    since: '0.111.0',
    members: {
      ...fields('string', 'destination', 'error'),
      errorDetails: quiet('FileDownloadErrorDetails', { since: '0.163.0' }),
      result: quiet('any'),
    },
  },
  {
    name: 'DownloadProgress',
    ...PLAIN_OPTIONS,
    ...DOWNLOAD,
    becomes: null,
    verdicts: everywhere(unsupported('Count the bytes of the stream you read.')),
    since: '0.175.0',
    members: fields('number', 'bytesReceived', 'totalBytes'),
  },
  {
    name: 'DownloadStreamOptions',
    ...PLAIN_OPTIONS,
    ...DOWNLOAD,
    becomes: '{ signal, timeoutMs }',
    since: '0.175.0',
    members: {
      onProgress: quiet('(progress: DownloadProgress) => void'),
      signal: quiet('AbortSignal'),
      timeout: quiet('number'),
    },
  },
  {
    name: 'UploadProgress',
    ...PLAIN_OPTIONS,
    ...UPLOAD,
    becomes: null,
    verdicts: everywhere(unsupported('Count the bytes of the stream you write.')),
    since: '0.175.0',
    members: { bytesSent: quiet('number') },
  },
  {
    name: 'UploadStreamOptions',
    ...PLAIN_OPTIONS,
    ...UPLOAD,
    becomes: '{ signal, timeoutMs }',
    since: '0.175.0',
    members: {
      onProgress: quiet('(progress: UploadProgress) => void'),
      signal: quiet('AbortSignal'),
      timeout: quiet('number'),
    },
  },
  {
    name: 'UploadSource',
    kind: 'alias',
    exported: true,
    py: null,
    ...UPLOAD,
    becomes: 'string | Uint8Array | ReadableStream',
    fix: 'review',
    type: 'any',
    since: '0.175.0',
  },
  {
    name: 'FilePermissionsParams',
    kind: 'interface',
    exported: true,
    py: null,
    rule: 'DT503',
    becomes: null,
    fix: 'review',
    verdicts: everywhere(adapted('Arguments of chmod and chown.')),
    members: fields('string', 'mode', 'owner', 'group'),
  },
  {
    name: 'Match',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...SEARCH,
    becomes: null,
    verdicts: everywhere(emulated('A line of grep output, parsed by you.')),
    members: {
      file: optional('string'),
      content: optional('string'),
      line: optional('number'),
    },
  },
  {
    name: 'SearchFilesResponse',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...SEARCH,
    becomes: 'string[]',
    verdicts: everywhere(emulated('Lines of find output, parsed by you.')),
    members: { files: property('string[]') },
  },
  {
    name: 'ReplaceResult',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...SEARCH,
    becomes: null,
    verdicts: everywhere(native('Your own record of what was replaced.')),
    members: {
      file: optional('string'),
      error: optional('string'),
      success: optional('boolean'),
    },
  },
];
