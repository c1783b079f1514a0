import { describeDag, getBlock, keyOf } from '../ipfs/dag.ts'
import { readBlob, readRange, streamRange } from '../ipfs/read.ts'
import { fileActions } from './actions.ts'
import { DagPicture } from './dag-picture.ts'
import { announce, copyable, formatBytes, formatPercent, h, inform } from './dom.ts'
import { decodePart, HEAD_SIZE, hexDump, preview, previewTitle } from './preview.ts'
import { RangeBar } from './range-bar.ts'
import type { App } from './app.ts'
import type { Light, Picked } from './dag-picture.ts'
import type { Range } from './range-bar.ts'
import type { FileDag } from '../ipfs/dag.ts'
import type { ReadResult } from '../ipfs/read.ts'
import type { Stats } from '@ipfsz/core'

export interface FileViewInit {
  app: App
  /** The link of what is shown, after the # of the page's address. */
  link: () => string
  name: string
  stats: Stats
  /** Aborted when something else is shown. */
  signal: AbortSignal
}

/** The most bytes of a range that are shown. */
const SHOWN = 4096

/** What is shown of a file or folder: what it holds first, and how it is stored last. */
export interface View {
  preview: HTMLElement[]
  actions: HTMLElement
  structure: HTMLElement[]
}

export async function showFile (init: FileViewInit): Promise<View> {
  const { app, stats, name, signal } = init
  // by the file's own CID, not by the path: the folders above are not its blocks
  const cid = stats.markedCid ?? stats.plainCid
  const size = Number(stats.size)
  const stored = await describeDag(app.source(), stats.plainCid, signal)
  // a plain CID reads the stored bytes, even if the root has a header
  const dag = stats.frameSize == null ? { ...stored, frames: [] } : stored
  const block = h('div', { class: 'block' })
  const part = h('div', { class: 'part' }, h('p', { class: 'note' }, 'Drag over the bar to read a part of the file.'))
  const nextPick = oneAfterTheOther(signal)
  const nextRange = oneAfterTheOther(signal)
  const picture = new DagPicture({
    dag,
    size,
    frameSize: stats.frameSize ?? 1,
    onPick: picked => {
      const signal = nextPick()

      inform(block, async () => describePicked(picked, dag, { app, signal }), signal)
    }
  })
  const bar = new RangeBar(size, range => {
    const signal = nextRange()

    inform(part, async () => {
      const begin = performance.now()
      const result = await readRange(app.source(), cid, { ...range, signal, keep: SHOWN })

      signal.throwIfAborted()
      picture.light(toLight(result, range, dag, stats))

      return [describePart(result, range, dag, performance.now() - begin)]
    }, signal)
  })
  const head = await readRange(app.source(), cid, { length: HEAD_SIZE, signal })
  const readAll = async (): Promise<Blob> => readBlob(app.source(), cid, signal)

  return {
    preview: [
      h('h4', {}, previewTitle(size)),
      await preview({
        name,
        size,
        head: head.bytes,
        readAll,
        read: range => streamRange(app.source(), cid, range),
        players: app.players,
        signal
      })
    ],
    actions: fileActions(init),
    structure: [
      h('h4', {}, 'How it is stored'),
      h('div', { class: 'picture' },
        picture.element,
        size > 0 ? bar.element : null,
        h('p', { class: 'scale' }, h('span', {}, '0'), h('span', {}, formatBytes(size)))),
      part,
      block
    ]
  }
}

/** Gives signals, and aborts the one before: the last of several drags wins. */
function oneAfterTheOther (all: AbortSignal): () => AbortSignal {
  let last = new AbortController()

  return () => {
    last.abort()
    last = new AbortController()

    return AbortSignal.any([all, last.signal])
  }
}

async function describePicked (
  { kind, index }: Picked,
  dag: FileDag,
  { app, signal }: Pick<FileViewInit, 'app' | 'signal'>
): Promise<HTMLElement[]> {
  const frame = kind === 'frame' ? dag.frames[index] : undefined
  const leafIndex = frame == null ? index : dag.leaves.findIndex(({ start, length }) => frame.start < start + length)
  const leaf = kind === 'root' ? undefined : dag.leaves[leafIndex]
  const { cid, length } = leaf ?? dag.root
  const bytes = await getBlock(app.source(), cid, { signal })
  const offset = frame == null || leaf == null ? 0 : frame.start - leaf.start
  const where = leaf == null ? 'the root' : `leaf ${leafIndex + 1}`
  const title = frame == null
    ? kind === 'root' ? 'Root' : `Leaf ${index + 1}`
    : `Frame ${index + 1}, ${formatBytes(frame.length)}, in ${where}`

  signal.throwIfAborted()
  announce(`${title}: a block of ${formatBytes(length)}`)

  return [
    h('h4', {}, `${title}: a block of ${formatBytes(length)}`),
    copyable('CID of the block', cid.toString()),
    h('pre', { class: 'text', tabindex: 0 }, hexDump(bytes.subarray(offset, offset + 128)))
  ]
}

function toLight ({ blocks }: ReadResult, { offset, length }: Range, dag: FileDag, { frameSize = 1 }: Stats): Light {
  const fetched = new Map(blocks.map(({ cid, local }) => [keyOf(cid), local ? 'local' : 'peer'] as const))
  const leaves = new Map<number, 'local' | 'peer'>()
  const first = Math.floor(offset / frameSize)
  const last = Math.floor((offset + Math.max(length, 1) - 1) / frameSize)

  for (const [i, leaf] of dag.leaves.entries()) {
    const from = fetched.get(keyOf(leaf.cid))

    if (from != null) {
      leaves.set(i, from)
    }
  }

  return {
    root: fetched.get(keyOf(dag.root.cid)) == null ? undefined : 'local',
    leaves,
    frames: new Set(dag.frames.length === 0 ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i))
  }
}

function describePart (
  { bytes, blocks }: ReadResult,
  { offset, length }: Range,
  dag: FileDag,
  milliseconds: number
): HTMLElement {
  const total = dag.blocks
  const text = decodePart(bytes) ?? hexDump(bytes.subarray(0, 256))

  const what = `${formatBytes(length)} from ${formatBytes(offset)} on: ${blocks.length} of ${total} blocks`

  announce(`Read ${what}`)

  return h('div', {},
    h('p', {}, h('strong', {}, what), `, ${formatPercent(blocks.length / total)}, in ${Math.round(milliseconds)} ms`),
    h('pre', { class: 'text', tabindex: 0 }, text))
}
