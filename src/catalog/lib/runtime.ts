/** Globals of Node and browsers, as far as values pass through them; the rest is left out or `any`. */
export const LIB_RUNTIME = `
interface ObjectConstructor {
  new (value?: any): any; (value?: any): any; readonly prototype: Object;
  assign<T, U>(target: T, source: U): T & U; assign<T, U, V>(target: T, a: U, b: V): T & U & V; assign(target: any, ...sources: any[]): any;
  entries<T>(value: { [key: string]: T } | ArrayLike<T>): [string, T][]; entries(value: any): [string, any][];
  values<T>(value: { [key: string]: T } | ArrayLike<T>): T[]; values(value: any): any[]; keys(value: any): string[];
  fromEntries<T>(entries: Iterable<readonly [PropertyKey, T]>): { [key: string]: T }; freeze<T>(value: T): Readonly<T>; seal<T>(value: T): T;
  create(proto: any, properties?: any): any; defineProperty<T>(target: T, key: PropertyKey, how: any): T; defineProperties<T>(target: T, all: any): T;
  getPrototypeOf(value: any): any; setPrototypeOf(value: any, proto: any): any; getOwnPropertyNames(value: any): string[]; hasOwn(value: any, key: PropertyKey): boolean; is(a: any, b: any): boolean;
  groupBy<K extends PropertyKey, T>(items: Iterable<T>, fn: (item: T, index: number) => K): Record<K, T[]>;
}
declare var Object: ObjectConstructor;
declare var Function: { new (...args: string[]): Function; (...args: string[]): Function; readonly prototype: Function };
declare var String: { new (value?: any): String; (value?: any): string; fromCharCode(...codes: number[]): string; raw(parts: any, ...values: any[]): string; readonly prototype: String };
declare var Number: { new (value?: any): Number; (value?: any): number; isFinite(v: unknown): boolean; isInteger(v: unknown): boolean; isNaN(v: unknown): boolean; isSafeInteger(v: unknown): boolean; parseFloat(s: string): number; parseInt(s: string, radix?: number): number; readonly MAX_SAFE_INTEGER: number; readonly MIN_SAFE_INTEGER: number; readonly MAX_VALUE: number; readonly MIN_VALUE: number; readonly EPSILON: number; readonly NaN: number; readonly POSITIVE_INFINITY: number };
declare var Boolean: { new (value?: any): Boolean; <T>(value?: T): boolean };
declare var BigInt: { (value: any): bigint };
declare var RegExp: { new (pattern: any, flags?: string): RegExp; (pattern: any, flags?: string): RegExp };
interface Error { name: string; message: string; stack?: string; cause?: unknown; }
interface ErrorConstructor { new (message?: string, options?: { cause?: unknown }): Error; (message?: string, options?: { cause?: unknown }): Error; captureStackTrace(target: any, fn?: any): void; readonly prototype: Error; }
declare var Error: ErrorConstructor;
interface TypeError extends Error {}
declare var TypeError: ErrorConstructor;
interface RangeError extends Error {}
declare var RangeError: ErrorConstructor;
interface SyntaxError extends Error {}
declare var SyntaxError: ErrorConstructor;
interface AggregateError extends Error { errors: any[]; }
declare var AggregateError: { new (errors: Iterable<any>, message?: string): AggregateError };
interface Date { getTime(): number; valueOf(): number; toISOString(): string; toJSON(): string; toString(): string; toLocaleString(...args: any[]): string; toLocaleDateString(...args: any[]): string; toLocaleTimeString(...args: any[]): string; getFullYear(): number; getMonth(): number; getDate(): number; getDay(): number; getHours(): number; getMinutes(): number; getSeconds(): number; getMilliseconds(): number; setTime(ms: number): number; setMinutes(n: number): number; setHours(n: number): number; setDate(n: number): number; }
declare var Date: { new (...args: any[]): Date; (): string; now(): number; parse(text: string): number; UTC(...args: number[]): number };
declare var Math: { readonly PI: number; readonly E: number; max(...n: number[]): number; min(...n: number[]): number; random(): number; [key: string]: any };
declare var JSON: { parse(text: string, reviver?: any): any; stringify(value: any, replacer?: any, space?: any): string };
declare var Reflect: { [key: string]: any };
interface ProxyConstructor { new <T>(target: T, handler: any): T; revocable<T>(target: T, handler: any): { proxy: T; revoke(): void }; }
declare var Proxy: ProxyConstructor;
declare var Intl: any;
declare var NaN: number;
declare var Infinity: number;
declare function parseInt(text: string, radix?: number): number;
declare function parseFloat(text: string): number;
declare function isNaN(value: any): boolean;
declare function isFinite(value: any): boolean;
declare function encodeURIComponent(text: any): string;
declare function decodeURIComponent(text: string): string;
declare function encodeURI(text: string): string;
declare function decodeURI(text: string): string;

interface ArrayBuffer { readonly byteLength: number; slice(a?: number, b?: number): ArrayBuffer; }
declare var ArrayBuffer: { new (length: number): ArrayBuffer; isView(value: any): boolean };
interface SharedArrayBuffer { readonly byteLength: number; }
type ArrayBufferLike = ArrayBuffer | SharedArrayBuffer;
interface Uint8Array<B = ArrayBufferLike> {
  readonly length: number; readonly byteLength: number; readonly byteOffset: number; readonly buffer: B; [n: number]: number;
  set(from: ArrayLike<number>, offset?: number): void; slice(a?: number, b?: number): Uint8Array<B>; subarray(a?: number, b?: number): Uint8Array<B>;
  fill(value: any, a?: number, b?: number): this; indexOf(value: any, from?: number): number; join(separator?: string): string;
  forEach(fn: (value: number, index: number) => void): void; map(fn: (value: number, index: number) => number): Uint8Array<B>;
  toString(...args: any[]): string; [Symbol.iterator](): ArrayIterator<number>;
}
declare var Uint8Array: { new (from?: any, offset?: number, length?: number): Uint8Array; from(items: any, fn?: any): Uint8Array; of(...items: number[]): Uint8Array };
interface Buffer extends Uint8Array { toString(encoding?: string, a?: number, b?: number): string; equals(other: Uint8Array): boolean; write(text: string, ...args: any[]): number; toJSON(): any; includes(value: any, ...args: any[]): boolean; slice(a?: number, b?: number): Buffer; subarray(a?: number, b?: number): Buffer; }
declare var Buffer: { from(value: any, ...args: any[]): Buffer; alloc(size: number, ...args: any[]): Buffer; concat(list: readonly Uint8Array[], length?: number): Buffer; isBuffer(value: any): value is Buffer; byteLength(value: any, encoding?: string): number };
interface Blob { readonly size: number; readonly type: string; text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer>; stream(): ReadableStream; slice(...args: any[]): Blob; }
declare var Blob: { new (parts?: any[], options?: any): Blob };
interface File extends Blob { readonly name: string; readonly lastModified: number; }
declare var File: { new (parts: any[], name: string, options?: any): File };
interface ReadableStream<T = any> extends AsyncIterable<T> { getReader(...args: any[]): any; pipeTo(to: any, options?: any): Promise<void>; pipeThrough(to: any, options?: any): ReadableStream<any>; cancel(reason?: any): Promise<void>; }
declare var ReadableStream: { new <T = any>(source?: any, strategy?: any): ReadableStream<T> };
declare var WritableStream: any;
declare var TransformStream: any;
declare var TextEncoder: { new (): { encode(text?: string): Uint8Array } };
declare var TextDecoder: { new (...args: any[]): { decode(bytes?: any, options?: any): string } };
interface AbortSignal { readonly aborted: boolean; readonly reason: any; throwIfAborted(): void; addEventListener(...args: any[]): void; removeEventListener(...args: any[]): void; }
declare var AbortSignal: { timeout(ms: number): AbortSignal; any(signals: Iterable<AbortSignal>): AbortSignal; abort(reason?: any): AbortSignal };
interface AbortController { readonly signal: AbortSignal; abort(reason?: any): void; }
declare var AbortController: { new (): AbortController };
interface URL { href: string; host: string; hostname: string; port: string; protocol: string; pathname: string; search: string; hash: string; origin: string; username: string; password: string; searchParams: URLSearchParams; toString(): string; }
declare var URL: { new (url: any, base?: any): URL; createObjectURL(value: any): string; canParse(url: string, base?: string): boolean };
interface URLSearchParams { get(name: string): string; set(name: string, value: string): void; append(name: string, value: string): void; has(name: string): boolean; delete(name: string): void; toString(): string; forEach(fn: (value: string, key: string) => void): void; entries(): IterableIterator<[string, string]>; [Symbol.iterator](): IterableIterator<[string, string]>; }
declare var URLSearchParams: { new (init?: any): URLSearchParams };
interface Headers { get(name: string): string; set(name: string, value: string): void; has(name: string): boolean; append(name: string, value: string): void; delete(name: string): void; forEach(fn: (value: string, key: string) => void): void; entries(): IterableIterator<[string, string]>; }
declare var Headers: { new (init?: any): Headers };
interface Request { url: string; method: string; headers: Headers; signal: AbortSignal; json(): Promise<any>; text(): Promise<string>; formData(): Promise<any>; [key: string]: any; }
declare var Request: { new (input: any, init?: any): Request };
interface Response { ok: boolean; status: number; statusText: string; url: string; headers: Headers; body: ReadableStream; json(): Promise<any>; text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer>; blob(): Promise<Blob>; clone(): Response; }
declare var Response: { new (body?: any, init?: any): Response; json(value: any, init?: any): Response; redirect(url: any, status?: number): Response; error(): Response };
interface RequestInit { [key: string]: any; }
declare var FormData: any;
declare var WebSocket: any;
declare var EventSource: any;
declare function fetch(input: any, init?: RequestInit): Promise<Response>;
declare function setTimeout<A extends any[]>(fn: (...args: A) => void, ms?: number, ...args: A): any;
declare function setInterval<A extends any[]>(fn: (...args: A) => void, ms?: number, ...args: A): any;
declare function setImmediate(fn: (...args: any[]) => void, ...args: any[]): any;
declare function clearTimeout(id: any): void;
declare function clearInterval(id: any): void;
declare function clearImmediate(id: any): void;
declare function queueMicrotask(fn: () => void): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare var console: { log(...args: any[]): void; error(...args: any[]): void; warn(...args: any[]): void; info(...args: any[]): void; debug(...args: any[]): void; [key: string]: any };
declare var process: { env: Record<string, string | undefined>; [key: string]: any };
declare var crypto: any;
declare var performance: any;
declare var window: any;
declare var document: any;
declare var localStorage: any;
declare var global: any;
declare var __dirname: string;
declare var __filename: string;
declare var exports: any;
interface ImportMeta { url: string; env: Record<string, any>; dirname: string; filename: string; [key: string]: any; }
interface ImportCallOptions { with?: ImportAttributes; }
interface ImportAttributes { [key: string]: string; }
declare namespace NodeJS { type ErrnoException = Error & { code?: string }; type Timeout = any; type ProcessEnv = Record<string, string | undefined>; type Signals = string; type ReadableStream = any; type WritableStream = any; }
declare namespace JSX { interface IntrinsicElements { [name: string]: any; } interface Element {} }
`;
