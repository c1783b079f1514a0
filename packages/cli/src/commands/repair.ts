import all from 'it-all'
import { openToRead, withReadings } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { readBlock } from '@ipfsz/node/internal/dag/read-block'
import { repairDag } from '@ipfsz/node/internal/dag/repair-dag'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { phraseCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import { cidAt, withTargets } from './read-target.ts'
import type { Context, Reading } from '../context.ts'
import type { NetworkAccess } from '@ipfsz/node/internal/daemon/access'
import type { PinRecordError } from '../errors.ts'
import type { RepairedBlock } from '@ipfsz/node/internal/dag/repair-dag'
import type { Pin } from '@ipfsz/node/internal/repo/pin-records'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { BlocksBelow } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The errors of a block that nobody sent. */
const NOT_FETCHED = new Set(['CorruptBlockError', 'FetchStalledError', 'GatewaysFailedError'])

/** What to repair: a pin, or what is named on the command line. */
type Root = Pick<Pin, 'cid' | 'name'> & Partial<Pick<Pin, 'depth'>>

interface LostBlock {
  found: RepairedBlock['found']
  /** The roots that need it. */
  roots: Root[]
}

interface Tally {
  blocks: number
  fetched: number
  fetchedSize: number
  missing: number
  damaged: number
}

/** Fetch missing and damaged blocks of what CIDs, names and paths lead to, or of all pins if there are none. */
export async function repair (texts: string[], context: Context): Promise<void> {
  await withTargets(texts, context, async (targets, access) => { await repairAll(targets, access, context) })
}

async function repairAll (targets: readonly CidPath[], access: NetworkAccess, context: Context): Promise<void> {
  const { output, signal } = context
  const damaged: PinRecordError[] = []
  const roots: Array<Root & { path?: string }> = targets.length > 0
    ? targets.map(({ cid, path }) => ({ cid, path }))
    : await all((await openToRead(context)).pins.ls(signal, err => { damaged.push(err) }))
  const lost = new Map<string, LostBlock>()
  let failed = damaged.length
  let online = false

  await withReadings(context, async read => {
    for (const { path = '', ...named } of roots) {
      try {
        const cid = path === ''
          ? named.cid
          : await cidAt({ cid: named.cid, path }, read(named.cid, { path, scope: 'block' }).files, signal)
        const root = { ...named, cid }
        const reading = read(cid)
        online = reading.online
        print(root, await repairOne(root, reading, lost, context), context)
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        output.error(`${named.cid}${path === '' ? '' : `/${printable(path)}`}: ${explain(err)}`, err)
        failed++
      }
    }
  }, { sync: true, access })

  // pin records cannot be fetched, so they are only listed
  reportPinRecords(damaged, output)

  for (const [cid, { found, roots }] of lost) {
    output.row(
      { block: cid, state: found, roots: roots.map(({ cid }) => cid.toString()) },
      [cid, found, `needed by ${roots.map(title).join(', ')}`]
    )
  }

  if (lost.size > 0) {
    const blocks = `${lost.size} ${lost.size === 1 ? 'block is' : 'blocks are'} missing or damaged`
    const them = lost.size === 1 ? 'it' : 'them'

    throw new IncompleteError(
      online
        ? `${blocks}, and no peer sent ${them}: specify a peer that has ${them} with --peer, or add the files again`
        : `${blocks}. No peer was asked: run ipfsz daemon, specify a peer with --peer, or add the files again`,
      { lost: true }
    )
  }

  if (failed > 0) {
    throw new IncompleteError(
      `${failed} of ${roots.length + damaged.length} ${targets.length === 0
        ? 'pins'
        : 'CIDs'} could not be checked: see the errors above`
    )
  }
}

async function repairOne (
  root: Root,
  { files, repo, online }: Reading,
  lost: Map<string, LostBlock>,
  { output, signal }: Context
): Promise<Tally> {
  const tally: Tally = { blocks: 0, fetched: 0, fetchedSize: 0, missing: 0, damaged: 0 }
  const progress = output.progress(root.name ?? root.cid.toString())
  let size = 0

  const blocks = files.blocks(root.cid)
  const fetch = async (cid: CID): Promise<Uint8Array | undefined> =>
    online ? fetchBlock(cid, blocks, signal) : undefined

  try {
    for await (const block of repairDag(root.cid, repo.blockstore, { signal, fetch, depth: root.depth })) {
      tally.blocks++
      progress.update(size += block.size)

      if (!block.good) {
        tally[block.found === 'missing' ? 'missing' : 'damaged']++
        const key = block.cid.toString()
        const known: LostBlock = lost.get(key) ?? { found: block.found, roots: [] }
        known.roots.push(root)
        lost.set(key, known)
      } else if (block.found !== 'good') {
        tally.fetched++
        tally.fetchedSize += block.size
        // also needed if the daemon stored the block
        await repo.storage.syncLater(block.cid)
      }
    }
    await repo.storage.sync()
  } finally {
    progress.end()
  }

  return tally
}

/** @returns nothing if nobody sent it */
async function fetchBlock (
  cid: CID,
  blocks: Pick<BlocksBelow, 'get'>,
  signal: AbortSignal
): Promise<Uint8Array | undefined> {
  try {
    return await readBlock(cid, blocks, { signal })
  } catch (err) {
    if (!signal.aborted && err instanceof Error && NOT_FETCHED.has(err.name)) {
      return undefined
    }

    throw err
  }
}

function stateOf ({ fetched, missing, damaged }: Tally): string {
  if (missing > 0) {
    return 'incomplete'
  }

  if (damaged > 0) {
    return 'damaged'
  }

  return fetched > 0 ? 'repaired' : 'good'
}

function print (root: Root, tally: Tally, { output }: Context): void {
  const { blocks, fetched, fetchedSize, missing, damaged } = tally
  const state = stateOf(tally)
  const parts = [
    count(blocks, 'block'),
    ...fetched > 0 ? [`${fetched} fetched (${formatSize(fetchedSize)})`] : [],
    ...missing > 0 ? [`${missing} missing`] : [],
    ...damaged > 0 ? [`${damaged} damaged`] : []
  ]

  output.row(
    { cid: root.cid.toString(), name: root.name, state, blocks, fetched, fetchedSize, missing, damaged },
    [
      root.cid.toString(),
      state,
      phraseCell(parts.join(', '), [blocks, fetched, fetchedSize, missing, damaged]),
      ...root.name == null ? [] : [printable(root.name)]
    ]
  )
}

function title ({ cid, name }: Root): string {
  return name == null ? cid.toString() : `${cid} (${printable(name)})`
}
