/**
 * @packageDocumentation
 *
 * Measures what pins, files and directories take in the repo.
 *
 * @example Print what each pin adds
 *
 * ```ts
 * import { measureUsage } from '@ipfsz/node/usage'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { total } = await measureUsage(context, [], {
 *   onUsage ({ name, storedSize }) { console.log(name, storedSize) }
 * })
 * ```
 */
export { measureUsage } from './measure-usage.ts'
export type { MeasureUsageOptions, NamedUsage, UsageReport } from './measure-usage.ts'
export type { Usage } from '../dag/usage.ts'
