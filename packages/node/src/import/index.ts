/**
 * @packageDocumentation
 *
 * Copies the pins of a running Kubo node into the repo, compressed.
 *
 * @example
 *
 * ```ts
 * import { importFromKubo } from '@ipfsz/node/import'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { failed } = await importFromKubo(context, 'http://127.0.0.1:5001')
 * ```
 */
export { importFromKubo } from './import-from-kubo.ts'
export type { ImportedPin, ImportedPins, ImportFromKuboOptions } from './import-from-kubo.ts'
export type { ImportedDag } from '@ipfsz/core/originals'
