// Above 250 lines: the steps of the walk share its state, and nearly all of them change it.
import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { raceSignal } from 'race-signal'
import {
  DEFAULT_BLOCK_READ_CONCURRENCY,
  DEFAULT_FETCH_BYTES,
  MAX_OPEN_LINKS_SIZE,
  MAX_SMALL_BLOCKS_AHEAD,
  MIN_HELD_SIZE,
  SMALL_BLOCKS_AHEAD_SIZE
} from '../constants.ts'
import { InvalidDagError } from '../errors.ts'
import { checkConcurrency } from '../util/map-ordered.ts'
import { NO_LONGER_NEEDED } from '../util/no-longer-needed.ts'
import { getBlock } from './block.ts'
import type { Settled } from '@ipfsz/utils/map-ordered'
import type { FilePart, GetBlockOptions, GetStore } from './block.ts'
import type { Item, ItemList, Opened, ReadItem } from './items.ts'
import type { Held, Place, Span, Step } from './places.ts'

interface ReadAheadOptions extends GetBlockOptions {
  blockReadConcurrency?: number | undefined
  /** See `ReadOptions`. */
  readAhead?: boolean | undefined
  /** See `ReadOptions`. */
  onOpenLinks?: ((change: number) => void) | undefined
}

interface ReadAheadSteps<I, Node> {
  /** Decodes a node's block. What it throws is thrown when the node would be yielded. */
  open (item: I, block: Uint8Array): Opened<I, Node>
  /** Called before a block is requested. If it throws, the block is not fetched; the error is thrown in its turn. */
  check? (item: I): void
  /** Called when a leaf arrives. If it throws, the leaf is dropped, and the error is thrown in its turn. */
  checkLeaf? (item: I, block: Uint8Array): void
  /** Which bytes of a file a block holds. */
  part? (item: I): FilePart | undefined
}

/**
 * The items below a node, in order. Requests a bounded number of blocks ahead. Nodes are
 * decoded as they arrive, so that the leaves of the next node are requested before the last
 * leaf of this one is yielded.
 *
 * Everything held counts against a budget of bytes: blocks that wait to be yielded, decoded
 * nodes, and the links of open nodes. A block that turns out larger than its parent states,
 * and for which there is no room, is dropped and fetched again in its turn. So the walk holds
 * at most the blockstore's `readAheadBytes`, plus the links of the nodes above the current
 * block (at most `MAX_OPEN_LINKS_SIZE`) and the current block itself.
 *
 * @throws {InvalidDagError} the nodes above a block have too many links to be held
 */
export async function * readAhead<I extends Item, Node> (
  items: ItemList<I>,
  { open, check, checkLeaf, part }: ReadAheadSteps<I, Node>,
  blockstore: GetStore,
  options: ReadAheadOptions
): AsyncGenerator<ReadItem<I, Node>> {
  const { readAhead: isAhead = true } = options
  const concurrency = isAhead ? options.blockReadConcurrency ?? DEFAULT_BLOCK_READ_CONCURRENCY : 1
  const { readAheadBytes: budget = DEFAULT_FETCH_BYTES } = blockstore
  checkConcurrency(concurrency)

  const done = new AbortController()
  const blockOptions = { ...options, until: done.signal }
  let head: Place<I, Node> | undefined
  let blocks = 0
  /** How many blocks have been yielded. A caller that only looks at the first ones gets few read ahead. */
  let taken = 0
  let bytes = 0
  /** Bytes of the links of nodes that have been yielded. */
  let linkBytes = 0

  const insert = (held: Held<I>, after?: Place<I, Node>): void => {
    if (held.list.length > 0) {
      bytes += held.list.byteLength
      held.spans++
      const span = { held, index: 0, end: held.list.length, next: after == null ? head : after.next }

      if (after == null) {
        head = span
      } else {
        after.next = span
      }
    }
  }

  const enter = (held: Held<I>, { cid }: Pick<Item, 'cid'>): void => {
    if (held.spans > 0) {
      held.entered = true
      linkBytes += held.list.byteLength
      options.onOpenLinks?.(held.list.byteLength)

      if (linkBytes > MAX_OPEN_LINKS_SIZE) {
        throw new InvalidDagError(cid, `and the nodes above it have more than ${MAX_OPEN_LINKS_SIZE} bytes of links`)
      }
    }
  }

  const leave = (held: Held<I>): void => {
    if (--held.spans === 0) {
      bytes -= held.list.byteLength

      if (held.entered) {
        linkBytes -= held.list.byteLength
        options.onOpenLinks?.(-held.list.byteLength)
      }
    }
  }

  const mayStart = (size: number): boolean => {
    const after = bytes + Math.max(size, MIN_HELD_SIZE)

    if (after > budget || blocks < concurrency || options.blockReadConcurrency != null || !isAhead) {
      return after <= budget && blocks < concurrency
    }

    // from peers, as many as fit into the budget
    return blockstore.fetches?.() === true ||
      (blocks < Math.min(concurrency + taken / 8, MAX_SMALL_BLOCKS_AHEAD) && after <= SMALL_BLOCKS_AHEAD_SIZE)
  }

  const count = (step: Step<I, Node>, length: number): void => {
    const size = Math.max(length, MIN_HELD_SIZE)
    bytes += size - (step.counted ? step.size : 0)
    blocks += step.counted ? 0 : 1
    Object.assign(step, { size, counted: true, blocked: true })
  }

  const release = (step: Step<I, Node>): void => {
    if (step.counted) {
      bytes -= step.size
      blocks -= step.blocked ? 1 : 0
      step.counted = false
    }
  }

  /** Decode a node, if there is room for it or `must` is set. */
  const openNode = (step: Step<I, Node>, block: Uint8Array, must: boolean): boolean => {
    const { node, byteLength, items: list } = open(step.item, block)

    if (!must && bytes - step.size + byteLength + list.byteLength > budget) {
      return false
    }

    const held = { list, spans: 0, entered: false }
    count(step, byteLength)
    insert(held, step)
    step.opened = { node, held }

    if (list.nextBlock(0) < list.length) {
      // it no longer counts as a block: those below it are read instead
      step.blocked = false
      blocks--
    }

    return true
  }

  const arrive = (step: Step<I, Node>, block: Uint8Array): Uint8Array | undefined => {
    const { item } = step

    if (item.use === 'leaf') {
      checkLeaf?.(item, block)
    }

    count(step, block.byteLength)

    if (item.use === 'node' && step !== head && openNode(step, block, false)) {
      return undefined
    }

    if (bytes > budget && step !== head) {
      release(step)
      step.result = undefined
    }

    return step.result == null ? undefined : block
  }

  const start = (step: Step<I, Node>): void => {
    count(step, step.size)

    step.result = settle(async () => {
      check?.(step.item)
      const { cid, size } = step.item
      const block = await getBlock(cid, blockstore, { ...blockOptions, expectedSize: size, part: part?.(step.item) })

      if (done.signal.aborted) {
        return undefined
      }

      try {
        return arrive(step, block)
      } finally {
        fill()
      }
    }, undefined)
  }

  const fill = (): void => {
    let before: Place<I, Node> | undefined

    for (let place = head; place != null; before = place, place = place.next) {
      if ('item' in place) {
        if (place.result == null) {
          if (place !== head && !mayStart(place.size)) {
            return
          }

          start(place)
        }

        continue
      }

      const { held, index, end } = place
      const wanted = Math.min(held.list.nextBlock(index), end)

      if (wanted === end) {
        continue
      }

      const item = held.list.at(wanted)

      if ((before != null || wanted > index) && !mayStart(item.size)) {
        return
      }

      place = split(place, wanted, item, before)
      start(place)
    }
  }

  /** Cut an item out of its span, and return a step for it. */
  const split = (span: Span<I, Node>, wanted: number, item: I, before: Place<I, Node> | undefined): Step<I, Node> => {
    const { held, index, end, next } = span
    const step: Step<I, Node> = { item, size: item.size, counted: false, blocked: false, next }

    if (wanted + 1 < end) {
      held.spans++
      step.next = { held, index: wanted + 1, end, next }
    }

    if (wanted > index) {
      span.end = wanted
      span.next = step
    } else {
      if (before == null) {
        head = step
      } else {
        before.next = step
      }

      leave(held)
    }

    return step
  }

  const root = { list: items, spans: 0, entered: false }
  insert(root)

  try {
    for (fill(); head != null; fill()) {
      if (!('item' in head)) {
        const span: Span<I, Node> = head
        const wanted = Math.min(span.held.list.nextBlock(span.index), span.end)

        while (span.index < wanted) {
          yield { item: span.held.list.at(span.index++) }
        }

        // while these were yielded, blocks may have arrived and the span may have been split
        if (head === span && span.index === span.end) {
          head = span.next
          leave(span.held)
        }

        continue
      }

      const step: Step<I, Node> = head
      const block = unwrap(await raceSignal(step.result as Promise<Settled<Uint8Array | undefined>>, options.signal))

      if (step.item.use === 'node' && step.opened == null && block != null) {
        openNode(step, block, true)
      }

      if (step.opened != null) {
        enter(step.opened.held, step.item)
      }

      release(step)
      taken++
      head = step.next

      if (isAhead) {
        fill()
      }

      const { item, opened } = step
      yield opened == null ? { item, ...block == null ? {} : { block } } : { item, node: opened.node }
    }
  } finally {
    done.abort(NO_LONGER_NEEDED)
    options.onOpenLinks?.(-linkBytes)
  }
}
