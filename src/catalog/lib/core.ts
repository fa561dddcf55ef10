/**
 * The part of the language library that data flows through: containers, promises, iteration and
 * utility types. Written for following values, not for checking code, so signatures are wide.
 */
export const LIB_CORE = `
type PropertyKey = string | number | symbol;
interface Object { constructor: Function; toString(): string; valueOf(): Object; hasOwnProperty(key: PropertyKey): boolean; }
interface Function {
  readonly name: string; readonly length: number; prototype: any;
  bind<F>(this: F, thisArg: any, ...args: any[]): F;
  call<A extends any[], R>(this: (...args: A) => R, thisArg?: any, ...args: any[]): R;
  apply<A extends any[], R>(this: (...args: A) => R, thisArg?: any, args?: any): R;
}
interface CallableFunction extends Function {}
interface NewableFunction extends Function {}
interface IArguments { [index: number]: any; length: number; callee: Function; [Symbol.iterator](): ArrayIterator<any>; }
interface Boolean { valueOf(): boolean; }
interface Number { toFixed(digits?: number): string; toString(radix?: number): string; valueOf(): number; toLocaleString(...args: any[]): string; }
interface BigInt { toString(radix?: number): string; }
interface Symbol { readonly description: string; toString(): string; valueOf(): symbol; }
interface RegExp { exec(text: string): RegExpExecArray; test(text: string): boolean; source: string; flags: string; lastIndex: number; }
interface RegExpMatchArray extends Array<string> { index?: number; input?: string; groups?: Record<string, string>; }
interface RegExpExecArray extends Array<string> { index: number; input: string; groups?: Record<string, string>; }
interface String {
  readonly length: number; readonly [index: number]: string;
  at(i: number): string; charAt(i: number): string; charCodeAt(i: number): number; codePointAt(i: number): number;
  concat(...parts: string[]): string; endsWith(s: string, end?: number): boolean; startsWith(s: string, from?: number): boolean;
  includes(s: string, from?: number): boolean; indexOf(s: string, from?: number): number; lastIndexOf(s: string, from?: number): number;
  localeCompare(other: string, ...args: any[]): number; match(re: any): RegExpMatchArray; matchAll(re: any): IterableIterator<RegExpExecArray>;
  normalize(form?: string): string; padEnd(n: number, s?: string): string; padStart(n: number, s?: string): string;
  repeat(n: number): string; replace(what: any, to: any): string; replaceAll(what: any, to: any): string; search(re: any): number;
  slice(a?: number, b?: number): string; split(by: any, limit?: number): string[]; substring(a: number, b?: number): string; substr(a: number, n?: number): string;
  toLowerCase(): string; toUpperCase(): string; toString(): string; trim(): string; trimEnd(): string; trimStart(): string; valueOf(): string;
  [Symbol.iterator](): StringIterator<string>;
}
interface SymbolConstructor {
  (description?: any): symbol; for(key: string): symbol;
  readonly iterator: unique symbol; readonly asyncIterator: unique symbol; readonly hasInstance: unique symbol;
  readonly toStringTag: unique symbol; readonly toPrimitive: unique symbol; readonly species: unique symbol;
  readonly dispose: unique symbol; readonly asyncDispose: unique symbol;
}
declare var Symbol: SymbolConstructor;

interface IteratorYieldResult<T> { done?: false; value: T; }
interface IteratorReturnResult<R> { done: true; value: R; }
type IteratorResult<T, R = any> = IteratorYieldResult<T> | IteratorReturnResult<R>;
type BuiltinIteratorReturn = undefined;
interface Iterator<T, R = any, N = any> { next(...args: [] | [N]): IteratorResult<T, R>; return?(value?: R): IteratorResult<T, R>; throw?(e?: any): IteratorResult<T, R>; }
interface Iterable<T, R = any, N = any> { [Symbol.iterator](): Iterator<T, R, N>; }
interface IterableIterator<T, R = any, N = any> extends Iterator<T, R, N> { [Symbol.iterator](): IterableIterator<T, R, N>; }
interface IteratorObject<T, R = unknown, N = unknown> extends Iterator<T, R, N>, Disposable {
  [Symbol.iterator](): IteratorObject<T, R, N>;
  map<U>(fn: (value: T, index: number) => U): IteratorObject<U>; filter(fn: (value: T, index: number) => unknown): IteratorObject<T>;
  flatMap<U>(fn: (value: T, index: number) => Iterable<U>): IteratorObject<U>; take(n: number): IteratorObject<T>; drop(n: number): IteratorObject<T>;
  find(fn: (value: T, index: number) => unknown): T; forEach(fn: (value: T, index: number) => void): void; toArray(): T[];
  some(fn: (value: T, index: number) => unknown): boolean; every(fn: (value: T, index: number) => unknown): boolean;
  reduce<U>(fn: (sum: U, value: T, index: number) => U, start?: U): U;
}
interface ArrayIterator<T> extends IteratorObject<T, undefined, unknown> { [Symbol.iterator](): ArrayIterator<T>; }
interface StringIterator<T> extends IteratorObject<T, undefined, unknown> { [Symbol.iterator](): StringIterator<T>; }
interface MapIterator<T> extends IteratorObject<T, undefined, unknown> { [Symbol.iterator](): MapIterator<T>; }
interface SetIterator<T> extends IteratorObject<T, undefined, unknown> { [Symbol.iterator](): SetIterator<T>; }
interface Generator<T = unknown, R = any, N = any> extends IteratorObject<T, R, N> { next(...args: [] | [N]): IteratorResult<T, R>; return(value: R): IteratorResult<T, R>; throw(e: any): IteratorResult<T, R>; [Symbol.iterator](): Generator<T, R, N>; }
interface GeneratorFunction extends Function { (...args: any[]): Generator; }
interface AsyncIterator<T, R = any, N = any> { next(...args: [] | [N]): Promise<IteratorResult<T, R>>; return?(value?: R | PromiseLike<R>): Promise<IteratorResult<T, R>>; throw?(e?: any): Promise<IteratorResult<T, R>>; }
interface AsyncIterable<T, R = any, N = any> { [Symbol.asyncIterator](): AsyncIterator<T, R, N>; }
interface AsyncIterableIterator<T, R = any, N = any> extends AsyncIterator<T, R, N> { [Symbol.asyncIterator](): AsyncIterableIterator<T, R, N>; }
interface AsyncIteratorObject<T, R = unknown, N = unknown> extends AsyncIterator<T, R, N>, AsyncDisposable { [Symbol.asyncIterator](): AsyncIteratorObject<T, R, N>; }
interface AsyncGenerator<T = unknown, R = any, N = any> extends AsyncIteratorObject<T, R, N> { next(...args: [] | [N]): Promise<IteratorResult<T, R>>; return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>>; throw(e: any): Promise<IteratorResult<T, R>>; [Symbol.asyncIterator](): AsyncGenerator<T, R, N>; }
interface AsyncGeneratorFunction extends Function { (...args: any[]): AsyncGenerator; }
interface Disposable { [Symbol.dispose](): void; }
interface AsyncDisposable { [Symbol.asyncDispose](): PromiseLike<void>; }
interface AsyncDisposableStack { use<T>(value: T): T; defer(fn: () => any): void; disposeAsync(): Promise<void>; [Symbol.asyncDispose](): Promise<void>; }
declare var AsyncDisposableStack: { new (): AsyncDisposableStack };

interface ReadonlyArray<T> {
  readonly length: number; readonly [n: number]: T;
  at(index: number): T; concat(...items: any[]): T[]; join(separator?: string): string; slice(a?: number, b?: number): T[];
  indexOf(item: any, from?: number): number; lastIndexOf(item: any, from?: number): number; includes(item: any, from?: number): boolean;
  map<U>(fn: (value: T, index: number, all: T[]) => U, thisArg?: any): U[];
  filter<S extends T>(fn: (value: T, index: number, all: T[]) => value is S, thisArg?: any): S[];
  filter(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): T[];
  find<S extends T>(fn: (value: T, index: number, all: T[]) => value is S, thisArg?: any): S;
  find(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): T;
  findLast(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): T;
  findIndex(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): number;
  findLastIndex(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): number;
  forEach(fn: (value: T, index: number, all: T[]) => void, thisArg?: any): void;
  some(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): boolean;
  every(fn: (value: T, index: number, all: T[]) => unknown, thisArg?: any): boolean;
  reduce(fn: (sum: T, value: T, index: number, all: T[]) => T): T;
  reduce<U>(fn: (sum: U, value: T, index: number, all: T[]) => U, start: U): U;
  reduceRight<U>(fn: (sum: U, value: T, index: number, all: T[]) => U, start?: U): U;
  flatMap<U>(fn: (value: T, index: number, all: T[]) => U | readonly U[], thisArg?: any): U[];
  flat(depth?: number): T extends readonly (infer U)[] ? U[] : T[];
  entries(): ArrayIterator<[number, T]>; keys(): ArrayIterator<number>; values(): ArrayIterator<T>;
  toReversed(): T[]; toSorted(fn?: (a: T, b: T) => number): T[]; toSpliced(...args: any[]): T[]; with(index: number, value: T): T[];
  toString(): string; [Symbol.iterator](): ArrayIterator<T>;
}
interface Array<T> extends ReadonlyArray<T> {
  length: number; [n: number]: T;
  push(...items: T[]): number; pop(): T; shift(): T; unshift(...items: T[]): number; splice(start: number, count?: number, ...items: T[]): T[];
  sort(fn?: (a: T, b: T) => number): this; reverse(): T[]; fill(value: T, a?: number, b?: number): this; copyWithin(to: number, a: number, b?: number): this;
}
interface ArrayLike<T> { readonly length: number; readonly [n: number]: T; }
interface ConcatArray<T> extends ArrayLike<T> { join(separator?: string): string; slice(a?: number, b?: number): T[]; }
interface ArrayConstructor {
  new <T = any>(...items: any[]): T[]; <T = any>(...items: any[]): T[]; isArray(value: any): value is any[]; of<T>(...items: T[]): T[];
  from<T>(items: Iterable<T> | ArrayLike<T>): T[]; from<T, U>(items: Iterable<T> | ArrayLike<T>, fn: (value: T, index: number) => U): U[];
  fromAsync<T>(items: AsyncIterable<T> | Iterable<T | PromiseLike<T>>): Promise<T[]>;
}
declare var Array: ArrayConstructor;
interface TemplateStringsArray extends ReadonlyArray<string> { readonly raw: readonly string[]; }

interface ReadonlyMap<K, V> { readonly size: number; get(key: K): V; has(key: K): boolean; forEach(fn: (value: V, key: K, all: any) => void, thisArg?: any): void; entries(): MapIterator<[K, V]>; keys(): MapIterator<K>; values(): MapIterator<V>; [Symbol.iterator](): MapIterator<[K, V]>; }
interface Map<K, V> extends ReadonlyMap<K, V> { set(key: K, value: V): this; delete(key: K): boolean; clear(): void; }
declare var Map: { new <K = any, V = any>(entries?: Iterable<readonly [K, V]> | null): Map<K, V>; groupBy<K, T>(items: Iterable<T>, fn: (item: T, index: number) => K): Map<K, T[]>; prototype: Map<any, any> };
interface ReadonlySet<T> { readonly size: number; has(value: T): boolean; forEach(fn: (value: T, same: T, all: any) => void, thisArg?: any): void; entries(): SetIterator<[T, T]>; keys(): SetIterator<T>; values(): SetIterator<T>; [Symbol.iterator](): SetIterator<T>; }
interface Set<T> extends ReadonlySet<T> { add(value: T): this; delete(value: T): boolean; clear(): void; }
declare var Set: { new <T = any>(values?: Iterable<T> | null): Set<T>; prototype: Set<any> };
interface WeakMap<K, V> { get(key: K): V; has(key: K): boolean; set(key: K, value: V): this; delete(key: K): boolean; }
declare var WeakMap: { new <K = any, V = any>(entries?: Iterable<readonly [K, V]> | null): WeakMap<K, V> };
interface WeakSet<T> { has(value: T): boolean; add(value: T): this; delete(value: T): boolean; }
declare var WeakSet: { new <T = any>(values?: Iterable<T> | null): WeakSet<T> };
interface WeakRef<T> { deref(): T; }
declare var WeakRef: { new <T>(value: T): WeakRef<T> };

interface PromiseLike<T> { then<A = T, B = never>(ok?: ((value: T) => A | PromiseLike<A>) | null, bad?: ((reason: any) => B | PromiseLike<B>) | null): PromiseLike<A | B>; }
interface Promise<T> {
  then<A = T>(ok?: ((value: T) => A | PromiseLike<A>) | null, bad?: ((reason: any) => any) | null): Promise<A>;
  catch(bad?: ((reason: any) => any) | null): Promise<T>; finally(done?: (() => void) | null): Promise<T>;
}
interface PromiseFulfilledResult<T> { status: 'fulfilled'; value: T; }
interface PromiseRejectedResult { status: 'rejected'; reason: any; }
type PromiseSettledResult<T> = PromiseFulfilledResult<T> | PromiseRejectedResult;
interface PromiseWithResolvers<T> { promise: Promise<T>; resolve(value: T | PromiseLike<T>): void; reject(reason?: any): void; }
interface PromiseConstructor {
  new <T>(run: (resolve: (value: T | PromiseLike<T>) => void, reject: (reason?: any) => void) => void): Promise<T>;
  all<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }>; all<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>[]>;
  allSettled<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [P in keyof T]: PromiseSettledResult<Awaited<T[P]>> }>; allSettled<T>(values: Iterable<T | PromiseLike<T>>): Promise<PromiseSettledResult<Awaited<T>>[]>;
  race<T extends readonly unknown[] | []>(values: T): Promise<Awaited<T[number]>>; race<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>>;
  any<T extends readonly unknown[] | []>(values: T): Promise<Awaited<T[number]>>; any<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>>;
  resolve(): Promise<void>; resolve<T>(value: T): Promise<Awaited<T>>; reject<T = never>(reason?: any): Promise<T>; withResolvers<T>(): PromiseWithResolvers<T>;
  try<T>(fn: (...args: any[]) => T, ...args: any[]): Promise<Awaited<T>>; prototype: Promise<any>;
}
declare var Promise: PromiseConstructor;
type Awaited<T> = T extends null | undefined ? T : T extends object & { then(onfulfilled: infer F, ...args: infer _): any } ? F extends (value: infer V, ...args: infer _) => any ? Awaited<V> : never : T;

type Partial<T> = { [P in keyof T]?: T[P] };
type Required<T> = { [P in keyof T]-?: T[P] };
type Readonly<T> = { readonly [P in keyof T]: T[P] };
type Pick<T, K extends keyof T> = { [P in K]: T[P] };
type Record<K extends keyof any, T> = { [P in K]: T };
type Exclude<T, U> = T extends U ? never : T;
type Extract<T, U> = T extends U ? T : never;
type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;
type NonNullable<T> = T & {};
type Parameters<T extends (...args: any) => any> = T extends (...args: infer P) => any ? P : never;
type ConstructorParameters<T extends abstract new (...args: any) => any> = T extends abstract new (...args: infer P) => any ? P : never;
type ReturnType<T extends (...args: any) => any> = T extends (...args: any) => infer R ? R : any;
type InstanceType<T extends abstract new (...args: any) => any> = T extends abstract new (...args: any) => infer R ? R : any;
type ThisParameterType<T> = T extends (this: infer U, ...args: never) => any ? U : unknown;
type OmitThisParameter<T> = unknown extends ThisParameterType<T> ? T : T extends (...args: infer A) => infer R ? (...args: A) => R : T;
type NoInfer<T> = intrinsic;
type Uppercase<S extends string> = intrinsic;
type Lowercase<S extends string> = intrinsic;
type Capitalize<S extends string> = intrinsic;
type Uncapitalize<S extends string> = intrinsic;
interface ThisType<T> {}
`;
