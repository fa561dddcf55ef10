/** Programmatic use: the same scan as `cubeshift scan`, as data. */
export { parseTarget, type Target, UnknownTargetError } from './catalog/targets.ts';
export { DEFAULT_CONFIG, type ScanConfig } from './config/config.ts';
export type {
  Confidence,
  Finding,
  Fix,
  Position,
  Span,
  Verdict,
  VerdictNote,
} from './model/finding.ts';
export type * from './model/report.ts';
export { ScanInputError, type ScanOptions, type ScanProgress, scan } from './scan/scan.ts';
