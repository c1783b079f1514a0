/**
 * @packageDocumentation
 *
 * Reads files, directories, or all that is pinned, from the repo completely, and checks every block and frame. Nothing
 * is fetched: `@ipfsz/node/repair` does that.
 *
 * @example Find out which pins are not good
 *
 * ```ts
 * import { verifyPins } from '@ipfsz/node/verify'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { failed } = await verifyPins(context, {
 *   onVerified ({ pin, state }) { console.log(pin.cid, state) }
 * })
 * ```
 */
export { verifyAllContent, verifyContent } from './verify-content.ts'
export { verifyPins } from './verify-pins.ts'
export type { FailedTargets, Verified, VerifyAllContentOptions, VerifyContentOptions } from './verify-content.ts'
export type { VerifiedPin, VerifiedPins, VerifyPinsOptions } from './verify-pins.ts'
