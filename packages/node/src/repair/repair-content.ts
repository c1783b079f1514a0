import { collectBytes } from '@ipfsz/utils/bytes'
import all from 'it-all'
import { openToRead, withReadings } from '../context.ts'
import { repairDag } from '../dag/repair-dag.ts'
import { duringStep } from '../events.ts'
import { cidAt, withTargets } from '../read/read-target.ts'
import type { NodeContext, Reading } from '../context.ts'
import type { NetworkAccess } from '../daemon/access.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { RepairedBlock } from '../dag/repair-dag.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '../repo/pin-records.ts'
import type { BlocksBelow } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The errors of a block that nobody sent. */
const NOT_FETCHED = new Set(['CorruptBlockError', 'FetchStalledError', 'GatewaysFailedError'])

/** What was repaired: a pin, or what was named. */
export type RepairedRoot = Pick<Pin, 'cid' | 'name'> & Partial<Pick<Pin, 'depth'>>

/** A block that is missing or damaged, and that nobody sent. */
export interface LostBlock {
  cid: CID
  found: RepairedBlock['found']
  /** The roots that need it. */
  roots: RepairedRoot[]
}

/** What was found of a root. */
export interface Repaired {
  root: RepairedRoot
  /** `incomplete`: blocks are still missing. `damaged`: some are still wrong. `repaired`: blocks were fetched. */
  state: 'good' | 'repaired' | 'incomplete' | 'damaged'
  blocks: number
  /** Blocks that were missing or damaged, and were fetched. */
  fetched: number
  /** Bytes of them. */
  fetchedSize: number
  /** Blocks that are still missing. */
  missing: number
  /** Blocks that are still damaged. */
  damaged: number
}

export interface RepairOptions {
  /** Called for each root once it is read. */
  onRepaired?: ((repaired: Repaired) => void) | undefined
  /** Called for each root that could not be checked. The others are. */
  onFailed?: ((root: { cid: CID, path: string }, error: Error) => void) | undefined
}

export interface RepairReport {
  /** How many there were, without those whose pin records cannot be read. */
  roots: number
  /** How many of them could not be checked. */
  failed: number
  /** The pins whose records cannot be read. */
  unreadable: PinRecordError[]
  /** What is still missing or damaged. */
  lost: LostBlock[]
  /** Whether other nodes could be asked. */
  online: boolean
}

/**
 * Fetch missing and damaged blocks of files and directories. What is fetched is on disk when this returns.
 *
 * @param targets - CIDs, names or names of pins, and paths below them. By default all pins
 */
export async function repairContent (
  context: NodeContext,
  targets: ReadonlyArray<string | CidPath> = [],
  options: RepairOptions = {}
): Promise<RepairReport> {
  return withTargets(context, targets, async (found, access) => repairAll(found, access, options, context))
}

async function repairAll (
  targets: readonly CidPath[],
  access: NetworkAccess,
  { onRepaired, onFailed }: RepairOptions,
  context: NodeContext
): Promise<RepairReport> {
  const { signal } = context
  const unreadable: PinRecordError[] = []
  const roots: Array<RepairedRoot & { path?: string }> = targets.length > 0
    ? targets.map(({ cid, path }) => ({ cid, path }))
    : await all((await openToRead(context)).pins.ls(signal, err => { unreadable.push(err) }))
  const lost = new Map<string, LostBlock>()
  let failed = 0
  let online = false

  await withReadings(context, async read => {
    for (const { path = '', ...named } of roots) {
      try {
        const cid = path === ''
          ? named.cid
          : await cidAt({ cid: named.cid, path }, read(named.cid, { path, scope: 'block' }).files, signal)
        const reading = read(cid)
        online = reading.online
        const repaired = await repairOne({ ...named, cid }, reading, lost, context)
        onRepaired?.(repaired)
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        onFailed?.({ cid: named.cid, path }, err)
        failed++
      }
    }
  }, { sync: true, access })

  return { roots: roots.length, failed, unreadable, lost: [...lost.values()], online }
}

/** @param lost - by CID. What is lost of this root is added */
async function repairOne (
  root: RepairedRoot,
  { files, repo, online }: Reading,
  lost: Map<string, LostBlock>,
  context: NodeContext
): Promise<Repaired> {
  const { signal } = context
  const repaired: Repaired = { root, state: 'good', blocks: 0, fetched: 0, fetchedSize: 0, missing: 0, damaged: 0 }
  const step = { task: 'repair', name: root.name ?? root.cid.toString(), unit: 'bytes' } as const
  const blocks = files.blocks(root.cid)
  const fetch = async (cid: CID): Promise<Uint8Array | undefined> =>
    online ? fetchBlock(cid, blocks, signal) : undefined

  await duringStep(context, step, async progress => {
    for await (const block of repairDag(root.cid, repo.blockstore, { signal, fetch, depth: root.depth })) {
      repaired.blocks++
      progress.add(block.size)

      if (!block.good) {
        repaired[block.found === 'missing' ? 'missing' : 'damaged']++
        const key = block.cid.toString()
        const known = lost.get(key) ?? { cid: block.cid, found: block.found, roots: [] }
        known.roots.push(root)
        lost.set(key, known)
      } else if (block.found !== 'good') {
        repaired.fetched++
        repaired.fetchedSize += block.size
        // also needed if the daemon stored the block
        await repo.storage.syncLater(block.cid)
      }
    }
    await repo.storage.sync()
  })

  return { ...repaired, state: stateOf(repaired) }
}

/** @returns nothing if nobody sent it */
async function fetchBlock (
  cid: CID,
  blocks: Pick<BlocksBelow, 'get'>,
  signal: AbortSignal
): Promise<Uint8Array | undefined> {
  try {
    return await collectBytes(blocks.get(cid, { signal }))
  } catch (err) {
    if (!signal.aborted && err instanceof Error && NOT_FETCHED.has(err.name)) {
      return undefined
    }

    throw err
  }
}

function stateOf ({ fetched, missing, damaged }: Omit<Repaired, 'state'>): Repaired['state'] {
  if (missing > 0) {
    return 'incomplete'
  }

  if (damaged > 0) {
    return 'damaged'
  }

  return fetched > 0 ? 'repaired' : 'good'
}
