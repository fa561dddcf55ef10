export { analyzeTextFile } from './analyze.ts';
export { describeEnv } from './env.ts';
export { matchText, namesDaytonaHost, type TextMatch } from './match.ts';
