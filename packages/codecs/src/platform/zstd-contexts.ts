/* oxlint-disable no-underscore-dangle -- the names of Node */
import { isMainThread } from 'node:worker_threads'
import zlib from 'node:zlib'
import { compressIn, isSame, keep } from '@ipfsz/utils/zstd-kept'
import { compressInTask, taskStream } from './zstd-task.ts'
import type { Kept } from '@ipfsz/utils/zstd-kept'
import type { TaskStream } from './zstd-task.ts'

/**
 * How many contexts are kept: those of all dictionaries that a tree's files are compressed with at a time. With a
 * dictionary of 512 KiB, each takes 3 MB. Worker threads get files with the same dictionary one after the other.
 */
const MAX_CONTEXTS = isMainThread ? 16 : 6

/** How long they are kept after the last use, in milliseconds. */
const IDLE_TIME = 5000

/** A context of libzstd that is used again, with a dictionary in its tables or none. */
interface Context {
  /** A copy: the caller may use its memory for something else. */
  dictionary: Uint8Array | undefined
  key: string
  stream: TaskStream
  kept: Kept | undefined
  /** Whether it compresses on the thread pool. */
  isBusy: boolean
}

/** Those that were used last, at the end. */
let contexts: Context[] = []

/** Whether what these contexts make is what zlib's own function makes, tried once. */
let areSame: boolean | undefined

let timer: NodeJS.Timeout | undefined

/**
 * Compress with a dictionary on the calling thread, in a context that has it in its tables already: for 1 kB and a
 * dictionary of 512 KiB, zlib's own function takes 3 ms, as it fills them anew, and this one 40 µs. The frame is the
 * same.
 *
 * In a context that was used before, libzstd salts hashes of tables of rows with another number. The salt is combined
 * with a hash by exclusive or: rows change places, and each holds the same positions in the same order.
 *
 * @param bytes - of at most the window
 * @returns undefined if the streams of this runtime are made in another way
 */
export function zstdCompressKeptDictionary (
  bytes: Uint8Array,
  dictionary: Uint8Array,
  params: Record<number, number>
): Uint8Array | undefined {
  const context = contextOf(dictionary, params)
  const frame = compressIn(context?.kept, bytes)

  if (frame == null && context != null) {
    // it may be amid a frame
    forget(context)
  }

  return frame
}

/** The same on the thread pool, with a dictionary or without one. */
export function zstdKeptInTask (
  bytes: Uint8Array,
  dictionary: Uint8Array | undefined,
  params: Record<number, number>
): Promise<Uint8Array> | undefined {
  const context = contextOf(dictionary, params)

  if (typeof context?.stream._processChunk !== 'function') {
    return undefined
  }

  context.isBusy = true

  return compressInTask(context.stream, bytes).then(frame => {
    context.isBusy = false

    return frame
  }, err => {
    forget(context)
    throw err
  })
}

function forget (context: Context): void {
  contexts = contexts.filter(other => other !== context)
}

/** A context that nobody uses. Undefined if they do not make what zlib's own function makes. */
function contextOf (dictionary: Uint8Array | undefined, params: Record<number, number>): Context | undefined {
  areSame ??= tryContexts(params)

  if (!areSame) {
    return undefined
  }

  const key = JSON.stringify(params)
  const found = contexts.findLast(context =>
    !context.isBusy && context.key === key && isDictionary(context, dictionary))
  const context = found ?? makeContext(dictionary?.slice(), key, params)

  if (contexts.at(-1) !== context) {
    contexts = [...contexts.filter(other => other !== context).slice(1 - MAX_CONTEXTS), context]
  }

  timer = timer?.refresh() ?? setTimeout(() => { contexts = [] }, IDLE_TIME).unref()

  return context
}

function isDictionary ({ dictionary }: Context, wanted: Uint8Array | undefined): boolean {
  return dictionary == null || wanted == null ? dictionary === wanted : isSame(dictionary, wanted)
}

function makeContext (
  dictionary: Uint8Array | undefined,
  key: string,
  params: Record<number, number>
): Context {
  const stream = taskStream({ params, ...dictionary == null ? {} : { dictionary } })

  return { dictionary, key, stream, kept: keep(stream), isBusy: false }
}

/** In other runtimes, frames may have no content size, or dictionaries be forgotten after the first frame. */
function tryContexts (params: Record<number, number>): boolean {
  const dictionary = Uint8Array.from({ length: 1024 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 13)
  const samples = [dictionary.subarray(100, 400), dictionary.subarray(500, 1000)]
  const kept = keep(taskStream({ params, dictionary }))

  return samples.every(bytes => {
    const expected = zlib.zstdCompressSync(bytes, { pledgedSrcSize: bytes.byteLength, params, dictionary })

    return isSame(expected, compressIn(kept, bytes))
  })
}
