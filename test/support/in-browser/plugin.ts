import { join } from 'node:path'
import type { Plugin } from 'vitest/config'

/** Tests and what they share, and nothing that is tested: packages get nothing of Node's here. */
const TESTS = /\/(?:packages\/[^/]+\/test|test\/support)\/[^?]*\.ts/
/** The package: by its bare name bundlers take it for Node's. */
const BUFFER = 'buffer/index.js'
/** What tests make files with. */
const FILES = ['node:fs/promises', 'node:os', 'node:path', 'blockstore-fs']

/** For unit tests that were written for Node: what little of it they use themselves. */
export function nodeForTests (): Plugin {
  return {
    name: 'ipfsz:node-for-tests',
    enforce: 'pre',
    config: () => ({ optimizeDeps: { include: [BUFFER], exclude: ['blockstore-fs'] } }),

    resolveId (source, importer = '') {
      return FILES.includes(source) && TESTS.test(importer) ? join(import.meta.dirname, 'files.ts') : undefined
    },

    transform (code, id) {
      if (!TESTS.test(id)) {
        return undefined
      }

      const buffer = /\bBuffer\./.test(code) ? `import { Buffer } from '${BUFFER}';` : ''
      const setImmediate = /\bsetImmediate\b/.test(code) ? 'const setImmediate = call => setTimeout(call);' : ''

      // on their first line, so that all others keep their numbers
      return { code: buffer + setImmediate + code, map: null }
    }
  }
}
