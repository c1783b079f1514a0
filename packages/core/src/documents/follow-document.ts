import { processorTime } from '@ipfsz/utils/event-loop'
import { quoteName } from '@ipfsz/utils/quote-name'
import { Type } from 'cborg'
import { InvalidDagError } from '../errors.ts'
import { decodeLink, documentTokens } from './document-tokens.ts'
import type { Token } from 'cborg'
import type { CID } from 'multiformats/cid'

/** Bytes that are looked at between two steps, 16 KiB: up to 16,384 items. */
const STEP_SIZE = 16 * 1024

/** Deeper documents are refused: few decoders support them. */
const MAX_DEPTH = 10_000

/**
 * Where names lead in a document: to a link, and how many of them lead to it; to nothing, and which one is missing; or
 * to a value that is no link.
 */
export type PathEnd = { cid: CID, used: number } | { missing: string } | 'value'

/** A list or map that has begun. */
interface Open {
  /** Items that are still to come. Infinite in JSON, where a token says that it ends. */
  left: number
  /** How many of its items have come. */
  count: number
  /** The keys of a map, to find one that comes twice. Undefined before the first one, and in a list. */
  keys?: Set<string>
  isMap: boolean
  /** The name that leads on from here, if the path leads here and no item with it has come. */
  wanted: string | undefined
}

/**
 * Follow names through the maps and lists of a DAG-CBOR or DAG-JSON document, up to the first link. Nothing is built of
 * it: what two million bytes decode to may take a hundred times as many. All of it is checked, also what is beside the
 * path.
 *
 * @param pause - called every few milliseconds, to let others go on, with the milliseconds of processing since the last
 *   time. It may throw
 * @throws {InvalidDagError} it is not valid
 */
export async function followDocument (
  cid: CID,
  block: Uint8Array,
  names: readonly string[],
  pause: (milliseconds: number) => Promise<void>
): Promise<PathEnd> {
  const steps = follow(cid, block, names)

  for (;;) {
    const began = processorTime()
    const { done, value } = nextStep(steps, cid)

    await pause(processorTime() - began)

    if (done === true) {
      return value
    }
  }
}

function nextStep (steps: Generator<undefined, PathEnd>, cid: CID): IteratorResult<undefined, PathEnd> {
  try {
    return steps.next()
  } catch (err) {
    throw new InvalidDagError(cid, 'cannot be decoded', { cause: err })
  }
}

function * follow (cid: CID, block: Uint8Array, names: readonly string[]): Generator<undefined, PathEnd> {
  const tokens = documentTokens(cid, block)
  const stack: Open[] = []
  let end: PathEnd | undefined
  let next = STEP_SIZE

  do {
    if (tokens.pos() >= next) {
      yield
      next = tokens.pos() + STEP_SIZE
    }

    const above = stack.at(-1)
    const token = tokens.next()
    const isEnd = token.type === Type.break

    if (isEnd && above?.left !== Infinity) {
      throw new Error('it has a break outside of lists and maps of unknown length')
    }

    if (!isEnd) {
      // the first item has no name, and is on every path
      const name = above == null ? undefined : nameOf(token, above)
      const isOnPath = above == null || (name != null && name === above.wanted)
      const item = above?.isMap === true ? tokens.next() : token

      if (item.type === Type.break) {
        throw new Error('it has a key without a value')
      }

      const left = lengthOf(item)
      const used = stack.length

      if (above != null) {
        above.left--
        above.count++
        above.wanted = isOnPath ? undefined : above.wanted
      }

      // of DAG-CBOR all links are checked, as its decoder does
      const isLink = item.type === Type.tag && (isOnPath || item.value instanceof Uint8Array)
      const link = isLink ? decodeLink(item) : undefined

      if (isOnPath && link != null) {
        end = { cid: link, used }
      } else if (isOnPath && used === names.length) {
        end = 'value'
      } else if (isOnPath && left == null) {
        end = { missing: names[used] }
      }

      if (left != null) {
        const wanted = isOnPath && end == null ? names[used] : undefined

        if (stack.push({ left, count: 0, isMap: item.type === Type.map, wanted }) > MAX_DEPTH) {
          throw new Error(`its lists and maps are more than ${MAX_DEPTH} deep`)
        }
      }
    }

    for (let open = stack.at(-1), ends = isEnd; open != null && (ends || open.left === 0); open = stack.at(-1)) {
      end = open.wanted == null ? end : { missing: open.wanted }
      stack.pop()
      ends = false
    }
  } while (stack.length > 0)

  if (!tokens.done()) {
    throw new Error('more bytes follow it')
  }

  return end ?? 'value'
}

/** The name of an item, by its first token. */
function nameOf (token: Token, above: Open): string {
  if (!above.isMap) {
    return String(above.count)
  }

  const name: unknown = token.type === Type.string ? token.value : undefined

  if (typeof name !== 'string') {
    throw new Error('it has a key that is not text')
  }

  above.keys ??= new Set()

  if (above.keys.size === above.keys.add(name).size) {
    throw new Error(`it has the key ${quoteName(name)} twice`)
  }

  return name
}

/** How many items are in an item. Undefined: it is neither a list nor a map. */
function lengthOf ({ type, value }: Token): number | undefined {
  return type === Type.array || type === Type.map ? Number(value) : undefined
}
