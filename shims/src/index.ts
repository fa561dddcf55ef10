/**
 * The neutral sandbox interface: one set of calls for Daytona, E2B and CubeSandbox. Nothing of a
 * backend's SDK is loaded before a provider needs it.
 */
export type { FromConfigOptions, ProviderConfig } from './config/create-provider.ts';
export { createProvider } from './config/create-provider.ts';
export type { RoutedCreateOptions } from './config/routed.ts';
export { RoutedProvider } from './config/routed.ts';
export type {
  Backend,
  BackendOptions,
  ProviderSettings,
  RolloutRule,
  SandboxConfig,
} from './config/settings.ts';
export { defineConfig } from './config/settings.ts';
export { withConcurrency } from './layers/concurrency.ts';
export type { DeadlineOptions } from './layers/deadline.ts';
export { withDeadline } from './layers/deadline.ts';
export type { Call, Layer, Next } from './layers/layer.ts';
export { withLayer } from './layers/layer.ts';
export type { OperationName, Repeat } from './layers/operations.ts';
export type { RecordedCall, RecorderOptions } from './layers/recorder.ts';
export { withRecorder } from './layers/recorder.ts';
export type { RetryOptions } from './layers/retry.ts';
export { withRetry } from './layers/retry.ts';
export type { Tracer, TracingOptions } from './layers/tracing.ts';
export { withTracing } from './layers/tracing.ts';
export type {
  Capabilities,
  Capability,
  CapabilityName,
  IdleAction,
  SnapshotContents,
  Support,
  VolumeSemantics,
} from './provider/capabilities.ts';
export { checkPort, OWN_LABELS } from './provider/check.ts';
export type {
  CodeLanguage,
  RunCodeError,
  RunCodeOptions,
  RunCodeResult,
} from './provider/code.ts';
export type {
  CallOptions,
  CreateCallOptions,
  CreateOptions,
  IdlePolicy,
  NetworkOptions,
  VolumeMount,
  WaitOptions,
} from './provider/create.ts';
export { DEFAULT_IDLE_TIMEOUT_MS } from './provider/create.ts';
export type { Retryable, SandboxErrorCode, SandboxErrorOptions } from './provider/errors.ts';
export { isSandboxError, SandboxError } from './provider/errors.ts';
export type {
  FileData,
  FileEntry,
  FileEvent,
  FileInfo,
  FileOptions,
  FileType,
  ListOptions,
  MakeDirOptions,
  MoveOptions,
  ReadOptions,
  RemoveOptions,
  Watcher,
  WatchOptions,
} from './provider/files.ts';
export { SandboxFiles } from './provider/files.ts';
export type {
  GitAddOptions,
  GitBranches,
  GitCloneOptions,
  GitCommitOptions,
  GitCredentials,
  GitFileStatus,
  GitPullOptions,
  GitPushOptions,
  GitStatus,
  SandboxGit,
} from './provider/git.ts';
export { joinId, splitId } from './provider/id.ts';
export type { ListQuery, Resources, SandboxInfo, SandboxState } from './provider/info.ts';
export { noSnapshots, noTemplates, noVolumes } from './provider/none.ts';
export type {
  CommandOptions,
  ExecOptions,
  ExecResult,
  OutputChunk,
  ProcessControl,
  SpawnOptions,
} from './provider/process.ts';
export { ProcessHandle } from './provider/process.ts';
export type { CreateSpec } from './provider/provider.ts';
export { SandboxProvider } from './provider/provider.ts';
export type {
  PtyConnectOptions,
  PtyHandle,
  PtyOptions,
  PtySize,
  SandboxPty,
} from './provider/pty.ts';
export type { ForkOptions, PortUrl, SnapshotOptions } from './provider/sandbox.ts';
export { noPty, Sandbox } from './provider/sandbox.ts';
export type {
  CreateVolumeOptions,
  Snapshot,
  SnapshotQuery,
  SnapshotService,
  Template,
  TemplateBuild,
  TemplateService,
  TemplateStatus,
  Volume,
  VolumeService,
} from './provider/services.ts';
export type { Shell } from './shell/command.ts';
export type { ShellFilesOptions } from './shell/files.ts';
export { ShellFiles } from './shell/files.ts';
export { ShellGit } from './shell/git.ts';
export { quote } from './shell/quote.ts';
export { runCodeAsFile } from './shell/run-code.ts';
