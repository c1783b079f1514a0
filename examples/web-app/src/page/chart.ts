import { compareCodecs, SAMPLE_SIZE } from '../ipfs/compare.ts'
import { formatBytes, formatPercent, h } from './dom.ts'
import type { Comparison } from '../ipfs/compare.ts'

const COLUMNS = ['Codec', 'Stored', 'Compressing', 'Reading']

/** Bars for each codec on the beginning of a file: how small it gets, and how fast. */
export async function showComparison (bytes: Uint8Array, element: HTMLElement, signal: AbortSignal): Promise<void> {
  const results: Comparison[] = []

  element.replaceChildren(h('p', { class: 'note' }, 'Trying every codec'))

  for await (const result of compareCodecs(bytes, signal)) {
    results.push(result)
    element.replaceChildren(chart(results, bytes.byteLength))
  }
}

function chart (results: readonly Comparison[], size: number): HTMLElement {
  const fastest = Math.max(...results.map(({ compress }) => compress))
  const smallest = Math.min(...results.map(({ length }) => length))

  return h('table', { class: 'chart' },
    h('caption', {}, `${size < SAMPLE_SIZE ? 'All' : 'The first'} ${formatBytes(size)} of the file, in one frame`),
    h('thead', {}, h('tr', {}, ...COLUMNS.map(title => h('th', { scope: 'col' }, title)))),
    h('tbody', {}, ...results.map(({ codec, level, length, compress, decompress }) => h('tr',
      { class: length === smallest ? 'best' : undefined },
      h('th', { scope: 'row' }, codec, h('small', {}, ` level ${level}`)),
      h('td', {}, bar(length / size, 'size'), formatPercent(length / size)),
      h('td', {}, bar(compress / fastest, 'speed'), `${Math.round(compress)} MB/s`),
      h('td', { class: 'plain' }, `${Math.round(decompress)} MB/s`)))))
}

function bar (part: number, kind: string): HTMLElement {
  const fill = h('div', { class: `fill ${kind}` })

  fill.style.width = `${Math.min(part, 1) * 100}%`

  return h('div', { class: 'track', 'aria-hidden': 'true' }, fill)
}
