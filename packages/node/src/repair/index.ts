/**
 * @packageDocumentation
 *
 * Reads every block of pins, files or directories, and fetches the missing and damaged ones from gateways or peers, if
 * the context names some or a daemon runs on the repo.
 *
 * @example Repair all pins
 *
 * ```ts
 * import { repairContent } from '@ipfsz/node/repair'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { lost } = await repairContent(context)
 *
 * for (const { cid, found } of lost) {
 *   console.log(cid, found)
 * }
 * ```
 */
export { repairContent } from './repair-content.ts'
export type { LostBlock, Repaired, RepairedRoot, RepairOptions, RepairReport } from './repair-content.ts'
