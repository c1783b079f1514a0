import { describeDag, getBlock, keyOf } from '../ipfs/dag.ts'
import { SAMPLE_SIZE } from '../ipfs/compare.ts'
import { readBlob, readRange } from '../ipfs/read.ts'
import { showComparison } from './chart.ts'
import { DagPicture } from './dag-picture.ts'
import { announce, copyable, explain, failure, formatBytes, formatPercent, h } from './dom.ts'
import { decodePart, HEAD_SIZE, hexDump, preview, previewTitle } from './preview.ts'
import { RangeBar } from './range-bar.ts'
import type { App } from './app.ts'
import type { Light, Picked } from './dag-picture.ts'
import type { Range } from './range-bar.ts'
import type { FileDag } from '../ipfs/dag.ts'
import type { Address, ReadResult } from '../ipfs/read.ts'
import type { Stats } from '@ipfsz/core'

export interface FileViewInit {
  app: App
  address: Address
  name: string
  stats: Stats
  /** When aborted, something else is shown. */
  signal: AbortSignal
}

/** Bytes of a range that are shown. */
const SHOWN = 4096

/** A file: its picture, a part of it, a preview, and what can be done with it. */
export async function showFile (init: FileViewInit): Promise<HTMLElement[]> {
  const { app, address, stats, name, signal } = init
  const size = Number(stats.size)
  const stored = await describeDag(app.source(), stats.plainCid, signal)
  // by its plain CID a file is what is stored, whatever its root says of frames
  const dag = stats.frameSize == null ? { ...stored, frames: [] } : stored
  const block = h('div', { class: 'block' })
  const part = h('div', { class: 'part' }, h('p', { class: 'note' }, 'Drag over the bar to read a part of the file.'))
  const picture = new DagPicture({
    dag,
    size,
    frameSize: stats.frameSize ?? 1,
    onPick: picked => { inform(block, async () => describePicked(picked, dag, init)) }
  })
  const bar = new RangeBar(size, range => {
    inform(part, async () => {
      const begin = performance.now()
      const result = await readRange(app.source(), address.cid, { ...range, path: address.path, signal, keep: SHOWN })

      picture.light(toLight(result, range, dag, stats))

      return [describePart(result, range, dag, performance.now() - begin)]
    })
  })
  const head = await readRange(app.source(), address.cid, { path: address.path, length: HEAD_SIZE, signal })
  const readAll = async (): Promise<Blob> => readBlob(app.source(), address.cid, { path: address.path, signal })

  return [
    actions(init, readAll),
    h('h4', {}, 'How it is stored'),
    h('div', { class: 'picture' }, picture.element, size > 0 ? bar.element : null, h('p', { class: 'scale' }, h('span', {}, '0'), h('span', {}, formatBytes(size)))),
    part,
    block,
    h('h4', {}, previewTitle(size)),
    await preview({ name, size, head: head.bytes, readAll, signal })
  ]
}

function actions ({ app, address, name, stats, signal }: FileViewInit, readAll: () => Promise<Blob>): HTMLElement {
  const output = h('div', { class: 'outcome', 'aria-live': 'polite' })
  const button = (text: string, work: () => Promise<HTMLElement[]>): HTMLElement => h('button', { type: 'button', onclick: () => { inform(output, work) } }, text)
  const cid = stats.markedCid ?? stats.plainCid

  return h('div', { class: 'actions' },
    button('Download', async () => {
      announce(`Reading ${name}`)
      const begin = performance.now()
      const blob = await readAll()
      const seconds = (performance.now() - begin) / 1000

      save(blob, name)

      return [h('p', { class: 'note' }, `Read ${formatBytes(blob.size)} in ${seconds.toFixed(2)} s, ${Math.round(blob.size / 1e6 / seconds)} MB/s`)]
    }),
    button('Compare codecs', async () => {
      if (stats.size === 0n) {
        return [h('p', { class: 'note' }, 'There is nothing in it to compress')]
      }

      const { bytes } = await readRange(app.source(), address.cid, { path: address.path, length: SAMPLE_SIZE, signal })
      const element = h('div', { class: 'comparison' })

      output.replaceChildren(element)
      await showComparison(bytes, element, signal)

      return [element]
    }),
    button('Give to the peer', async () => {
      const node = app.node()

      if (node == null) {
        return [h('p', { class: 'note' }, 'No peer is connected. On the command line: '), copyable('command', `ipfsz get ${cid}`)]
      }

      try {
        const { size, sha256, milliseconds } = await node.give(cid, signal)

        return [h('p', { class: 'note' }, `The peer has fetched all ${formatBytes(size)} in ${milliseconds} ms. SHA-256 of what it read: `, h('code', {}, sha256.slice(0, 64)))]
      } catch (err) {
        // by its name: the network is not loaded with the page
        if (err instanceof Error && err.name === 'PeerNotAskableError') {
          return [h('p', { class: 'note' }, 'This peer fetches what it is told to where it runs, and nothing that a page tells it. While the page is open, this fetches the file from here: '), copyable('command', `ipfsz get ${cid}`)]
        }

        throw err
      }
    }),
    output)
}

function save (blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)

  h('a', { href: url, download: name }).click()
  // the download has begun when the browser has its turn again
  setTimeout(() => { URL.revokeObjectURL(url) }, 60_000)
}

async function describePicked ({ kind, index }: Picked, dag: FileDag, { app, signal }: FileViewInit): Promise<HTMLElement[]> {
  const frame = dag.frames[index]
  const leafIndex = kind === 'frame' ? dag.leaves.findIndex(({ start, length }) => frame.start < start + length) : index
  const { cid, length } = kind === 'root' || leafIndex === -1 ? dag.root : dag.leaves[leafIndex]
  const bytes = await getBlock(app.source(), cid, { signal })
  const offset = kind === 'frame' && leafIndex !== -1 ? frame.start - dag.leaves[leafIndex].start : 0
  const title = kind === 'root' ? 'Root' : kind === 'leaf' ? `Leaf ${index + 1}` : `Frame ${index + 1}, ${formatBytes(frame.length)}, in ${leafIndex === -1 ? 'the root' : `leaf ${leafIndex + 1}`}`

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

function describePart ({ bytes, blocks }: ReadResult, { offset, length }: Range, dag: FileDag, milliseconds: number): HTMLElement {
  const total = dag.leaves.length + 1
  const text = decodePart(bytes) ?? hexDump(bytes.subarray(0, 256))

  const what = `${formatBytes(length)} from ${formatBytes(offset)} on: ${blocks.length} of ${total} blocks`

  announce(`Read ${what}`)

  return h('div', {},
    h('p', {}, h('strong', {}, what), `, ${formatPercent(blocks.length / total)}, in ${Math.round(milliseconds)} ms`),
    h('pre', { class: 'text', tabindex: 0 }, text))
}

/** Show what comes of some work, or what went wrong. */
function inform (element: HTMLElement, work: () => Promise<HTMLElement[]>): void {
  const show = async (): Promise<void> => { element.replaceChildren(...await work()) }

  show().catch(err => {
    element.replaceChildren(failure(err))
    announce(explain(err))
  })
}
