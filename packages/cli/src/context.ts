import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { UsageError } from './errors.ts'
import { hasLinks, LinkStore, linksIn } from './link-store.ts'
import { lockRepo } from './repo-lock.ts'
import { RepoPins } from './repo-pins.ts'
import { openRepo, openRepoToRead, repoPath } from './repo.ts'
import type { Output } from './output.ts'
import type { LockKind } from './repo-lock.ts'
import type { Repo } from './repo.ts'
import type { Ipfsz, IpfszInit } from '@ipfsz/core'

/** What a command is given besides its own arguments and options. */
export interface Context {
  output: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** The directory of the repo, where it was named. */
  repo?: string
}

/** A repo that is open. */
export interface Session {
  repo: Repo
  files: Ipfsz
  pins: RepoPins
}

export interface SessionOptions extends IpfszInit {
  /** What must not happen meanwhile: a collection for those who add, everything else for a collection. */
  lock?: LockKind
  /** Whether links are written. */
  links?: boolean
  /** Whether there must be a repo already. */
  existing?: boolean
}

/** Do something to the repo, which is made where there is none. Nothing of it touches the network. */
export async function withRepo<T> (context: Context, { lock, links: writes = false, existing = false, ...init }: SessionOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const { signal } = context

  if (existing) {
    await openRepoToRead(repoPath(context.repo))
  }

  const repo = await openRepo(repoPath(context.repo))
  const release = lock == null ? undefined : await lockRepo(repo.path, lock, signal)
  const links = writes || await hasLinks(repo.path) ? new LinkStore(linksIn(repo.path), { writes, signal }) : undefined

  try {
    return await work({ repo, files: ipfsz({ blockstore: repo.blockstore, datastore: links }, init), pins: new RepoPins(repo) })
  } finally {
    await links?.close()
    await release?.()
  }
}

/** The repo, to read from it. */
export async function openToRead ({ repo: path, signal }: Context): Promise<Session> {
  const repo = await openRepoToRead(repoPath(path))
  const links = await hasLinks(repo.path) ? new LinkStore(linksIn(repo.path), { writes: false, signal }) : undefined

  return { repo, files: ipfsz({ blockstore: repo.blockstore, datastore: links }), pins: new RepoPins(repo) }
}

/** The files of the repo, to read them. */
export async function openFilesToRead (context: Context): Promise<Ipfsz> {
  return (await openToRead(context)).files
}

/**
 * @throws {UsageError} the text is not a CID
 */
export function parseCid (text: string): CID {
  try {
    return CID.parse(text.replace(/^(?:ipfs:\/\/|\/ipfs\/)/, ''))
  } catch (err) {
    throw new UsageError(`"${text}" is not a CID: give one as ipfsz add prints it`, { cause: err })
  }
}
