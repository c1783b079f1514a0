import { unmark } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { UsageMeter } from '@ipfsz/node/internal/dag/usage'
import { explain, IncompleteError } from '../errors.ts'
import { withTargets } from './read-target.ts'
import { printable } from '../terminal/output.ts'
import { counter } from '../terminal/progress.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { sizeCell, sizeHeading } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import type { Context, Session } from '../context.ts'
import type { Usage } from '@ipfsz/node/internal/dag/usage'
import type { PinRecordError } from '../errors.ts'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { CID } from 'multiformats/cid'

export interface DuCommandOptions {
  /** Whether to leave out the entries of directories. */
  summarize: boolean
}

/** A DAG to measure, and what the user calls it. */
interface Target {
  cid: CID
  name: string
}

/**
 * Print what files and directories take in the repo: original and stored size, each block counted once.
 *
 * @param texts - CIDs or names, with or without a path, or names of pins. By default all pins
 * @throws {UsageError} a text is none of these
 * @throws {NameError} a name cannot be resolved
 * @throws {IncompleteError} some of several cannot be measured; the reasons are printed
 */
export async function du (texts: readonly string[], options: DuCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const session = await openToRead(context)
  const unread: PinRecordError[] = []
  // of all pins, one line for each
  const summarize = options.summarize || texts.length === 0
  const targets = texts.length === 0
    ? await allPins(session, signal, unread)
    : await withTargets(texts, context, async found =>
      Promise.all(found.map(async target => findTarget(target, session, signal))))
  const progress = output.progress('measuring', undefined, 'block')
  const meter = new UsageMeter({
    blockstore: session.repo.blockstore,
    files: session.files,
    signal,
    onBlocks: counter(progress)
  })
  const usages: Usage[] = []
  let failed = unread.length

  output.heading([sizeHeading('ORIGINAL'), sizeHeading('STORED'), 'NAME'])

  try {
    for (const target of targets) {
      try {
        usages.push(await measure(target, meter, { summarize }, context))
      } catch (err) {
        if (signal.aborted || targets.length === 1 || !(err instanceof Error)) {
          throw err
        }

        output.error(`${target.name}: ${explain(err)}`, err)
        failed++
      }
    }
  } finally {
    progress.end()
  }

  const bases = usages.length === 0 ? sum([]) : await meter.addBases(targets[0].cid)

  if (bases.blocks > 0) {
    print('bases', undefined, bases, context)
    usages.push(bases)
  }

  const total = sum(usages)

  if (targets.length !== 1 || bases.blocks > 0) {
    print('total', undefined, total, context)
  }

  if (total.unknownSizes > 0) {
    output.note(
      `the original size of ${count(total.unknownSizes, 'file')}, compressed by another tool, is unknown: the stored ` +
        'size counts instead'
    )
  }

  reportPinRecords(unread, output)

  if (failed > 0) {
    const all = targets.length + unread.length

    throw new IncompleteError(`${failed} of ${all} could not be measured: see the errors above`)
  }
}

/** Measure and print a DAG, after the entries in it if it is a directory. */
async function measure (
  { cid, name }: Target,
  meter: UsageMeter,
  { summarize }: DuCommandOptions,
  context: Context
): Promise<Usage> {
  let total = sum([])

  for await (const entry of summarize ? [] : await meter.list(cid) ?? []) {
    const usage = await meter.add(entry.cid, entry.size)

    print(`${name}/${entry.name}`, entry.cid, usage, context)
    total = sum([total, usage])
  }

  // what belongs to no entry: the blocks of the directory itself
  total = sum([total, await meter.add(cid)])
  print(name, cid, total, context)

  return total
}

async function allPins ({ pins }: Session, signal: AbortSignal, unread: PinRecordError[]): Promise<Target[]> {
  const targets: Target[] = []

  for await (const { cid, name } of pins.ls(signal, err => { unread.push(err) })) {
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

function print (name: string, cid: CID | undefined, usage: Usage, { output }: Context): void {
  const { size, storedSize, blocks } = usage

  output.row(
    { cid: cid?.toString(), name, size, storedSize, blocks },
    [sizeCell(size), sizeCell(storedSize), printable(name)]
  )
}
