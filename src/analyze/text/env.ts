import { ENV_VARIABLES, PUBLIC_PREFIX } from '../../catalog/text.ts';

export interface EnvMeaning {
  /** True when the Daytona SDK reads the variable itself. */
  known: boolean;
  becomes: string | undefined;
  message: string;
}

/** What an environment variable named after Daytona is and what it turns into. */
export function describeEnv(name: string): EnvMeaning {
  const exposed = PUBLIC_PREFIX.test(name);
  const base = name.slice(name.indexOf('DAYTONA_'));
  const entry = ENV_VARIABLES[base];
  const warning =
    exposed && /KEY|TOKEN|SECRET/.test(name)
      ? ' Its prefix makes bundlers ship the value to browsers.'
      : '';
  if (entry === undefined) {
    const message = `${name} is a setting of this application for Daytona.${warning}`;
    return { known: false, becomes: undefined, message };
  }
  const target = entry.becomes === null ? 'has no counterpart' : `becomes ${entry.becomes}`;
  return {
    known: true,
    becomes: entry.becomes ?? undefined,
    message: `${name} ${target}. ${entry.note}${warning}`,
  };
}

/** Names after which or inside which a variable is read or set, rather than talked about. */
const BEFORE =
  /(?:\$\{?|\b(?:secrets|vars|env|ENV|var|process\.env|os\.environ|inputs)\s*(?:\.|\[["']?|\.get\(["'])|\b(?:export|ARG|ENV|unset|setenv|declare -x)\s+|(?:--env|-e|--build-arg|--secret)[= ]["']?|^\s*-\s+["']?|id=|%)$/;
const AFTER = /^["']?\s*(?:\?|:|\+)?=(?!=)|^["']?\s*:(?!:)/;

/** Whether a variable name in configuration is set or read there, and not merely mentioned. */
export function isEnvUse(text: string, start: number, end: number): boolean {
  const quote = text[start - 1];
  if ((quote === '"' || quote === "'") && text[end] === quote) return true;
  const near = text.slice(Math.max(0, start - 40), start);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  return BEFORE.test(before) || AFTER.test(text.slice(end, end + 8));
}
