import { firstOf } from '../util/first-of.ts'
import { isRefusal } from './source.ts'
import type { BlockSource, SourceBlock, SourceOptions } from './source.ts'
import type { CID } from 'multiformats/cid'

interface Outcome {
  source: BlockSource
  block?: SourceBlock
  err?: unknown
}

interface Answer {
  source: BlockSource
  block: SourceBlock
  /** Whether a source that was asked before has not answered. */
  hasOvertaken: boolean
}

/**
 * Ask one source after the other until one sends the block. The others are asked until the signal aborts.
 *
 * @param pause - milliseconds after which the next source is asked too. Undefined: once the one before has failed
 * @throws {Error} that of the last source, if none has it, or of one that says more than that; or an error that is no
 *   refusal
 */
export async function askSources (
  sources: readonly BlockSource[],
  cid: CID,
  options: SourceOptions,
  pause: number | undefined
): Promise<Answer> {
  const waiting = [...sources]
  const running = new Map<BlockSource, Promise<Outcome>>()
  let failure: unknown
  let isTime = true

  for (;;) {
    const next = isTime ? waiting.shift() : undefined

    if (next != null) {
      running.set(next, ask(next, cid, options))
    }

    if (running.size === 0) {
      throw failure
    }

    const outcome = await firstOf([...running.values()], waiting.length === 0 ? undefined : pause, options.signal)
    isTime = outcome?.block == null

    if (outcome == null) {
      continue
    }

    const { source, block, err } = outcome
    const [first] = running.keys()
    running.delete(source)

    if (block != null) {
      return { source, block, hasOvertaken: source !== first }
    }

    options.signal.throwIfAborted()

    if (!isRefusal(err)) {
      // it ends the read, unless one that is asked already has the block
      waiting.length = 0
    }

    failure = failure == null || (isRefusal(failure) && saysMore(err)) ? err : failure
  }
}

async function ask (source: BlockSource, cid: CID, options: SourceOptions): Promise<Outcome> {
  try {
    return { source, block: await source.fetch(cid, options) }
  } catch (err) {
    return { source, err }
  }
}

/** Whether an error says more than that a source does not have the block. */
function saysMore (err: unknown): boolean {
  return (err as Error | undefined)?.name !== 'NotFoundError'
}
