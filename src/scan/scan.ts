import { join } from 'node:path';
import { analyzeTextFile } from '../analyze/text/index.ts';
import type { Target } from '../catalog/targets.ts';
import { compare } from '../compare.ts';
import { isSelected, type ScanConfig } from '../config/config.ts';
import { type FileList, listFiles } from '../discover/files.ts';
import { findSdkUses, isManifest, manifestDetections } from '../discover/manifests.ts';
import { readSource } from '../discover/read.ts';
import { BATCH, CODE_FILE, type FileRead, readAll, readsElsewhere } from '../discover/read-all.ts';
import { createResolver, type Resolver } from '../discover/resolve.ts';
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
import { nearestUses, sdkVersions } from './sdk-versions.ts';
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
  /** Aborting stops the scan while it reads files; it then throws the signal's reason. */
  signal?: AbortSignal;
}

/** Lockfiles grow beyond what source code is allowed. */
const LOCKFILE_BYTES = 64 * 1024 * 1024;

/**
 * Lists every Daytona coupling under the given paths.
 * @throws {ScanInputError} when a path does not exist.
 */
export async function scan(options: ScanOptions): Promise<ScanReport> {
  const list = await listFiles(options.cwd, options.paths, { ignore: options.config.ignore });
  const run = new Run(list, options);
  const { root, files } = list;
  const job = { root, files, maxBytes: options.config.maxFileSizeBytes };
  const reads = readAll(job);
  // While another thread reads, this one can load the compiler; a small job may not need it.
  if (readsElsewhere(job)) await loadAnalyser();
  await run.read(reads);
  await run.analyse();
  return run.report();
}

type Analyser = typeof import('../analyze/typescript/index.ts');

async function loadAnalyser(): Promise<Analyser> {
  const analyser = await import('../analyze/typescript/index.ts');
  analyser.warmUp();
  return analyser;
}

/** One scan in progress. */
class Run {
  readonly #list: FileList;
  readonly #options: ScanOptions;
  readonly #skipped: SkippedFile[];
  /** Texts of the files that have findings or go to the compiler. */
  readonly #texts = new Map<string, string>();
  readonly #imports = new Map<string, readonly string[]>();
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

  /** Keeps the imports of all code, and the text of what names Daytona. */
  async read(reads: AsyncIterable<readonly FileRead[]>): Promise<void> {
    const total = this.#list.files.length;
    let done = 0;
    for await (const batch of reads) {
      this.#options.signal?.throwIfAborted();
      for (const read of batch) this.#look(read);
      done = Math.min(done + BATCH, total);
      this.#options.onProgress?.({ phase: 'read', done, total });
    }
  }

  #look({ file, specifiers, text, isGenerated, skip, failure }: FileRead): void {
    if (skip !== undefined) this.#skip(skip);
    if (specifiers !== undefined && specifiers.length > 0) this.#imports.set(file, specifiers);
    if (text === undefined) return;
    this.#texts.set(file, text);
    if (failure !== undefined) this.#unparsable(file, text, [], { message: failure, start: 0 });
    else if (isGenerated) this.#generated(file, text);
    else if (CODE_FILE.test(file)) this.#coupled.push(file);
    else this.#lookAtText(file, text);
  }

  #lookAtText(file: string, text: string): void {
    try {
      const found = analyzeTextFile(file, text);
      if (isManifest(file)) this.#manifests.set(file, found);
      else this.#add(file, text, found);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#unparsable(file, text, [], { message, start: 0 });
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

  async analyse(): Promise<void> {
    const { root } = this.#list;
    const files = [...this.#list.files, ...this.#list.above];
    const readText = (file: string): string | undefined =>
      this.#text(file, this.#options.config.maxFileSizeBytes);
    const readWhole = (file: string): string | undefined => this.#text(file, LOCKFILE_BYTES);
    const resolver = createResolver(root, files, readText);
    const own = new Set(files.filter(isManifest).map((file) => resolver.packageNameOf(file)));
    const uses = findSdkUses(files, readWhole, this.#warnings);
    this.#sdk = nearestUses(uses, this.#list.files).filter((use) => !own.has(use.package));
    this.#addManifests(own);
    if (this.#coupled.length > 0) {
      const { analyzeTypeScript } = await loadAnalyser();
      this.#analyseCode(resolver, readText, analyzeTypeScript);
    }
    this.#warnings.push(...resolver.warnings);
  }

  #analyseCode(
    resolver: Resolver,
    readText: (file: string) => string | undefined,
    analyzeTypeScript: Analyser['analyzeTypeScript'],
  ): void {
    const index = new ImportIndex(resolver);
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

  /** What was kept of the first reading, else the file is read again. */
  #text(file: string, maxBytes: number): string | undefined {
    const kept = this.#texts.get(file);
    if (kept !== undefined) return kept;
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
      message: `Not analysed in full: ${error.message}`,
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
}

/** Where the schema is found once the package is installed. */
const REPORT_SCHEMA = './node_modules/cubeshift/schema/report.schema.json';

function byPlace(a: Finding, b: Finding): number {
  return compare(a.file, b.file) || a.start - b.start || a.end - b.end || compare(a.rule, b.rule);
}
