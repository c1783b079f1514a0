import * as dagPb from '@ipld/dag-pb'
import { raceSignal } from '../abort.ts'
import { DEFAULT_BLOCK_READ_CONCURRENCY, MAX_DAG_DEPTH, MAX_KNOWN_BLOCKS, NODE_SIZE_GUESS } from '../constants.ts'
import { checkConcurrency, settle, unwrap } from '../map-ordered.ts'
import { getBlock } from './block.ts'
import type { Settled } from '../map-ordered.ts'
import type { GetStore } from './block.ts'
import type { ReadOptions } from './read.ts'
import type { CID } from 'multiformats/cid'

/** A block of a file, known from the node above it. */
export interface Child {
  cid: CID
  /** Bytes of the file in and below it. */
  size: number
  /** Where in the file it begins. */
  position: number
  /** Levels below the root. */
  depth: number
}

/** A child with its block, and the children below it that are in the range. */
export interface ReadBlock<Node> {
  child: Child
  block: Uint8Array
  /** Set where it is a node. */
  node?: Node
}

/** What becomes of a node's block. */
export interface Expansion<Node> {
  node: Node
  children: Child[]
}

interface Step<Node> {
  child: Child
  /** Bytes that it counts for, until it is taken. */
  size: number
  result?: Promise<Settled<Uint8Array>>
  block?: Uint8Array
  node?: Node
  counted: boolean
  next: Step<Node> | undefined
}

/**
 * The blocks below a node, in the order of the file, a bounded number of them asked for
 * before their turn. Nodes are looked into as they arrive, so that the leaves below the
 * next of them are asked for before the last leaf of this one has been taken.
 *
 * @param expand - decodes a node's block; it throws when its turn has come, and is asked again then
 */
export async function * readAhead<Node> (children: readonly Child[], expand: (child: Child, block: Uint8Array) => Expansion<Node>, blockstore: GetStore, options: ReadOptions): AsyncGenerator<ReadBlock<Node>> {
  checkConcurrency(options.blockReadConcurrency ?? DEFAULT_BLOCK_READ_CONCURRENCY)

  const done = new AbortController()
  const blockOptions = { ...options, until: done.signal }
  let head: Step<Node> | undefined
  let known = 0
  let blocks = 0
  let bytes = 0

  const insert = (children: readonly Child[], after?: Step<Node>): void => {
    let next = after == null ? head : after.next

    for (const child of children.toReversed()) {
      next = { child, size: child.cid.code === dagPb.code ? NODE_SIZE_GUESS : child.size, counted: false, next }
    }

    known += children.length

    if (after == null) {
      head = next
    } else {
      after.next = next
    }
  }

  const mayStart = (size: number): boolean => {
    const { blockReadConcurrency } = options

    return blocks < (blockReadConcurrency ?? DEFAULT_BLOCK_READ_CONCURRENCY) ||
      // as far as a link of others needs it
      (blockReadConcurrency == null && bytes + size <= (blockstore.ahead?.() ?? 0))
  }

  const release = (step: Step<Node>): void => {
    if (step.counted) {
      step.counted = false
      blocks--
      bytes -= step.size
    }
  }

  const open = (step: Step<Node>, block: Uint8Array): void => {
    const { node, children } = expand(step.child, block)

    step.node = node
    insert(children, step)
  }

  const start = (step: Step<Node>): void => {
    step.counted = true
    blocks++
    bytes += step.size
    const { cid, depth } = step.child
    const expectedSize = cid.code === dagPb.code ? undefined : step.child.size

    step.result = settle(async () => {
      const block = await getBlock(cid, blockstore, { ...blockOptions, expectedSize })
      step.block = block

      if (cid.code === dagPb.code && step !== head && !done.signal.aborted && known < MAX_KNOWN_BLOCKS && depth < MAX_DAG_DEPTH) {
        try {
          open(step, block)
        } catch {
          // it is told when its turn has come
          return block
        }

        release(step)
        fill()
      }

      return block
    }, undefined)
  }

  const fill = (): void => {
    for (let step = head; step != null; step = step.next) {
      if (step.result == null) {
        if (!mayStart(step.size)) {
          return
        }

        start(step)
      }
    }
  }

  insert(children)

  try {
    while (head != null) {
      fill()
      const step: Step<Node> = head
      const block = unwrap(await raceSignal(step.result as Promise<Settled<Uint8Array>>, options.signal))

      release(step)

      if (step.child.cid.code === dagPb.code && step.node == null) {
        open(step, block)
      }

      head = step.next
      known--
      fill()

      yield { child: step.child, block, ...step.node == null ? {} : { node: step.node } }
    }
  } finally {
    done.abort()
  }
}
