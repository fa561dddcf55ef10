import manifest from '../package.json' with { type: 'json' };

/** Version of the installed cubeshift, from its package.json. */
export const VERSION: string = manifest.version;

/** Where the documentation lives, when package.json says so. */
export const HOMEPAGE: string | undefined = (manifest as { homepage?: string }).homepage;
