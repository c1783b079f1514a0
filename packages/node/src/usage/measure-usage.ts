import { unmark } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { UsageMeter } from '../dag/usage.ts'
import { duringStep } from '../events.ts'
import { withTargets } from '../read/read-target.ts'
import type { NodeContext, Session } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { Usage } from '../dag/usage.ts'
import type { PinRecordError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** What a file or directory adds to what was measured before. */
export interface NamedUsage extends Usage {
  cid: CID
  /** The name that it was given; of an entry of a directory, that of the directory and its own. */
  name: string
}

export interface MeasureUsageOptions {
  /**
   * Whether to measure the entries of a directory one by one, before all of it. Of all pins, no entries are measured.
   *
   * @default false
   */
  entries?: boolean | undefined
  /** Called for each entry and each target once it is measured. */
  onUsage?: ((usage: NamedUsage) => void) | undefined
  /** Called for each of several targets that cannot be measured. The others are. */
  onFailed?: ((name: string, error: Error) => void) | undefined
}

export interface UsageReport {
  /** How many there were, without those whose pin records cannot be read. */
  targets: number
  /** How many of them could not be measured. */
  failed: number
  /** The pins whose records cannot be read. */
  unreadable: PinRecordError[]
  /** What the bases of files take, which no target has. */
  bases: Usage
  /** Everything, with the bases. */
  total: Usage
}

/** A DAG to measure. */
interface Target {
  cid: CID
  name: string
}

/**
 * Measure what files and directories take in the repo: original and stored size, each block counted once, where it is
 * found first. Nothing is fetched, and leaves are not read.
 *
 * @param texts - CIDs, names or names of pins, and paths below them. By default all pins
 * @throws {UsageError} a text is none of these
 * @throws {NameError} a name cannot be resolved
 * @throws the error of a target that is the only one
 */
export async function measureUsage (
  context: NodeContext,
  texts: ReadonlyArray<string | CidPath> = [],
  { entries = false, onUsage, onFailed }: MeasureUsageOptions = {}
): Promise<UsageReport> {
  const { signal } = context
  const session = await openToRead(context)
  const unreadable: PinRecordError[] = []
  const targets = texts.length === 0
    ? await allPins(session, signal, unreadable)
    : await withTargets(context, texts, async found =>
      Promise.all(found.map(async target => findTarget(target, session, signal))))

  return duringStep(context, { task: 'measure', name: '', unit: 'blocks' }, async ({ add: onBlocks }) => {
    const meter = new UsageMeter({ blockstore: session.repo.blockstore, files: session.files, signal, onBlocks })
    const usages: Usage[] = []
    let failed = 0

    for (const target of targets) {
      try {
        usages.push(await measure(target, meter, { entries: entries && texts.length > 0, onUsage }))
      } catch (err) {
        if (signal.aborted || targets.length === 1 || !(err instanceof Error)) {
          throw err
        }

        onFailed?.(target.name, err)
        failed++
      }
    }

    const bases = usages.length === 0 ? sum([]) : await meter.addBases(targets[0].cid)

    return { targets: targets.length, failed, unreadable, bases, total: sum([...usages, bases]) }
  })
}

/** Measure a DAG, after the entries in it if it is a directory. */
async function measure (
  { cid, name }: Target,
  meter: UsageMeter,
  { entries, onUsage }: MeasureUsageOptions
): Promise<Usage> {
  let total = sum([])

  for await (const entry of entries === true ? await meter.list(cid) ?? [] : []) {
    const usage = await meter.add(entry.cid, entry.size)

    onUsage?.({ ...usage, cid: entry.cid, name: `${name}/${entry.name}` })
    total = sum([total, usage])
  }

  // what belongs to no entry: the blocks of the directory itself
  total = sum([total, await meter.add(cid)])
  onUsage?.({ ...total, cid, name })

  return total
}

async function allPins ({ pins }: Session, signal: AbortSignal, unreadable: PinRecordError[]): Promise<Target[]> {
  const targets: Target[] = []

  for await (const { cid, name } of pins.ls(signal, err => { unreadable.push(err) })) {
    targets.push({ cid, name: name ?? cid.toString() })
  }

  return targets
}

async function findTarget ({ cid, path, text }: CidPath, { files }: Session, signal: AbortSignal): Promise<Target> {
  const { plainCid } = await files.stat(cid, { path, signal })

  // the CID of an original may be linked to a compressed file
  return { cid: path === '' && plainCid.equals(unmark(cid)) ? cid : plainCid, name: text }
}

function sum (usages: readonly Usage[]): Usage {
  const total: Usage = { size: 0, storedSize: 0, blocks: 0, unknownSizes: 0 }

  for (const { size, storedSize, blocks, unknownSizes } of usages) {
    total.size += size
    total.storedSize += storedSize
    total.blocks += blocks
    total.unknownSizes += unknownSizes
  }

  return total
}
