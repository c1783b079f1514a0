import { ipfsz } from '@ipfsz/core'
import { readReference } from '@ipfsz/shared-store/reference'
import { BlockSources } from './network/sources/block-sources.ts'
import { DEFAULT_TIMEOUT, NetworkAccess } from './daemon/access.ts'
import { emit } from './events.ts'
import { FetchedStats } from './network/fetched-stats.ts'
import { keepReads } from './repo/keep-reads.ts'
import { lockRepo } from './repo/repo-lock.ts'
import { RepoPins } from './repo/repo-pins.ts'
import { openOrCreateRepo, openRepo, openRepoToRead } from './repo/repo.ts'
import { withSession } from './repo/with-session.ts'
import { writingBehind } from './repo/write-behind.ts'
import type { NodeContext } from './daemon/access.ts'
import type { Network } from './network/network.ts'
import type { OnFetch } from './network/fetched-stats.ts'
import type { LockKind } from './repo/repo-lock.ts'
import type { Repo, RepoInit } from './repo/repo.ts'
import type { LinkRecords } from '@ipfsz/shared-store/records'
import type { Ipfsz, IpfszComponents, IpfszInit } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

export type { NodeContext } from './daemon/access.ts'

/** An open repo. */
export interface Session {
  repo: Repo
  files: Ipfsz
  pins: RepoPins
  /** The links of the repo, if it has any. */
  links: LinkRecords | undefined
}

/** A repo that is open to read one DAG. */
export interface Reading extends Session {
  /** Whether missing blocks are fetched from gateways or peers. */
  online: boolean
  /** Tell the gateways to send single blocks: much of what they were asked for is here already. */
  dropPlan: () => void
  /** Whether several gateways can send different blocks at the same time. */
  hasSeveral: boolean
  /** The same files, with another view of the repo's blocks. */
  filesOn: (blockstore: IpfszComponents['blockstore']) => Ipfsz
}

export interface SessionOptions extends IpfszInit {
  /** The lock to hold: `add` keeps garbage collections out, `gc` keeps all other writers out. */
  lock?: LockKind
  /** Whether the work writes links. */
  links?: boolean
  /** Whether the repo must exist already. */
  existing?: boolean
  /**
   * Whether the work stores nothing that a garbage collection could delete. In a store that nodes share it then has
   * nothing to protect, and works although the store is full.
   */
  removes?: boolean
  /** Whether to wait until added blocks are synced to disk, and survive a power cut. */
  sync?: boolean
}

/**
 * Open the repo to change it, and create it if needed. Waits for processes that hold its lock as long as they live.
 * Does not use the network.
 *
 * @throws {RepoError} the repo cannot be opened, or does not exist but `existing` is set
 */
export async function withRepo<T> (
  context: NodeContext,
  { lock, links: writes = false, existing = false, removes = false, sync = true, ...init }: SessionOptions,
  work: (session: Session) => Promise<T>
): Promise<T> {
  const { signal, repo: path } = context
  const isShared = await readReference(path) != null

  if (existing && !isShared) {
    await openRepoToRead(path, { signal })
  }

  // Lock before opening: a conversion that held the lock may have changed the codec. What happens in a store that nodes
  // share is not a matter of locks of one of them.
  const release = lock == null || isShared ? undefined : await lockAndTell(path, lock, context)
  let repo: Repo | undefined
  let links: LinkRecords | undefined
  let result: T

  const close = async (): Promise<void> => {
    try {
      // what failed may have left other writes running
      await repo?.close()
      await links?.close()
    } finally {
      await repo?.session?.end()
      await release?.()
    }
  }

  try {
    repo = await openRepo(path, { sync, signal })
    repo = lock === 'add' && !removes ? await withSession(repo, context) : repo
    links = writes || await repo.links.exist() ? repo.links.open({ writes, signal }) : undefined

    result = await work(sessionOf(repo, links, ipfsz({ blockstore: repo.blockstore, datastore: links }, init)))
  } catch (err) {
    // on a full disk, closing fails too, and knows less
    await close().catch(() => {})
    throw err
  }

  await close()

  return result
}

/** Lock the repo, and report which other process is waited for. */
export async function lockAndTell (
  repo: string,
  kind: LockKind,
  context: NodeContext
): ReturnType<typeof lockRepo> {
  try {
    return await lockRepo(repo, kind, context.signal, {
      onWaiting (holder) { emit(context, 'ipfsz:repo:waiting', { repo, holder }) }
    })
  } finally {
    emit(context, 'ipfsz:repo:locked', undefined)
  }
}

/** Open the repo to read from it. Does not use the network. */
export async function openToRead (
  { repo: path, signal }: Pick<NodeContext, 'repo' | 'signal'>,
  init?: RepoInit
): Promise<Session> {
  const repo = await openRepoToRead(path, { ...init, signal })

  const links = await linksToRead(repo, signal)

  return sessionOf(repo, links, ipfsz({ blockstore: repo.blockstore, datastore: links }))
}

export interface ReadingOptions {
  /**
   * Whether fetched blocks can be synced with `repo.storage.sync`. Reading does not need that: lost
   * blocks can be fetched again.
   *
   * @default false
   */
  sync?: boolean
  /** What will be read below the root: gateways then send it with one request. */
  plan?: ReadPlan
  /** How to reach peers, for a caller that needs them too. It is left open. By default a new one, which is closed. */
  access?: NetworkAccess
  /** Whether blocks of a store over the network may come from this node's disk, and are kept there. By default not. */
  cached?: boolean
}

/**
 * Read a DAG from the repo, and fetch missing blocks from gateways or peers. Fetched blocks are stored in the
 * repo, which is created if needed.
 *
 * @throws {RepoError} there is no repo, and no network to fetch from
 */
export async function withReading<T> (
  context: NodeContext,
  root: CID,
  work: (reading: Reading) => Promise<T>,
  options: ReadingOptions = {}
): Promise<T> {
  return withReadings(context, async read => work(read(root, options.plan)), options)
}

/** Like `withReading`, but for several CIDs, which share one daemon or temporary node. */
export async function withReadings<T> (
  context: NodeContext,
  work: (read: (root: CID, plan?: ReadPlan) => Reading) => Promise<T>,
  { sync = false, access: shared, cached = false }: Omit<ReadingOptions, 'plan'> = {}
): Promise<T> {
  const { signal, repo: path } = context
  const access = shared ?? new NetworkAccess(context)
  const hasNetwork = await access.isPossible()
  const { timeout = DEFAULT_TIMEOUT, gateways = [], routers = [], allowLocal } = context.network ?? {}
  const network = hasNetwork ? async (): Promise<Network> => access.open() : undefined
  const said = new Set<string>()
  const onLacks = (peer: string, cid: CID, root: CID): void => {
    if (access.named.includes(peer) && !said.has(peer)) {
      said.add(peer)
      emit(context, 'ipfsz:fetch:lacks', { peer, cid, root })
    }
  }
  const from = await BlockSources.open({
    gateways, routers, allowLocal, network, onLacks, named: () => access.named
  })

  if (from == null) {
    const opened = await openToRead(context, { readsKept: cached })
    const { repo, close } = await keepReads(opened.repo, cached, context)
    const filesOn = (blockstore: IpfszComponents['blockstore']): Ipfsz =>
      ipfsz({ blockstore, datastore: opened.links })
    const session = sessionOf(repo, opened.links, filesOn(repo.blockstore))

    return work(() => ({ ...session, online: false, dropPlan: () => {}, hasSeveral: false, filesOn })).finally(close)
  }

  const opened = await openOrCreateRepo(path, { sync, readsKept: cached, signal })
  const { repo, close } = await keepReads(opened, cached, context)
  const links = await linksToRead(repo, signal)
  const fetched = new FetchedStats()
  const onFetch = (root: CID): OnFetch => () => {
    const asked = performance.now()
    emit(context, 'ipfsz:fetch:asked', { root })

    return (sender, bytes) => {
      emit(context, 'ipfsz:fetch:arrived', { sender, bytes, milliseconds: performance.now() - asked })
    }
  }

  emit(context, 'ipfsz:fetch:begin', undefined)

  const read = async (blockstore: IpfszComponents['blockstore']): Promise<T> => work((root, plan) => {
    const { sources: all, ...below } = from.below(root, plan)
    const sources = all.map(source => fetched.count(source, signal, onFetch(root)))
    const filesOn = (blockstore: IpfszComponents['blockstore']): Ipfsz =>
      ipfsz({ blockstore, datastore: links, sources }, { fetch: { timeout } })

    return { ...sessionOf(repo, links, filesOn(blockstore)), ...below, online: true, filesOn }
  })

  try {
    // what is synced must have been written
    return await (sync ? read(repo.blockstore) : writingBehind(repo.blockstore, read))
  } finally {
    from.close()
    await close()
    await repo.close()
    await (shared == null ? access.close() : undefined)
    emit(context, 'ipfsz:fetch:end', fetched)
  }
}

function sessionOf (repo: Repo, links: LinkRecords | undefined, files: Ipfsz): Session {
  return { repo, files, pins: new RepoPins(repo), links }
}

async function linksToRead ({ links }: Repo, signal: AbortSignal): Promise<LinkRecords | undefined> {
  return await links.exist() ? links.open({ writes: false, signal }) : undefined
}
