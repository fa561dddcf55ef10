import type { KernelLanguage } from './types.ts';

/** A language that no kernel speaks was asked for. */
export class UnsupportedLanguageError extends Error {
  override name = 'UnsupportedLanguageError';

  readonly language: string;

  constructor(language: string) {
    super(`There is no kernel for ${language}. Known: python, javascript, typescript, bash`);
    this.language = language;
  }
}

/** The sandbox has no program to run the language with. */
export class InterpreterMissingError extends Error {
  override name = 'InterpreterMissingError';

  readonly language: KernelLanguage;
  readonly tried: readonly string[];

  constructor(language: KernelLanguage, tried: readonly string[]) {
    super(
      `The sandbox cannot run ${language}: ${tried.join(' and ')} not found on its PATH. Install it in the sandbox and try again`,
    );
    this.language = language;
    this.tried = tried;
  }
}

/** A kernel could not be started, or not where it was told to. */
export class KernelStartError extends Error {
  override name = 'KernelStartError';
}

/** A context was named that does not exist, or not any more. */
export class UnknownContextError extends Error {
  override name = 'UnknownContextError';

  readonly contextId: string;

  constructor(contextId: string) {
    super(`Context ${contextId} not found`);
    this.contextId = contextId;
  }
}

/** What was asked for can be said to no process, such as a variable without a name. */
export class KernelInputError extends Error {
  override name = 'KernelInputError';
}
