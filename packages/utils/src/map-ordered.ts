import { raceSignal } from 'race-signal'
import { EventLoopBreaks } from './event-loop.ts'

export interface MapOrderedOptions {
  /** Maximum number of values in progress, including results that wait to be taken. At least 1. */
  concurrency: number
  signal?: AbortSignal | null | undefined
}

/** The outcome of a promise that is awaited later. */
export type Settled<R> = { value: R } | { error: unknown }

/**
 * Map the values of a source, several at a time, and yield the results in the source's order. A
 * finished result is yielded without waiting for the source, which may itself wait for it.
 *
 * Work begins when the first result is requested. Memory is bounded: at most `concurrency`
 * values are taken from the source before their results are taken from here. The source is
 * closed when the results end, fail, or are abandoned.
 *
 * (it-parallel takes no signal, and if its source fails, it drops the results of the values
 * before the failure.)
 */
export async function * mapOrdered<T, R> (
  source: AsyncIterable<T> | Iterable<T>,
  map: (value: T) => R | Promise<R>,
  { concurrency, signal }: MapOrderedOptions
): AsyncGenerator<R> {
  const iterator = iterate(source)
  const running: Array<Promise<Settled<R>>> = []
  let pulling: Promise<void> | undefined
  let ended = false
  let abandoned = false

  // an error of the source keeps its place: the results before it are yielded first
  const pull = async (): Promise<void> => {
    try {
      const next = await iterator.next()

      if (next.done === true) {
        ended = true
      } else if (!abandoned) {
        running.push(settle(map, next.value))
      }
    } catch (error) {
      ended = true
      running.push(Promise.resolve({ error }))
    }
  }

  const breaks = new EventLoopBreaks()

  try {
    for (;;) {
      if (breaks.isDue()) {
        await breaks.take()
      }

      signal?.throwIfAborted()

      if (pulling == null && !ended && running.length < concurrency) {
        pulling = pull()
      }

      if (pulling == null && running.length === 0) {
        return
      }

      // wait for whichever is first: another value, or the next result
      const head = running[0]
      const first = await raceSignal(Promise.race([
        ...pulling == null ? [] : [pulling.then(() => 'pulled' as const)],
        ...head == null ? [] : [head.then(() => 'finished' as const)]
      ]), signal)

      if (first === 'pulled') {
        pulling = undefined
        continue
      }

      running.shift()
      yield unwrap(await head)
    }
  } finally {
    abandoned = true
    // not awaited, because a stalled source would block the caller
    close(iterator).catch(() => {})
  }
}

async function close (iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.()
}

function iterate<T> (source: AsyncIterable<T> | Iterable<T>): AsyncIterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : fromSync(source)[Symbol.asyncIterator]()
}

async function * fromSync<T> (source: Iterable<T>): AsyncGenerator<T> {
  yield * source
}

/** Catch an error for later, so that it is never an unhandled rejection. */
export async function settle<T, R> (map: (value: T) => R | Promise<R>, value: T): Promise<Settled<R>> {
  try {
    return { value: await map(value) }
  } catch (error) {
    return { error }
  }
}

export function unwrap<R> (settled: Settled<R>): R {
  if ('error' in settled) {
    throw settled.error
  }

  return settled.value
}
