import { codecLabel, copyable, formatBytes, formatPercent, h } from './dom.ts'
import type { Address } from '../ipfs/read.ts'
import type { Stats } from '@ipfsz/core'

export function heading (title: string, { codec, type }: Stats): HTMLElement {
  return h('div', { class: 'title' },
    h('h3', { tabindex: -1 }, h('bdi', {}, title)),
    h('span', { class: `badge ${codec ?? 'none'}` }, type === 'directory' ? 'folder' : codecLabel(codec ?? 'none')))
}

export function facts ({ type, size, storedSize, ratio, frames }: Stats): HTMLElement {
  return h('dl', { class: 'facts' },
    ...type === 'directory' ? [] : [fact('Original', formatBytes(Number(size)))],
    ...storedSize == null ? [] : [fact('Stored', formatBytes(Number(storedSize)))],
    ...ratio == null ? [] : [fact('Ratio', formatPercent(ratio)), fact('Frames', String(frames))])
}

function fact (label: string, value: string): HTMLElement {
  return h('div', {}, h('dt', {}, label), h('dd', {}, value))
}

/** Both CIDs: the marked one reads the original, the plain one is for every node. */
export function cids ({ cid, path }: Address, { markedCid, plainCid, type }: Stats): HTMLElement[] {
  if (path === '' && type === 'directory') {
    const plain = plainCid.equals(cid) ? [] : [copyable('plain CID', plainCid.toString())]

    return [copyable('CID', cid.toString()), ...plain]
  }

  return markedCid == null
    ? [copyable('CID', plainCid.toString())]
    : [copyable('CID', markedCid.toString()), copyable('plain CID', plainCid.toString())]
}
