/**
 * @packageDocumentation
 *
 * A repo of compressed files on the disk of this machine: add, read, pin, verify and collect, from a program. It is the
 * repo of the command `ipfsz`, which may use it at the same time.
 *
 * Importing this loads nothing else: each method loads what it needs when it is first called. All options of each kind
 * of work are in `@ipfsz/node/add`, `/get`, `/pins` and so on, and a node that other nodes can reach is in
 * `@ipfsz/node/network`.
 *
 * @example Add a file, read it back, and collect what is not pinned
 *
 * ```typescript
 * import { openRepo } from '@ipfsz/node'
 * import { mkdtemp, rm } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const directory = await mkdtemp(join(tmpdir(), 'repo-'))
 * const repo = await openRepo(directory)
 * const { cid, size, storedSize } = await repo.add(new TextEncoder().encode('hello '.repeat(1000)), { name: 'a.txt' })
 * console.info(`${size} bytes stored as ${storedSize}`)
 *
 * for await (const bytes of repo.files.cat(cid, { offset: 6, length: 5 })) {
 *   console.info(new TextDecoder().decode(bytes)) // hello
 * }
 *
 * await repo.pins.rm(cid)
 * console.info(await repo.collect({ force: true }))
 * await repo.close()
 * await rm(directory, { recursive: true })
 * ```
 *
 * @example Add a directory, show progress, and tell failures apart
 *
 * ```typescript
 * import { openRepo } from '@ipfsz/node'
 * import { mkdtemp, rm } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const directory = await mkdtemp(join(tmpdir(), 'repo-'))
 * const repo = await openRepo(join(directory, 'repo'), {
 *   onProgress (event) {
 *     if (event.type === 'ipfsz:step:progress') {
 *       console.info(event.detail.step.name, event.detail.done)
 *     }
 *   }
 * })
 *
 * try {
 *   const { cid } = await repo.addDirectory('src', { gitignore: true, base: 'latest' })
 *   await repo.get(cid, join(directory, 'copy'))
 * } catch (err) {
 *   console.error(err instanceof Error && err.name === 'TreeEntryError' ? 'an entry cannot be added' : err)
 * } finally {
 *   await repo.close()
 *   await rm(directory, { recursive: true })
 * }
 * ```
 */
export { openRepo } from './handle/open-repo.ts'
export { RepoClosedError } from './handle/repo-closed-error.ts'
export type * from './handle/contract.ts'
export type { AddedEntry, AddedRoot } from './add/add-options.ts'
export type { TreeContent } from './disk/add-tree.ts'
export type { Collected, CollectOptions } from './collect/collect.ts'
export type { NodeEvents, Step, Task } from './events.ts'
export type { Written } from './get/get-content.ts'
export type { ForgetVersionsOptions, JudgedVersion } from './history/forget-versions.ts'
export type { PinnedVersion } from './history/history.ts'
export type { KeepRules } from './history/keep-rules.ts'
export type { ListPinsOptions, PinInfo } from './pins/pins.ts'
export type { Version } from './repo/history.ts'
export type { VerifyContentOptions } from './verify/verify-content.ts'
