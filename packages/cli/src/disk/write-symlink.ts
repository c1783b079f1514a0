import { symlink } from 'node:fs/promises'
import { TreeEntryError } from '../errors.ts'
import { restoreMetadata } from './restore-metadata.ts'
import { leadsOut } from './symlink-target.ts'
import type { Metadata } from './restore-metadata.ts'
import type { DirectoryEntry } from '@ipfsz/core'

/** A symlink to a longer path cannot be made on Linux or macOS: their paths have 4,096 bytes with the NUL at the end, or fewer. */
const MAX_LINK = 4095

/**
 * The path that a symlink holds.
 *
 * @throws {TreeEntryError} no system has such a symlink
 */
export function linkOf (path: string, unixfs: DirectoryEntry['unixfs']): Uint8Array {
  const link = unixfs?.data ?? new Uint8Array(0)

  if (link.byteLength === 0 || link.includes(0)) {
    throw new TreeEntryError(path, 'is a symlink whose target is empty or has a NUL character')
  }

  if (link.byteLength > MAX_LINK) {
    throw new TreeEntryError(path, `is a symlink whose target has ${link.byteLength} bytes, more than the ${MAX_LINK} that a path may have`)
  }

  return link
}

/**
 * @param names - the directories from the root of what is written to the symlink
 * @throws {TreeEntryError} the symlink leads out of what is written
 */
export async function checkSymlink (path: string, link: Uint8Array, names: readonly string[], isDirectory: Parameters<typeof leadsOut>[2]): Promise<void> {
  const target = Buffer.from(link).toString()

  if (await leadsOut(target, names, isDirectory)) {
    throw new TreeEntryError(path, `is a symlink to ${target}, which may be outside of what you are getting: write it anyway with --allow-symlinks`)
  }
}

/** Write a symlink where nothing is, wherever it leads. */
export async function writeSymlink (path: string, link: Uint8Array, metadata: Metadata): Promise<void> {
  await symlink(Buffer.from(link), path)
  await restoreMetadata(path, metadata)
}
