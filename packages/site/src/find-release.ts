import { basename, resolve } from 'node:path'
import { LATEST } from '@ipfsz/node/add'
import { basesInTree, LatestVersions } from '@ipfsz/node/session'
import { TREE_NAME } from './site-config.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { CidPath } from '@ipfsz/node/read'
import type { NodeContext, Session } from '@ipfsz/node/session'
import type { CID } from 'multiformats/cid'

/** The last release: where it is, or that it is the last one of the history. */
export type Release = Pick<CidPath, 'cid' | 'path'> | typeof LATEST

/** What each file of the next release refers back to. */
export type Bases = CompressionOptions['base']

interface FoundRelease {
  /** Undefined: it is the first release. */
  base?: Bases
  /** Adds the new release to the history, if it continues one. */
  remember?: (added: { cid: CID, size: number, addedSize: number }) => Promise<void>
}

/** Find the last release of a site, and what its files are for the next one. */
export async function findRelease (
  directory: string,
  given: Release | undefined,
  session: Session,
  context: NodeContext
): Promise<FoundRelease> {
  if (given == null) {
    return {}
  }

  if (given !== LATEST) {
    const path = await pathOfTree(given, session, context.signal)

    return { base: await basesInTree(directory, { cid: given.cid, path }, session, context.signal) }
  }

  const name = basename(resolve(directory))
  const versions = new LatestVersions(session, { name }, context)
  const cid = await versions.find(name)

  return {
    ...cid == null ? {} : { base: await basesInTree(directory, { cid, path: '' }, session, context.signal) },
    remember: async added => versions.added(name, added)()
  }
}

/** Where the compressed files are: below a published site, or at the path itself. */
async function pathOfTree (
  { cid, path }: Pick<CidPath, 'cid' | 'path'>,
  { files }: Pick<Session, 'files'>,
  signal: AbortSignal
): Promise<string> {
  const below = [path, TREE_NAME].filter(Boolean).join('/')

  try {
    await files.stat(cid, { path: below, signal })

    return below
  } catch (err) {
    // a missing block has a CID
    if (err instanceof Error && ['NotFoundError', 'NotADirectoryError'].includes(err.name) && !('cid' in err)) {
      return path
    }

    throw err
  }
}
