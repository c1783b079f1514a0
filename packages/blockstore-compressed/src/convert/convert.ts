// Room: re-encodes blocks that are stored already.
import { allCodecs } from '@ipfsz/codecs/all'
import { equals } from 'multiformats/bytes'
import { CustomProgressEvent } from 'progress-events'
import { checkInner } from '../check-inner.ts'
import { DEFAULT_CONVERT_CONCURRENCY } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'
import { makeValue, plainValue } from '../value/make-value.ts'
import { findEnvelope, readValue } from '../value/read-value.ts'
import { resolveSettings } from '../value/settings.ts'
import { walk } from './walk.ts'
import { writeExclusive } from '../block-writes.ts'
import type { ConvertEvents, ConvertOutcome, ConvertProgress } from '../events.ts'
import type { WriteInit } from '../init.ts'
import type { Value } from '../value/make-value.ts'
import type { Block } from '../value/read-value.ts'
import type { Settings } from '../value/settings.ts'
import type { StoredValue } from './walk.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface ConvertOptions extends WriteInit, ProgressOptions<ConvertEvents> {
  /**
   * Recompress blocks that already have the codec, for example at another level. An
   * interrupted conversion then starts from the first block when you run it again.
   *
   * @default false
   */
  again?: boolean | undefined

  /**
   * How many blocks to read, compress and write at a time.
   *
   * @default 4
   */
  concurrency?: number | undefined

  signal?: AbortSignal | undefined
}

/** How many blocks had each outcome, and the stored bytes of all of them. */
export interface ConvertReport extends Record<ConvertOutcome, number> {
  /** All blocks: `converted`, `unchanged` and `unreadable`. */
  blocks: number
  /** Bytes stored before. */
  storedSizeBefore: number
  /** Bytes stored after. */
  storedSize: number
}

type ConvertStore = Pick<Blockstore, 'getAll' | 'has' | 'put'>

interface Converted extends ConvertProgress {
  storedSizeBefore: number
}

/**
 * Rewrite every block of a store in place, compressed with another codec. The codec `none`
 * removes all envelopes, so the store works without a CompressedBlockstore afterwards.
 * Blocks that have the codec already, or would not shrink, stay as they are.
 *
 * Before it writes, it verifies the block against its CID and decodes the new value again.
 * It may be killed at any moment if the store replaces values atomically, as file systems,
 * LevelDB, IndexedDB and S3 do: run it again and it goes on with the rest. This process may
 * read and write the store meanwhile; a block deleted during its conversion may come back.
 *
 * Damaged blocks, and blocks with an unknown codec or hash function, stay as they are and
 * are reported as unreadable. Blocks that have the codec already are not verified.
 *
 * @param inner - the inner store, not the CompressedBlockstore around it
 *
 * @throws {InvalidParametersError}
 * @throws {InvalidLevelError}
 * @throws {UnknownCodecError}
 */
export async function convert (inner: ConvertStore, options: ConvertOptions = {}): Promise<ConvertReport> {
  const { again = false, codecs = allCodecs(), concurrency = DEFAULT_CONVERT_CONCURRENCY, signal } = options
  const settings = resolveSettings({ ...options, codecs, verify: 'hash' })
  const report: ConvertReport = {
    blocks: 0,
    converted: 0,
    unchanged: 0,
    unreadable: 0,
    storedSizeBefore: 0,
    storedSize: 0
  }

  checkInner(inner, ['getAll', 'has', 'put'])

  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new InvalidParametersError(`concurrency must be a whole number of at least 1, not ${concurrency}`)
  }

  const running = new Set<Promise<Converted>>()
  const stop = new AbortController()
  const either = AbortSignal.any([stop.signal, ...signal == null ? [] : [signal]])

  const visit = async (stored: StoredValue): Promise<Converted> => {
    const converting = convertValue(inner, stored, { ...settings, again, signal: either })
    running.add(converting)

    try {
      return await converting
    } finally {
      running.delete(converting)
    }
  }

  try {
    for await (const { storedSizeBefore, ...progress } of walk(inner, visit, { ...settings, concurrency, signal })) {
      report.blocks++
      report[progress.outcome]++
      report.storedSizeBefore += storedSizeBefore
      report.storedSize += progress.storedSize
      options.onProgress?.(new CustomProgressEvent('ipfsz:blockstore:convert', progress))
    }
  } finally {
    // the caller may close the store once this has failed: nothing may still be writing to it
    stop.abort()
    await Promise.allSettled(running)
  }

  return report
}

async function convertValue (
  inner: ConvertStore,
  { cid, value }: StoredValue,
  settings: Settings & { again: boolean, signal: AbortSignal }
): Promise<Converted> {
  const { again, signal } = settings
  const storedSizeBefore = value instanceof Uint8Array ? value.byteLength : value.size
  const same = { cid, storedSize: storedSizeBefore, storedSizeBefore }

  if (!(value instanceof Uint8Array)) {
    return { ...same, outcome: 'unreadable', storedAs: undefined, error: value }
  }

  let block: Block

  try {
    if (!again && await isDone(cid, value, settings)) {
      return { ...same, outcome: 'unchanged', storedAs: settings.writer?.codec.name ?? 'none' }
    }

    block = await readValue(cid, value, settings)
  } catch (error) {
    signal.throwIfAborted()

    return { ...same, outcome: 'unreadable', storedAs: undefined, error }
  }

  // with no codec, every block is stored without an envelope: if it happens to begin like one,
  // its hash shows that it is not
  const made = settings.writer == null ? plainValue(block.bytes) : await makeValue(cid, block.bytes, settings, signal)

  if (equals(made.bytes, value)) {
    return { ...same, outcome: 'unchanged', storedAs: made.storedAs }
  }

  await readValue(cid, made.bytes, settings)
  signal.throwIfAborted()
  const written = await write(inner, cid, made, signal)

  return {
    cid,
    // if a batch is writing the same block at this moment, its value wins
    outcome: written === made ? 'converted' : 'unchanged',
    storedAs: written.storedAs,
    storedSize: written.bytes.byteLength,
    storedSizeBefore
  }
}

/** Waits for a write that has begun, even if it is aborted. */
async function write (inner: ConvertStore, cid: CID, made: Value, signal: AbortSignal): Promise<Value> {
  try {
    const put = async (bytes: Uint8Array): Promise<unknown> => inner.put(cid, bytes, { signal })
    const { value } = await writeExclusive(inner, { cid, value: made }, put, signal)

    return value
  } catch (err) {
    signal.throwIfAborted()
    throw err
  }
}

/** Whether a value has the wanted codec already. A plain block never counts: it may still shrink. */
async function isDone (cid: CID, value: Uint8Array, settings: Settings): Promise<boolean> {
  const { writer } = settings

  return writer != null && (await findEnvelope(cid, value, settings))?.code === writer.codec.code
}
