import { fields, method, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { everywhere, unsupported } from '../verdicts.ts';

const LSP = {
  rule: 'DT707',
  becomes: null,
  fix: 'manual',
  verdicts: everywhere(
    unsupported('Start the language server as a process and speak the protocol over it.'),
  ),
} as const;

const MODEL = { kind: 'interface', exported: false, client: 'toolbox-api-client', ...LSP } as const;

/** Language servers: nobody else offers them as an API. */
export const LSP_TYPES: readonly TypeEntry[] = [
  {
    name: 'LspServer',
    kind: 'class',
    exported: false,
    pyAlso: ['AsyncLspServer'],
    ...LSP,
    members: {
      start: method('(): Promise<void>'),
      stop: method('(): Promise<void>'),
      didOpen: method('(path: string): Promise<void>'),
      didClose: method('(path: string): Promise<void>'),
      documentSymbols: method('(path: string): Promise<LspSymbol[]>'),
      sandboxSymbols: method('(query: string): Promise<LspSymbol[]>', {
        since: '0.12.0',
        distinctive: true,
      }),
      workspaceSymbols: method('(query: string): Promise<LspSymbol[]>', {
        replacedBy: 'LspServer.sandboxSymbols',
      }),
      completions: method('(path: string, position: LspPosition): Promise<CompletionList>'),
    },
  },
  {
    name: 'LspSymbol',
    ...MODEL,
    members: { name: quiet('string'), kind: quiet('number'), location: quiet('LspLocation') },
  },
  { name: 'LspLocation', ...MODEL, members: { uri: quiet('string'), range: quiet('LspRange') } },
  { name: 'LspRange', ...MODEL, members: fields('LspPosition', 'start', 'end') },
  {
    name: 'LspPosition',
    ...MODEL,
    py: 'LspCompletionPosition',
    members: fields('number', 'line', 'character'),
  },
  {
    name: 'CompletionList',
    ...MODEL,
    members: { isIncomplete: quiet('boolean'), items: quiet('CompletionItem[]') },
  },
  {
    name: 'CompletionItem',
    ...MODEL,
    members: {
      ...fields('string', 'label', 'detail', 'filterText', 'insertText', 'sortText'),
      kind: quiet('number'),
      documentation: quiet('any'),
    },
  },
];
