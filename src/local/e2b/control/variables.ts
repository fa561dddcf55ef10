import { ApiError } from '../errors.ts';

const MAX_NAME = 256;
const MAX_VALUE_BYTES = 4096;
/** Names that could change what programs load (Cube, services/sandboxes.rs). */
const FORBIDDEN: ReadonlySet<string> = new Set(
  'BASH_ENV ENV LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH LD_ORIGIN_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH GCONV_PATH PATH PYTHONPATH NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS GEM_PATH RUBYOPT RUBYLIB PERL5LIB PERLLIB CLASSPATH IFS'.split(
    ' ',
  ),
);

/** What Cube lets through as variables of a sandbox. @throws ApiError 400 */
export function checkVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const quoted = JSON.stringify(name);
    if (name === '' || Buffer.byteLength(name) > MAX_NAME) {
      throw new ApiError(400, `invalid env var name length: ${quoted}`);
    }
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new ApiError(400, `env var name must match [a-zA-Z_][a-zA-Z0-9_]*: ${quoted}`);
    }
    if (FORBIDDEN.has(name.toUpperCase())) {
      throw new ApiError(400, `env var name not allowed: ${name}`);
    }
    const bytes = Buffer.byteLength(value);
    if (bytes > MAX_VALUE_BYTES) {
      throw new ApiError(400, `env var value too large for ${quoted}: ${bytes} bytes`);
    }
    if (value.includes('\0')) {
      throw new ApiError(400, `env var value contains NUL byte: ${quoted}`);
    }
    if (/[^\P{Cc}\t]/u.test(value)) {
      throw new ApiError(400, `env var value contains control character: ${quoted}`);
    }
  }
}
