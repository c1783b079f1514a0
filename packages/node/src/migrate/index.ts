/**
 * @packageDocumentation
 *
 * Copies a repo of ipfsz or Helia, or a bucket of blocks, into another one.
 *
 * @example
 *
 * ```ts
 * import { migrateStore } from '@ipfsz/node/migrate'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { blocks } = await migrateStore(context, '/srv/helia', '/srv/ipfsz', {
 *   onLost ({ error }) { console.error(error) }
 * })
 * ```
 */
export { migrateStore } from './migrate.ts'
export type { LostInMigration, Migrated, MigratedCount, MigrateOptions } from './migrate.ts'
