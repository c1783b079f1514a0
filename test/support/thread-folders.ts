import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The programs of threads in `packages/node/dist`, bundled with the command. */
export const COMPILED_THREADS = join(ROOT, 'packages/cli/bundle')

/** Those in `packages/node/src`, bundled by `bundled-sources.ts`. */
export const SOURCE_THREADS = join(ROOT, 'node_modules/.cache/ipfsz-threads')
