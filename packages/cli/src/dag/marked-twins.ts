import { mark, TREE_CODE } from '@ipfsz/core'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * The marked twin of a plain CID, or undefined if its content is not compressed. A file is compressed if its header
 * says so; a directory is if it has a compressed file, at any depth.
 */
export async function markedTwin (plain: CID, files: Ipfsz, signal: AbortSignal): Promise<CID | undefined> {
  const { type, markedCid } = await files.stat(plain, { signal })

  if (type !== 'directory') {
    return markedCid
  }

  return await hasCompressed(plain, files, signal, new Set()) ? mark(plain.toV1(), TREE_CODE) : undefined
}

async function hasCompressed (directory: CID, files: Ipfsz, signal: AbortSignal, seen: Set<string>): Promise<boolean> {
  const below: CID[] = []

  seen.add(directory.toString())

  for await (const { type, markedCid, plainCid } of files.ls(directory, { signal })) {
    if (markedCid != null) {
      return true
    }

    if (type === 'directory') {
      below.push(plainCid)
    }
  }

  for (const cid of below) {
    if (!seen.has(cid.toString()) && await hasCompressed(cid, files, signal, seen)) {
      return true
    }
  }

  return false
}
