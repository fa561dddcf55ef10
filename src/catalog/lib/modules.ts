/** Modules that hand a value through unchanged; without them the type would be lost on the way. */
export const LIB_MODULES = `
declare module 'react' {
  export type Dispatch<A> = (value: A) => void;
  export type SetStateAction<S> = S | ((previous: S) => S);
  export type ReactNode = any;
  export type FC<P = {}> = (props: P) => any;
  export interface MutableRefObject<T> { current: T; }
  export type RefObject<T> = MutableRefObject<T>;
  export interface Context<T> { Provider: FC<{ value: T; children?: any }>; Consumer: FC<{ children: (value: T) => any }>; displayName?: string; }
  export type PropsWithChildren<P = unknown> = P & { children?: any };
  export function useState<S>(initial: S | (() => S)): [S, Dispatch<SetStateAction<S>>];
  export function useState<S = undefined>(): [S, Dispatch<SetStateAction<S>>];
  export function useRef<T>(initial?: T | null): MutableRefObject<T>;
  export function useMemo<T>(make: () => T, deps?: readonly any[]): T;
  export function useCallback<F>(fn: F, deps?: readonly any[]): F;
  export function useEffect(effect: () => any, deps?: readonly any[]): void;
  export function useLayoutEffect(effect: () => any, deps?: readonly any[]): void;
  export function useReducer<S, A>(reducer: (state: S, action: A) => S, initial: S, init?: any): [S, Dispatch<A>];
  export function createContext<T>(initial: T): Context<T>;
  export function useContext<T>(context: Context<T>): T;
  export function use<T>(value: PromiseLike<T> | Context<T>): T;
  export function cache<F>(fn: F): F;
  export function memo<C>(component: C, equal?: any): C;
  export function forwardRef<T, P>(render: (props: P, ref: any) => any): FC<P & { ref?: any }>;
  export const Fragment: any;
  export const Suspense: any;
  export const React: any;
  export default React;
}
declare module 'p-retry' {
  export default function pRetry<T>(run: (attempt: number) => PromiseLike<T> | T, options?: any): Promise<T>;
  export class AbortError extends Error { constructor(reason: any); }
}
declare module 'p-limit' {
  export interface LimitFunction { <A extends unknown[], R>(fn: (...args: A) => PromiseLike<R> | R, ...args: A): Promise<R>; activeCount: number; pendingCount: number; clearQueue(): void; }
  export default function pLimit(concurrency: any): LimitFunction;
}
declare module 'p-map' {
  export default function pMap<T, R>(items: Iterable<T | PromiseLike<T>> | AsyncIterable<T>, fn: (item: T, index: number) => R | PromiseLike<R>, options?: any): Promise<R[]>;
}
declare module 'p-queue' {
  export default class PQueue { constructor(options?: any); add<R>(fn: (...args: any[]) => PromiseLike<R> | R, options?: any): Promise<R>; addAll<R>(fns: readonly ((...args: any[]) => PromiseLike<R> | R)[], options?: any): Promise<R[]>; onIdle(): Promise<void>; }
}
declare module 'async-retry' {
  export default function retry<R>(run: (bail: (e: Error) => void, attempt: number) => PromiseLike<R> | R, options?: any): Promise<R>;
}
declare module 'node:async_hooks' {
  export class AsyncLocalStorage<T> { getStore(): T; run<R>(store: T, fn: (...args: any[]) => R, ...args: any[]): R; enterWith(store: T): void; exit<R>(fn: (...args: any[]) => R): R; disable(): void; }
}
declare module 'async_hooks' { export * from 'node:async_hooks'; }
declare module 'vitest' {
  export const vi: { fn<F extends (...args: any[]) => any>(implementation?: F): F & { [key: string]: any }; mocked<T>(value: T, options?: any): T; spyOn(target: any, name: any): any; importActual<T = any>(path: string): Promise<T>; hoisted<T>(make: () => T): T; [key: string]: any };
  export const vitest: typeof vi;
  export const describe: any, it: any, test: any, expect: any, beforeEach: any, afterEach: any, beforeAll: any, afterAll: any;
  export type Mock<F = any> = any;
  export type Mocked<T> = T;
}
declare module '@jest/globals' { export const jest: any, describe: any, it: any, test: any, expect: any, beforeEach: any, afterEach: any, beforeAll: any, afterAll: any; }
declare var jest: { mocked<T>(value: T, options?: any): T; requireActual<T = any>(path: string): T; [key: string]: any };
declare namespace jest { type Mock<R = any, A extends any[] = any> = any; type Mocked<T> = T; type MockedFunction<T> = T; }
`;
