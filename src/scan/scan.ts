import { join } from 'node:path';
import type { Target } from '../catalog/targets.ts';
import { isSelected, type ScanConfig } from '../config/config.ts';
import { type FileList, listFiles } from '../discover/files.ts';
import { looksGenerated } from '../discover/generated.ts';
import { importSpecifiers } from '../discover/imports.ts';
import { findSdkUses, isManifest, manifestDetections } from '../discover/manifests.ts';
import { readSource, type TextFile } from '../discover/read.ts';
import { createResolver } from '../discover/resolve.ts';
import type { Detection, Finding } from '../model/finding.ts';
import {
  REPORT_SCHEMA_VERSION,
  type ScanReport,
  type SdkUse,
  type SkippedFile,
} from '../model/report.ts';
import { VERSION } from '../version.ts';
import { enrich } from './enrich.ts';
import { ImportIndex } from './importers.ts';
import { sdkVersions } from './sdk-versions.ts';
import { summarize } from './summary.ts';
import { applySuppressions } from './suppress.ts';

export { ScanInputError } from '../discover/errors.ts';

export interface ScanProgress {
  phase: 'read' | 'analyse';
  done: number;
  total: number;
}

export interface ScanOptions {
  /** Absolute path that `paths` are relative to. */
  cwd: string;
  /** Files and folders to scan. */
  paths: string[];
  targets: Target[];
  config: ScanConfig;
  onProgress?: (event: ScanProgress) => void;
  /** Aborting stops the scan between files; it then throws the signal's reason. */
  signal?: AbortSignal;
}

const CODE = /\.[cm]?[jt]sx?$/;
/** Lockfiles grow beyond what source code is allowed. */
const LOCKFILE_BYTES = 64 * 1024 * 1024;
/** Files between two looks at the clock and the abort signal. */
const BATCH = 500;

/**
 * Lists every Daytona coupling under the given paths.
 * @throws {ScanInputError} when a path does not exist.
 */
export async function scan(options: ScanOptions): Promise<ScanReport> {
  // Loading the compiler takes about as long as git's listing, and git runs on another core.
  const [list, typescript, text] = await Promise.all([
    listFiles(options.cwd, options.paths, { ignore: options.config.ignore }),
    import('../analyze/typescript/index.ts'),
    import('../analyze/text/index.ts'),
  ]);
  const run = new Run(list, options);
  await run.read(text.analyzeTextFile);
  run.analyse(typescript.analyzeTypeScript);
  // The compiler let nobody else have a turn: an interrupt that came meanwhile is seen now.
  await run.breathe();
  return run.report();
}

type AnalyzeTextFile = typeof import('../analyze/text/index.ts').analyzeTextFile;
type AnalyzeTypeScript = typeof import('../analyze/typescript/index.ts').analyzeTypeScript;

/** One scan in progress. */
class Run {
  readonly #list: FileList;
  readonly #options: ScanOptions;
  readonly #skipped: SkippedFile[];
  /** Texts of the files that have findings or go to the compiler. */
  readonly #texts = new Map<string, string>();
  readonly #imports = new Map<string, string[]>();
  readonly #coupled: string[] = [];
  /** Manifests that name Daytona, with what their text holds besides dependencies. */
  readonly #manifests = new Map<string, readonly Detection[]>();
  readonly #findings: Finding[] = [];
  readonly #warnings: string[] = [];
  #sdk: SdkUse[] = [];
  #analysed = 0;

  constructor(list: FileList, options: ScanOptions) {
    this.#list = list;
    this.#options = options;
    this.#skipped = [];
    for (const skip of list.skipped) this.#skip(skip);
  }

  /** Reads every file once: keeps the imports of all code, the text of what names Daytona. */
  async read(analyzeTextFile: AnalyzeTextFile): Promise<void> {
    const { files } = this.#list;
    for (let i = 0; i < files.length; i++) {
      if (i % BATCH === 0) {
        this.#options.onProgress?.({ phase: 'read', done: i, total: files.length });
        await this.breathe();
      }
      this.#readFile(files[i] as string, analyzeTextFile);
    }
  }

  #readFile(file: string, analyzeTextFile: AnalyzeTextFile): void {
    const isCode = CODE.test(file);
    const result = readSource(join(this.#list.root, file), this.#options.config.maxFileSizeBytes, {
      wantText: isCode,
    });
    if (result.kind === 'none') return;
    if (result.kind === 'skip') {
      const { reason, incomplete, detail } = result;
      this.#skip({ file, reason, incomplete, ...(detail === undefined ? {} : { detail }) });
      return;
    }
    try {
      this.#look(file, isCode, result, analyzeTextFile);
    } catch (error) {
      // A bug on one file (or nesting that overflows the stack) must not hide the others.
      const message = error instanceof Error ? error.message : String(error);
      this.#unparsable(file, result.text, [], { message, start: 0 });
    }
  }

  #look(file: string, isCode: boolean, result: TextFile, analyzeTextFile: AnalyzeTextFile): void {
    const isGenerated = result.needle && looksGenerated(file, result.text);
    if (isCode && !isGenerated) this.#imports.set(file, importSpecifiers(result.text));
    if (!result.needle) return;
    this.#texts.set(file, result.text);
    if (isGenerated) {
      this.#generated(file, result.text);
    } else if (isCode) {
      this.#coupled.push(file);
    } else if (isManifest(file)) {
      this.#manifests.set(file, analyzeTextFile(file, result.text));
    } else {
      this.#add(file, result.text, analyzeTextFile(file, result.text));
    }
  }

  #skip(skip: SkippedFile): void {
    const { file, reason, incomplete, detail } = skip;
    this.#skipped.push(skip);
    if (incomplete) {
      this.#add(file, '', [
        {
          rule: 'DT002',
          start: 0,
          end: 0,
          confidence: 'possible',
          message: `The file was not analysed: ${detail ?? reason}.`,
        },
      ]);
    }
  }

  /** Minified and generated code is told once; it changes when its source does. */
  #generated(file: string, text: string): void {
    this.#skipped.push({ file, reason: 'generated', incomplete: false });
    const start = text.search(/daytona/i);
    this.#add(file, text, [
      { rule: 'DT003', start, end: start + 'daytona'.length, confidence: 'possible' },
    ]);
  }

  analyse(analyzeTypeScript: AnalyzeTypeScript): void {
    const { root } = this.#list;
    const files = [...this.#list.files, ...this.#list.above];
    const readText = (file: string): string | undefined =>
      this.#texts.get(file) ?? this.#readAgain(file, this.#options.config.maxFileSizeBytes);
    const readWhole = (file: string): string | undefined => this.#readAgain(file, LOCKFILE_BYTES);
    const resolver = createResolver(root, files, readText);
    const own = new Set(files.filter(isManifest).map((file) => resolver.packageNameOf(file)));
    this.#sdk = findSdkUses(root, files, readWhole, this.#warnings).filter(
      (use) => !own.has(use.package),
    );
    this.#addManifests(own);
    if (this.#coupled.length === 0) return;
    const index = new ImportIndex(resolver, readText);
    for (const [file, specifiers] of this.#imports) index.add(file, specifiers);
    const results = analyzeTypeScript({
      files: this.#coupled,
      read: readText,
      resolve: (specifier, from) => resolver.resolve(specifier, from),
      of: (file) => index.of(file),
      sdkVersion: sdkVersions(this.#sdk),
    });
    for (const { file, text, detections, problem } of results) {
      this.#texts.set(file, text);
      if (problem !== undefined) this.#unparsable(file, text, detections, problem);
      else this.#add(file, text, detections);
    }
    this.#warnings.push(...resolver.warnings);
  }

  /** Dependencies, without those on packages of this repository: their code is in the report. */
  #addManifests(own: ReadonlySet<string | undefined>): void {
    for (const [file, inText] of this.#manifests) {
      const text = this.#texts.get(file) ?? '';
      const dependencies = manifestDetections(file, text).filter(
        ({ start, end }) => !own.has(text.slice(start, end)),
      );
      this.#add(file, text, [...dependencies, ...inText]);
    }
  }

  #readAgain(file: string, maxBytes: number): string | undefined {
    const result = readSource(join(this.#list.root, file), maxBytes, { wantText: true });
    return result.kind === 'text' ? result.text : undefined;
  }

  #unparsable(
    file: string,
    text: string,
    detections: readonly Detection[],
    error: { message: string; start: number },
  ): void {
    this.#skipped.push({ file, reason: 'unparsable', incomplete: true, detail: error.message });
    const place: Detection = {
      rule: 'DT001',
      start: error.start,
      end: Math.min(error.start + 1, text.length),
      confidence: 'certain',
      message: `Does not parse: ${error.message}`,
    };
    this.#add(file, text, [...detections, place]);
  }

  #add(file: string, text: string, detections: readonly Detection[]): void {
    this.#analysed++;
    if (detections.length > 0) {
      // One by one: a call has room for some hundred thousand arguments only.
      for (const finding of enrich(file, text, detections, this.#options.targets)) {
        this.#findings.push(finding);
      }
    }
  }

  report(): ScanReport {
    const { config, targets } = this.#options;
    const selected = this.#findings.filter((finding) => isSelected(finding, config));
    const { kept, summary: suppressions } = applySuppressions(
      selected,
      (file) => this.#texts.get(file),
      this.#texts.keys(),
    );
    const findings = kept.sort(byPlace);
    const skipped = this.#skipped.sort((a, b) => compare(a.file, b.file));
    return {
      $schema: REPORT_SCHEMA,
      schemaVersion: REPORT_SCHEMA_VERSION,
      tool: { name: 'cubeshift', version: VERSION },
      targets: targets.map((target) => target.name),
      complete: skipped.every((file) => !file.incomplete),
      sdk: this.#sdk,
      summary: summarize({
        findings,
        skipped,
        sdk: this.#sdk,
        targets,
        filesListed: this.#list.files.length,
        filesAnalysed: this.#analysed,
      }),
      findings,
      skipped,
      warnings: [...new Set(this.#warnings)].sort(),
      suppressions,
    };
  }

  /** Lets the event loop turn, so that an interrupt is seen. */
  async breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#options.signal?.throwIfAborted();
  }
}

/** Where the schema is found once the package is installed. */
const REPORT_SCHEMA = './node_modules/cubeshift/schema/report.schema.json';

function byPlace(a: Finding, b: Finding): number {
  return compare(a.file, b.file) || a.start - b.start || a.end - b.end || compare(a.rule, b.rule);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
