import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { GC_ADVICE } from './advice/disk.ts'
import { DISK_FULL, fullDiskError, neededBytes } from './errors.ts'
import { repoPath } from '@ipfsz/node/environment'
import { readReference } from '@ipfsz/shared-store/reference'
import { formatSize } from './terminal/units.ts'
import type { Io } from './io.ts'

/** Fewer free inodes than this count as none: a command writes fewer files at once. */
const FEW_INODES = 1000
/** What a small file takes on most file systems, in bytes. */
const SMALL_FILE = 4096

/**
 * Say in the message of an error which disk is full, and of what: bytes, inodes, or the share of this user.
 *
 * @param message - by `explain`
 * @param asked - the command, and the repo as it was asked for
 */
export async function withFullDisk (
  message: string,
  thrown: Error,
  { repo, command }: { repo: string | undefined, command: string | undefined },
  io: Io
): Promise<string> {
  const full = fullDiskError(thrown)

  if (full == null || !message.includes(DISK_FULL)) {
    return message
  }

  // what writes blocks does not say where
  const place = await existing(full.path ?? await blocksIn(repoPath(repo, io)))
  const said = full.code === 'EDQUOT' ? ofQuota(place) : await ofDisk(place, neededBytes(thrown))
  const advice = said == null || command === 'gc' ? '' : `. ${GC_ADVICE}`

  const prefix = full.path == null || full.path === place ? '' : `${full.path}: `

  return message.replace(DISK_FULL, () => `${prefix}${said ?? DISK_FULL}${advice}`)
}

async function blocksIn (repo: string): Promise<string> {
  const reference = await readReference(repo).catch(() => undefined)

  return reference == null || reference.store.startsWith('s3://') ? repo : reference.store
}

/** A directory, or the one above a path that exists: what could not be written is deleted again. */
async function existing (path: string): Promise<string> {
  const exists = path === dirname(path) || await stat(path).then(stats => stats.isDirectory(), () => false)

  return exists ? path : existing(dirname(path))
}

function ofQuota (place: string): string {
  return `this user's quota on the disk of ${place} is used up: delete files there and try again`
}

/**
 * @param needed - how many more bytes are needed at most, if that is known
 * @returns undefined if the system does not tell
 */
async function ofDisk (place: string, needed: number | undefined): Promise<string | undefined> {
  const disk = await statfs(place).catch(() => undefined)

  if (disk == null || disk.blocks === 0) {
    return undefined
  }

  const free = disk.bavail * disk.bsize
  const all = formatSize(disk.blocks * disk.bsize)

  // what was half-written has been deleted, so some may be left of what there was too little of
  return disk.files > 0 && disk.ffree < FEW_INODES && disk.ffree * SMALL_FILE < free
    ? `the disk of ${place} has no inodes left for new files, though ${formatSize(free)} are free: delete files ` +
      'there and try again'
    : `the disk is full: ${place} has ${formatSize(free)} of ${all} left, which is not enough. ${
      needed == null ? '' : `At most ${formatSize(needed)} more are needed. `
    }Free some space there and try again`
}
