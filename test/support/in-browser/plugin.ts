import { join } from 'node:path'
import type { Plugin } from 'vitest/config'

/** Tests and their helpers, but not the packages under test, which must run without Node's modules. */
const TESTS = /\/(?:packages\/[^/]+\/test|test\/support)\/[^?]*\.ts/
/** The npm package. Bundlers would resolve its bare name to Node's module. */
const BUFFER = 'buffer/index.js'
/** The compliance suites import these. Vite would find them only while a test runs, and reload the page. */
const CHAI = ['chai-as-promised', 'compliance-chai']
/** The modules that tests create files with. */
const FILES = ['node:fs/promises', 'node:os', 'node:path', 'blockstore-fs']

/** Replaces the few parts of Node that unit tests use themselves. */
export function nodeForTests (): Plugin {
  return {
    name: 'ipfsz:node-for-tests',
    enforce: 'pre',
    config: () => ({ optimizeDeps: { include: [BUFFER, ...CHAI], exclude: ['blockstore-fs'] } }),

    resolveId (source, importer = '') {
      return FILES.includes(source) && TESTS.test(importer) ? join(import.meta.dirname, 'files.ts') : undefined
    },

    transform (code, id) {
      if (!TESTS.test(id)) {
        return undefined
      }

      const buffer = /\bBuffer\./.test(code) ? `import { Buffer } from '${BUFFER}';` : ''
      const setImmediate = /\bsetImmediate\b/.test(code) ? 'const setImmediate = call => setTimeout(call);' : ''

      // on the first line, so that line numbers stay the same
      return { code: buffer + setImmediate + code, map: null }
    }
  }
}
