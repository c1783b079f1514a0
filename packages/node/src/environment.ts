/**
 * @packageDocumentation
 *
 * What the command `ipfsz` takes from the environment of its process: where the repo is, and which bootstrap peers,
 * gateways and routers are asked. Also where its gateway listens by default, and its version.
 */
export { DEFAULT_GATEWAY_ADDRESS } from './gateway/default-address.ts'
export { bootstrapTexts, NONE, urlsIn } from './network/environment.ts'
export { absolutePath } from './paths.ts'
export { defaultRepoPath, repoPath, safeRepoPath } from './repo/repo.ts'
export { packageVersion } from './version.ts'
export type { Environment, WorkingDirectory } from './paths.ts'
