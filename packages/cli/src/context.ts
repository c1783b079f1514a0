import { isAbsolute, join, relative } from 'node:path'
import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { DaemonError, UsageError } from './errors.ts'
import { hasLinks, LinkStore, linksIn } from './repo/link-store.ts'
import { lockRepo } from './repo/repo-lock.ts'
import { DEFAULT_TIMEOUT, NetworkAccess } from './daemon/access.ts'
import { bootstrapTexts } from './network/node/bootstrap-texts.ts'
import { NetworkBlockstore, NetworkState } from './network/blockstore.ts'
import { RepoPins } from './repo/repo-pins.ts'
import { openRepo, openRepoToRead } from './repo/repo.ts'
import { formatSize } from './terminal/units.ts'
import type { Io } from './io.ts'
import type { NetworkOptions } from './daemon/access.ts'
import type { FetchedStats } from './network/blockstore.ts'
import type { Network } from './network/network.ts'
import type { Output } from './terminal/output.ts'
import type { LockKind } from './repo/repo-lock.ts'
import type { Repo } from './repo/repo.ts'
import type { Ipfsz, IpfszComponents, IpfszInit } from '@ipfsz/core'

/** The network knows better than whoever waits for it why nothing comes, and is to say so first, in milliseconds. */
const GIVES_UP_FIRST = 30_000

/** What a command is given besides its own arguments and options. */
export interface Context {
  io: Io
  output: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** The directory of the repo. */
  repo: string
  /** How others are reached, where they are asked. */
  network?: NetworkOptions
}

/** A repo that is open. */
export interface Session {
  repo: Repo
  /** Where files are read from: the repo, and others where they may be asked. */
  blockstore: IpfszComponents['blockstore']
  files: Ipfsz
  pins: RepoPins
  /** Where links are read, if there are any. */
  links: LinkStore | undefined
}

/** A repo that is open to read what a CID leads to. */
export interface Reading extends Session {
  /** Whether others are asked for what is not in the repo. */
  online: boolean
}

export interface SessionOptions extends IpfszInit {
  /** What must not happen meanwhile: a collection for those who add, everything else for a collection. */
  lock?: LockKind
  /** Whether links are written. */
  links?: boolean
  /** Whether there must be a repo already. */
  existing?: boolean
  /** Whether what is added survives a loss of power, which is waited for. */
  sync?: boolean
}

/** Do something to the repo, which is made where there is none. Nothing of it touches the network. */
export async function withRepo<T> (context: Context, { lock, links: writes = false, existing = false, sync = true, ...init }: SessionOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const { signal, repo: path } = context

  if (existing) {
    await openRepoToRead(path)
  }

  // first: who waits for a conversion is to store blocks as it says
  const release = lock == null ? undefined : await lockRepo(path, lock, signal)
  let links: LinkStore | undefined

  try {
    const repo = await openRepo(path, { sync })
    links = writes || await hasLinks(path) ? new LinkStore(linksIn(path), { writes, signal }) : undefined

    return await work(sessionOf(repo, repo.blockstore, links, init))
  } finally {
    await links?.close()
    await release?.()
  }
}

/** The repo, to read from it. */
export async function openToRead ({ repo: path, signal }: Context): Promise<Session> {
  const repo = await openRepoToRead(path)

  return sessionOf(repo, repo.blockstore, await linksToRead(repo, signal))
}

export interface ReadingOptions {
  /**
   * Whether what comes can be synced with `repo.disk.sync`. Whoever only reads does not
   * wait for the disk: what others have can be fetched again.
   *
   * @default false
   */
  sync?: boolean
}

/**
 * Read what a CID leads to, from the repo or, where it is not there, from others. What
 * comes is kept in the repo, which is made where there is none.
 *
 * @throws {RepoError} there is no repo, and nobody to ask
 */
export async function withReading<T> (context: Context, root: CID, work: (reading: Reading) => Promise<T>, options?: ReadingOptions): Promise<T> {
  return withReadingOf(context, async read => work(read(root)), options)
}

/**
 * As `withReading`, for several CIDs: there is one daemon or one temporary node for all
 * of them.
 *
 * @throws {RepoError} as withReading
 */
export async function withReadingOf<T> (context: Context, work: (read: (root: CID) => Reading) => Promise<T>, { sync = false }: ReadingOptions = {}): Promise<T> {
  const { signal, repo: path, output } = context
  const access = networkAccess(context)
  const online = await access.isPossible()

  if (!online) {
    const session = await openToRead(context)

    return work(() => ({ ...session, online }))
  }

  const repo = await openRepoToRead(path, { sync }).catch(async () => openRepo(path, { sync }))
  const links = await linksToRead(repo, signal)
  const timeout = context.network?.timeout ?? DEFAULT_TIMEOUT
  const shared = new NetworkState()

  try {
    return await work(root => {
      const blockstore = new NetworkBlockstore({ blockstore: repo.blockstore, network: async () => access.open(), root, timeout, signal, shared })

      return { ...sessionOf(repo, blockstore, links, { fetch: { timeout: timeout + GIVES_UP_FIRST } }), online }
    })
  } finally {
    await access.close()
    sayWhatCame(shared.fetched, output)
  }
}

/**
 * A way to others, for what is nothing but that.
 *
 * @throws {DaemonError} there is nobody to ask
 */
export async function openNetwork (context: Context): Promise<Network> {
  const access = networkAccess(context)

  if (!await access.isPossible()) {
    throw new DaemonError('There is nobody to ask: start a daemon with ipfsz daemon, or name a peer with --peer')
  }

  return access.open()
}

function networkAccess ({ io: { env }, network, repo, signal, output }: Context): NetworkAccess {
  return new NetworkAccess({ ...network, bootstrap: bootstrapTexts(undefined, env), repo, signal, onNote: message => { output.note(message) } })
}

/** A path that was typed, as this process knows it: relative paths stay relative in messages. */
export function resolvePath (path: string, { cwd }: Io): string {
  // an empty path is no directory, and `-` is left to whoever gives it a meaning
  return path === '' || path === '-' || isAbsolute(path) ? path : join(relative(process.cwd(), cwd), path)
}

function sessionOf (repo: Repo, blockstore: Session['blockstore'], links: LinkStore | undefined, init?: IpfszInit): Session {
  return { repo, blockstore, files: ipfsz({ blockstore, datastore: links }, init), pins: new RepoPins(repo), links }
}

async function linksToRead ({ path }: Repo, signal: AbortSignal): Promise<LinkStore | undefined> {
  return await hasLinks(path) ? new LinkStore(linksIn(path), { writes: false, signal }) : undefined
}

function sayWhatCame ({ blocks, bytes, replaced, peers }: FetchedStats, output: Output): void {
  if (replaced > 0) {
    output.note(`${replaced} damaged ${replaced === 1 ? 'block was' : 'blocks were'} fetched anew and replaced`)
  }

  if (output.verbose && blocks > 0) {
    output.note(`fetched ${blocks} blocks (${formatSize(bytes)}): ${[...peers].map(([id, { blocks, bytes }]) => `${blocks} (${formatSize(bytes)}) from ${id}`).join(', ')}`)
  }
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
