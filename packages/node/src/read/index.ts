/**
 * @packageDocumentation
 *
 * Finds what a CID, an IPNS or DNS name, or the name of a pin leads to, and reads it from the repo. What is missing is
 * fetched from gateways or peers, if the context allows that.
 */
export { nameOf, parseContentPath } from '../dag/cid-path.ts'
export { cidAt, cidsAt, withTarget, withTargets } from './read-target.ts'
export { statTarget } from './stat-target.ts'
export type { CidPath, NamePath } from '../dag/cid-path.ts'
export type { StatTargetOptions } from './stat-target.ts'
export type { TargetOptions } from './read-target.ts'
