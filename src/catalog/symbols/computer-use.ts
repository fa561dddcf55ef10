import { fields, method, optional, property, quiet } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { emulated, everywhere, split, unsupported } from '../verdicts.ts';

const DESKTOP = {
  rule: 'DT708',
  becomes: null,
  fix: 'manual',
  since: '0.23.0',
  verdicts: split(
    emulated('@e2b/desktop with a desktop template covers mouse, keyboard and screenshots.'),
    unsupported('Use a template with a display and VNC, and drive it with commands (xdotool).'),
  ),
} as const;

const NO_RECORDING = everywhere(
  unsupported('Run a recorder such as ffmpeg as a process in the sandbox.'),
);
const NO_TREE = everywhere(unsupported('Run an accessibility client as a process in the sandbox.'));
const NO_PROCESSES = everywhere(
  unsupported('Start and watch the display processes as commands of your own.'),
);

const methods = (
  signatures: Readonly<Record<string, string>>,
  extra: Partial<MemberEntry> = {},
): Record<string, MemberEntry> =>
  Object.fromEntries(Object.entries(signatures).map(([name, type]) => [name, method(type, extra)]));

/** A response record: only read, so nobody needs to be told about its fields. */
const record = (name: string, members: Record<string, MemberEntry>): TypeEntry => ({
  name,
  kind: 'interface',
  exported: false,
  client: 'toolbox-api-client',
  ...DESKTOP,
  members,
});

const service = (name: string, members: Record<string, MemberEntry>): TypeEntry => ({
  name,
  kind: 'class',
  exported: true,
  pyAlso: [`Async${name}`],
  ...DESKTOP,
  members,
});

/** `sandbox.computerUse`: a desktop in the sandbox. */
export const COMPUTER_USE: readonly TypeEntry[] = [
  service('ComputerUse', {
    mouse: property('Mouse'),
    keyboard: property('Keyboard'),
    screenshot: property('Screenshot'),
    display: property('Display'),
    recording: property('RecordingService', { since: '0.140.0', verdicts: NO_RECORDING }),
    accessibility: property('Accessibility', { since: '0.180.0', verdicts: NO_TREE }),
    ...methods({
      start: '(): Promise<ComputerUseStartResponse>',
      stop: '(): Promise<ComputerUseStopResponse>',
      getStatus: '(): Promise<ComputerUseStatusResponse>',
    }),
    ...methods(
      {
        getProcessStatus: '(processName: string): Promise<ProcessStatusResponse>',
        restartProcess: '(processName: string): Promise<ProcessRestartResponse>',
        getProcessLogs: '(processName: string): Promise<ProcessLogsResponse>',
        getProcessErrors: '(processName: string): Promise<ProcessErrorsResponse>',
      },
      { verdicts: NO_PROCESSES },
    ),
  }),
  service(
    'Mouse',
    methods({
      getPosition: '(): Promise<MousePositionResponse>',
      move: '(x: number, y: number): Promise<MousePositionResponse>',
      click:
        '(x: number, y: number, button?: string, double?: boolean): Promise<MouseClickResponse>',
      drag: '(startX: number, startY: number, endX: number, endY: number, button?: string): Promise<MouseDragResponse>',
      scroll: "(x: number, y: number, direction: 'up' | 'down', amount?: number): Promise<boolean>",
    }),
  ),
  service(
    'Keyboard',
    methods({
      type: '(text: string, delay?: number): Promise<void>',
      press: '(key: string, modifiers?: string[]): Promise<void>',
      hotkey: '(keys: string): Promise<void>',
    }),
  ),
  service(
    'Screenshot',
    methods({
      takeFullScreen: '(showCursor?: boolean): Promise<ScreenshotResponse>',
      takeRegion: '(region: ScreenshotRegion, showCursor?: boolean): Promise<ScreenshotResponse>',
      takeCompressed: '(options?: ScreenshotOptions): Promise<ScreenshotResponse>',
      takeCompressedRegion:
        '(region: ScreenshotRegion, options?: ScreenshotOptions): Promise<ScreenshotResponse>',
    }),
  ),
  service(
    'Display',
    methods({
      getInfo: '(): Promise<DisplayInfoResponse>',
      getWindows: '(): Promise<WindowsResponse>',
    }),
  ),
  {
    ...service(
      'RecordingService',
      methods({
        start: '(label?: string): Promise<Recording>',
        stop: '(id: string): Promise<Recording>',
        list: '(): Promise<ListRecordingsResponse>',
        get: '(id: string): Promise<Recording>',
        delete: '(id: string): Promise<void>',
        download: '(id: string, localPath: string): Promise<void>',
      }),
    ),
    exported: false,
    since: '0.140.0',
    verdicts: NO_RECORDING,
  },
  {
    ...service(
      'Accessibility',
      methods({
        getTree: '(options?: AccessibilityTreeOptions): Promise<AccessibilityTreeResponse>',
        findNodes: '(options?: AccessibilityFindOptions): Promise<AccessibilityNodesResponse>',
        focusNode: '(id: string): Promise<void>',
        invokeNode: '(id: string, action?: string): Promise<void>',
        setNodeValue: '(id: string, value: string): Promise<void>',
      }),
    ),
    since: '0.180.0',
    verdicts: NO_TREE,
  },
  {
    name: 'ScreenshotRegion',
    kind: 'interface',
    exported: true,
    ...DESKTOP,
    members: fields('number', 'x', 'y', 'width', 'height'),
  },
  {
    name: 'ScreenshotOptions',
    kind: 'interface',
    exported: true,
    ...DESKTOP,
    members: {
      showCursor: quiet('boolean'),
      format: quiet('string', { py: 'fmt' }),
      ...fields('number', 'quality', 'scale'),
    },
  },
  {
    name: 'AccessibilityTreeOptions',
    kind: 'interface',
    exported: true,
    py: null,
    ...DESKTOP,
    since: '0.180.0',
    members: { scope: quiet('string'), ...fields('number', 'pid', 'maxDepth') },
  },
  {
    name: 'AccessibilityFindOptions',
    kind: 'interface',
    exported: true,
    py: null,
    formerly: [{ name: 'FindAccessibilityNodesRequest', client: 'toolbox-api-client' }],
    ...DESKTOP,
    since: '0.180.0',
    members: {
      ...fields('string', 'name', 'nameMatch', 'role', 'scope'),
      ...fields('number', 'limit', 'pid'),
      states: quiet('string[]'),
    },
  },
  record('MousePositionResponse', fields('number', 'x', 'y')),
  record('MouseClickResponse', fields('number', 'x', 'y')),
  record('MouseDragResponse', fields('number', 'x', 'y')),
  {
    // The SDK and its client give this name to a place in a text and to a place on the screen.
    ...record('Position', fields('number', 'x', 'y')),
    heritage: 'extends LspPosition',
  },
  record('ScreenshotResponse', {
    screenshot: optional('string'),
    cursorPosition: quiet('Position'),
    sizeBytes: quiet('number'),
  }),
  record('DisplayInfoResponse', { displays: quiet('DisplayInfo[]') }),
  record('DisplayInfo', {
    ...fields('number', 'id', 'x', 'y', 'width', 'height'),
    isActive: quiet('boolean'),
  }),
  record('WindowsResponse', { windows: quiet('WindowInfo[]') }),
  record('WindowInfo', {
    ...fields('number', 'id', 'x', 'y', 'width', 'height'),
    isActive: quiet('boolean'),
    title: quiet('string'),
  }),
  record('ComputerUseStartResponse', {
    message: quiet('string'),
    status: quiet('Record<string, ProcessStatus>'),
  }),
  record('ComputerUseStopResponse', {
    message: quiet('string'),
    status: quiet('Record<string, ProcessStatus>'),
  }),
  record('ComputerUseStatusResponse', { status: quiet('string') }),
  record('ProcessStatus', {
    ...fields('boolean', 'running', 'autoRestart'),
    ...fields('number', 'pid', 'priority'),
  }),
  record('ProcessStatusResponse', { processName: quiet('string'), running: quiet('boolean') }),
  record('ProcessRestartResponse', fields('string', 'processName', 'message')),
  record('ProcessLogsResponse', fields('string', 'processName', 'logs')),
  record('ProcessErrorsResponse', fields('string', 'processName', 'errors')),
  record('Recording', {
    ...fields('string', 'id', 'fileName', 'filePath', 'startTime', 'endTime', 'status'),
    ...fields('number', 'durationSeconds', 'sizeBytes'),
  }),
  record('ListRecordingsResponse', { recordings: quiet('Recording[]') }),
  record('AccessibilityTreeResponse', {
    root: quiet('ComputerUseAccessibilityNode'),
    truncated: quiet('boolean'),
  }),
  record('AccessibilityNodesResponse', {
    matches: quiet('ComputerUseAccessibilityNode[]'),
    truncated: quiet('boolean'),
  }),
  record('ComputerUseAccessibilityNode', {
    ...fields('string', 'id', 'name', 'description', 'role'),
    ...fields('string[]', 'states', 'actions'),
    bounds: quiet('AccessibilityBounds'),
    children: quiet('ComputerUseAccessibilityNode[]'),
  }),
  record('AccessibilityBounds', fields('number', 'x', 'y', 'width', 'height')),
];
