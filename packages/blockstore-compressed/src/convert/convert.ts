import { equals } from 'multiformats/bytes'
import { CustomProgressEvent } from 'progress-events'
import { checkChild } from '../child.ts'
import { DEFAULT_CONVERT_CONCURRENCY } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'
import { makeValue, plainValue } from '../value/make-value.ts'
import { findEnvelope, readValue } from '../value/read-value.ts'
import { resolveSettings } from '../settings.ts'
import { walk } from './walk.ts'
import { writeInTurn } from '../writing.ts'
import type { ConvertEvents, ConvertOutcome, ConvertProgress } from '../events.ts'
import type { WriteInit } from '../init.ts'
import type { Value } from '../value/make-value.ts'
import type { Block } from '../value/read-value.ts'
import type { Settings } from '../settings.ts'
import type { StoredValue } from './walk.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface ConvertOptions extends WriteInit, ProgressOptions<ConvertEvents> {
  /**
   * Compress again what is stored with the codec already, as with another level. Such
   * a conversion begins at the beginning where it is run again.
   *
   * @default false
   */
  again?: boolean | undefined

  /**
   * How many blocks are read, compressed and written at one time.
   *
   * @default 4
   */
  concurrency?: number | undefined

  signal?: AbortSignal | undefined
}

/** Blocks by what became of them, and bytes of all values before and after. */
export interface ConvertReport extends Record<ConvertOutcome, number> {
  /** All blocks: converted, unchanged and unreadable. */
  blocks: number
  /** Stored bytes before. */
  storedSizeBefore: number
  /** Stored bytes after. */
  storedSize: number
}

type ConvertStore = Pick<Blockstore, 'getAll' | 'has' | 'put'>

interface Converted extends ConvertProgress {
  storedSizeBefore: number
}

/**
 * Rewrite every block of a store in place: compressed with another codec, or as it is
 * with the codec `none`, which leaves a store that needs no wrapper any more: nothing
 * has an envelope then. What is compressed so already, or does not gain, stays.
 *
 * A block is compared with its hash before anything is written, and what is to be
 * written is read back first. The child replaces one value by another, so it may be
 * killed at any moment where that is atomic, as in the file system, LevelDB, IndexedDB
 * and S3. Run it again, and it goes on with what is left. Meanwhile the store may be
 * read and written, in this process; a block that is deleted just then may come back.
 *
 * A block that is damaged, or of which the codec or the hash function is not known, is
 * left as it is and reported as unreadable. What has the codec already is not looked
 * into.
 *
 * @param child - the store itself, not the CompressedBlockstore around it
 *
 * @throws {InvalidParametersError}
 * @throws {InvalidLevelError}
 * @throws {UnknownCodecError}
 */
export async function convert (child: ConvertStore, options: ConvertOptions = {}): Promise<ConvertReport> {
  const { again = false, concurrency = DEFAULT_CONVERT_CONCURRENCY, signal } = options
  const settings = resolveSettings({ ...options, verify: 'hash' })
  const report: ConvertReport = { blocks: 0, converted: 0, unchanged: 0, unreadable: 0, storedSizeBefore: 0, storedSize: 0 }

  checkChild(child, ['getAll', 'has', 'put'])

  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new InvalidParametersError(`concurrency is a whole number from 1, not ${concurrency}`)
  }

  const running = new Set<Promise<Converted>>()
  const stop = new AbortController()
  const either = AbortSignal.any([stop.signal, ...signal == null ? [] : [signal]])

  const visit = async (stored: StoredValue): Promise<Converted> => {
    const converting = convertValue(child, stored, settings, again, either)
    running.add(converting)

    try {
      return await converting
    } finally {
      running.delete(converting)
    }
  }

  try {
    for await (const { storedSizeBefore, ...progress } of walk(child, visit, { ...settings, concurrency, signal })) {
      report.blocks++
      report[progress.outcome]++
      report.storedSizeBefore += storedSizeBefore
      report.storedSize += progress.storedSize
      options.onProgress?.(new CustomProgressEvent('ipfsz:blockstore:convert', progress))
    }
  } finally {
    // nothing is written any more when this has failed: the store may be closed then
    stop.abort()
    await Promise.allSettled(running)
  }

  return report
}

async function convertValue (child: ConvertStore, { cid, value }: StoredValue, settings: Settings, again: boolean, signal: AbortSignal): Promise<Converted> {
  if (!(value instanceof Uint8Array)) {
    return { cid, outcome: 'unreadable', storedAs: undefined, storedSize: value.size, storedSizeBefore: value.size, error: value }
  }

  const storedSizeBefore = value.byteLength
  let block: Block

  try {
    if (!again && await isDone(cid, value, settings)) {
      return { cid, outcome: 'unchanged', storedAs: settings.writer?.codec.name ?? 'none', storedSize: storedSizeBefore, storedSizeBefore }
    }

    block = await readValue(cid, value, { ...settings, signal })
  } catch (error) {
    signal.throwIfAborted()

    return { cid, outcome: 'unreadable', storedAs: undefined, storedSize: storedSizeBefore, storedSizeBefore, error }
  }

  // the hash tells a plain block from an envelope, so none is wrapped on the way back
  const made = settings.writer == null ? plainValue(block.bytes) : await makeValue(cid, block.bytes, settings, signal)

  if (equals(made.bytes, value)) {
    return { cid, outcome: 'unchanged', storedAs: made.storedAs, storedSize: storedSizeBefore, storedSizeBefore }
  }

  await readValue(cid, made.bytes, { ...settings, signal })
  signal.throwIfAborted()
  const written = await write(child, cid, made, signal)

  // a batch that writes the block at this moment decides what it is stored as
  return { cid, outcome: written === made ? 'converted' : 'unchanged', storedAs: written.storedAs, storedSize: written.bytes.byteLength, storedSizeBefore }
}

/** What has begun is waited for, also after an abort. */
async function write (child: ConvertStore, cid: CID, made: Value, signal: AbortSignal): Promise<Value> {
  try {
    const { value } = await writeInTurn(child, cid, made, async bytes => child.put(cid, bytes, { signal }), signal)

    return value
  } catch (err) {
    signal.throwIfAborted()
    throw err
  }
}

/** Whether a value is stored with the codec that is asked for. Blocks that are stored as they are may still gain. */
async function isDone (cid: CID, value: Uint8Array, settings: Settings): Promise<boolean> {
  const { writer } = settings

  return writer != null && (await findEnvelope(cid, value, settings))?.code === writer.codec.code
}
