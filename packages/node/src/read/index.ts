/**
 * @packageDocumentation
 *
 * Finds what a CID, an IPNS or DNS name, or the name of a pin leads to, and reads it from the repo. What is missing is
 * fetched from gateways or peers, if the context allows that.
 */
export { cidAt, cidsAt, withTarget, withTargets } from './read-target.ts'
export type { TargetOptions } from './read-target.ts'
