import type { ScanReport } from '../model/report.ts';

/** What a reporter may know besides the report. Nothing here depends on the time or the machine. */
export interface ReportContext {
  /** Turns a repository-relative path into the one to type from the current folder. */
  path: (file: string) => string;
  colour: boolean;
  /** Columns to lay text out for. */
  width: number;
  /** Address of the documentation, where there is one. */
  homepage?: string;
}

/** A reporter is a pure function: the same report and context give the same bytes. */
export type Reporter = (report: ScanReport, context: ReportContext) => string;

interface ReporterEntry {
  load: () => Promise<Reporter>;
  /** True when several results on one stdout would break whoever reads it. */
  exclusive: boolean;
}

/** Every reporter by name, loaded when asked for. */
export const REPORTERS = {
  text: { load: async () => (await import('./text.ts')).textReporter, exclusive: false },
  json: { load: async () => (await import('./json.ts')).jsonReporter, exclusive: true },
  sarif: { load: async () => (await import('./sarif.ts')).sarifReporter, exclusive: true },
  markdown: { load: async () => (await import('./markdown.ts')).markdownReporter, exclusive: true },
  html: { load: async () => (await import('./html.ts')).htmlReporter, exclusive: true },
  github: { load: async () => (await import('./github.ts')).githubReporter, exclusive: false },
} as const satisfies Record<string, ReporterEntry>;

export type ReporterName = keyof typeof REPORTERS;

export const REPORTER_NAMES = Object.keys(REPORTERS) as readonly ReporterName[];
