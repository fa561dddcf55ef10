export { analyzeTextFile } from './analyze.ts';
export { describeEnv, type EnvMeaning } from './env.ts';
export {
  type MatchOptions,
  matchText,
  namesDaytonaHost,
  type TextContext,
  type TextMatch,
} from './match.ts';
