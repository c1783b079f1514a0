import { symlink } from 'node:fs/promises'
import { TreeEntryError } from '../errors.ts'
import { restoreSymlink } from './restore-metadata.ts'
import { leadsOut } from './symlink-target.ts'
import type { Metadata } from './restore-metadata.ts'
import type { DirectoryEntry } from '@ipfsz/core'

/** The longest target of a symlink in bytes: on Linux a path has at most 4,096 with its final NUL, on macOS fewer. */
const MAX_LINK = 4095

/** The target of a symlink, as stored in its UnixFS node. */
export function linkOf (path: string, unixfs: DirectoryEntry['unixfs']): Uint8Array {
  const link = unixfs?.data ?? new Uint8Array(0)

  if (link.byteLength === 0 || link.includes(0)) {
    throw new TreeEntryError(path, 'is a symlink whose target is empty or contains a NUL character')
  }

  if (link.byteLength > MAX_LINK) {
    throw new TreeEntryError(
      path,
      `is a symlink whose target has ${link.byteLength} bytes, which exceeds the limit of ${MAX_LINK}`
    )
  }

  return link
}

/**
 * Check that a symlink stays inside the tree being written.
 *
 * @param names - the directories from the root of the tree to the symlink
 */
export async function checkSymlink (
  path: string,
  link: Uint8Array,
  names: readonly string[],
  isDirectory: Parameters<typeof leadsOut>[2]
): Promise<void> {
  const target = Buffer.from(link).toString()

  if (await leadsOut(target, names, isDirectory)) {
    throw new TreeEntryError(
      path,
      `is a symlink to ${target}, which may be outside the output directory`,
      { problem: 'leads-out' }
    )
  }
}

/** Create a symlink at a new path. Its target is not checked. */
export async function writeSymlink (path: string, link: Uint8Array, metadata: Metadata): Promise<void> {
  await symlink(Buffer.from(link), path)
  await restoreSymlink(path, metadata)
}
