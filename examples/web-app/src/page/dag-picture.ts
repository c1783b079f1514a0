import { formatBytes, h, svg } from './dom.ts'
import type { FileDag, Piece } from '../ipfs/dag.ts'

/** A shape that can be chosen, by its index in the DAG's own lists. */
export interface Picked {
  kind: 'root' | 'leaf' | 'frame'
  index: number
}

export interface DagPictureInit {
  dag: FileDag
  /** Original bytes of the file. */
  size: number
  /** Original bytes in a frame. */
  frameSize: number
  onPick: (picked: Picked) => void
}

/** The blocks that a read fetched. */
export interface Light {
  root?: 'local' | 'peer' | undefined
  leaves: ReadonlyMap<number, 'local' | 'peer'>
  frames: ReadonlySet<number>
}

/** Above this number, neighbouring shapes are drawn as one. */
const MAX_SHAPES = 256
/** The layout from top to bottom, in pixels. */
const Y = { root: 4, rootEnd: 32, leaf: 74, leafEnd: 104, frame: 108, frameEnd: 122, file: 178, fileEnd: 192 }
/** The least width of the stored file, so that it can be clicked. */
const MIN_STORED_WIDTH = 48

/**
 * A file as it is stored: its root, and the leaves and frames, each as wide as its part of
 * the bytes. Below them the original, on the same scale.
 */
export class DagPicture {
  readonly element: HTMLElement
  readonly #init: DagPictureInit
  readonly #shapes: SVGElement[][] = []
  #light: Light = { leaves: new Map(), frames: new Set() }

  constructor (init: DagPictureInit) {
    this.#init = init
    this.element = h('div', { class: 'dag' })
    new ResizeObserver(() => { this.#draw() }).observe(this.element)
  }

  /** Show what was fetched. */
  light (light: Light): void {
    this.#light = light
    this.#draw()
  }

  #draw (): void {
    const { dag, size, frameSize } = this.#init
    const width = this.element.clientWidth

    if (width === 0) {
      return
    }

    const stored = Math.max(Math.min(width * dag.length / Math.max(size, 1), width), MIN_STORED_WIDTH)
    const left = (width - stored) / 2
    const x = (bytes: number): number => left + bytes / Math.max(dag.length, 1) * stored
    const originalX = (bytes: number): number => Math.min(bytes / Math.max(size, 1), 1) * width
    const focused = this.#focused()
    const leaves = group(dag.leaves)
    const frames = group(dag.frames)
    const picture = svg('svg', {
      'viewBox': `0 0 ${width} ${Y.fileEnd}`,
      width,
      'height': Y.fileEnd,
      'role': 'group',
      'aria-label': this.#describe(),
      'onkeydown': event => { this.#move(event as KeyboardEvent) }
    })
    const edge = (middle: number): string =>
      `M${width / 2} ${Y.rootEnd}C${width / 2} ${Y.leaf - 12} ${middle} ${Y.rootEnd + 8} ${middle} ${Y.leaf}`
    const fan = (left: number, right: number, from: number, to: number): string =>
      `M${left} ${Y.frameEnd}L${right} ${Y.frameEnd}L${to} ${Y.file}V${Y.fileEnd}H${from}V${Y.file}Z`

    picture.append(
      ...leaves.map(({ start, length, first, count }) => svg('path', {
        class: `edge ${this.#litLeaf(first, count)}`,
        d: edge(x(start + length / 2))
      })),
      ...frames.map(({ start, length, first, count }) => svg('path', {
        class: `fan ${first % 2 === 0 ? 'even' : ''} ${this.#litFrame(first, count)}`,
        d: fan(x(start), x(start + length), originalX(first * frameSize), originalX((first + count) * frameSize))
      }))
    )

    this.#shapes.splice(0, Infinity,
      [this.#shape(
        'root',
        `Root, ${formatBytes(dag.root.length)}`,
        { kind: 'root', index: 0 },
        this.#light.root ?? '',
        [width / 2 - 66, Y.root, 132, Y.rootEnd - Y.root]
      )],
      leaves.map(({ start, length, first, count }) => this.#shape(
        'leaf',
        `${name('Leaf', first, count)} of ${dag.leaves.length}, ${formatBytes(length)}`,
        { kind: 'leaf', index: first },
        this.#litLeaf(first, count),
        [x(start), Y.leaf, x(start + length) - x(start), Y.leafEnd - Y.leaf]
      )),
      frames.map(({ start, length, first, count }) => this.#shape(
        `frame ${first % 2 === 0 ? 'even' : ''}`,
        `${name('Frame', first, count)} of ${dag.frames.length}, ${formatBytes(length)}`,
        { kind: 'frame', index: first },
        this.#litFrame(first, count),
        [x(start), Y.frame, x(start + length) - x(start), Y.frameEnd - Y.frame]
      ))
    )
    const middle = { 'x': width / 2, 'y': 22, 'text-anchor': 'middle', 'aria-hidden': 'true' }
    picture.append(...this.#shapes.flat(), svg('text', middle, `root ${formatBytes(dag.root.length)}`))
    this.element.replaceChildren(picture)
    this.#enter(focused ?? [0, 0], focused != null)
  }

  #shape (kind: string, label: string, picked: Picked, lit: string, [x, y, width, height]: Box): SVGElement {
    const gap = width > 4 ? 1 : 0

    return svg('rect', {
      'class': `${kind} ${lit}`,
      'role': 'button',
      'tabindex': -1,
      'aria-label': `${label}${lit === '' ? '' : lit === 'peer' ? ', fetched from a peer' : ', fetched'}`,
      'data-kind': picked.kind,
      'data-index': picked.index,
      x: x + gap / 2,
      y,
      'width': Math.max(width - gap, 0.5),
      height,
      'rx': kind === 'root' ? 8 : Math.min(4, width / 4),
      'onclick': () => { this.#init.onPick(picked) }
    }, svg('title', {}, label))
  }

  #litLeaf (first: number, count: number): string {
    const sources = Array.from({ length: count }, (_, i) => this.#light.leaves.get(first + i))
      .filter(source => source != null)

    return sources.includes('peer') ? 'lit peer' : sources.length > 0 ? 'lit' : ''
  }

  #litFrame (first: number, count: number): string {
    return Array.from({ length: count }).some((_, i) => this.#light.frames.has(first + i)) ? 'lit' : ''
  }

  #describe (): string {
    const { dag, size } = this.#init
    const { leaves, frames } = dag

    return `The file as it is stored: a root, ${leaves.length} leaves${dag.cut ? ' and more' : ''}, ` +
      `${frames.length} frames, ${formatBytes(dag.length)} of ${formatBytes(size)}. ` +
      'Arrow keys move, Enter shows the block.'
  }

  /** Tab reaches one shape, arrow keys the others. */
  #move (event: KeyboardEvent): void {
    const [row, column] = this.#focused() ?? [0, 0]
    const last = (this.#shapes[row]?.length ?? 1) - 1
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      ArrowUp: [row - 1, 0],
      ArrowDown: [row + 1, 0],
      Home: [row, 0],
      End: [row, last]
    }

    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      ;(event.target as Element).dispatchEvent(new MouseEvent('click'))
    } else {
      const move = moves[event.key]

      if (move != null) {
        event.preventDefault()
        this.#enter(move, true)
      }
    }
  }

  #enter ([row, column]: [number, number], focus: boolean): void {
    const shape = this.#shapes[row]?.[column]

    if (shape != null) {
      this.#shapes.flat().forEach(other => { other.setAttribute('tabindex', other === shape ? '0' : '-1') })

      if (focus) {
        shape.focus()
      }
    }
  }

  #focused (): [number, number] | undefined {
    for (const [row, shapes] of this.#shapes.entries()) {
      const column = shapes.indexOf(document.activeElement as SVGElement)

      if (column !== -1) {
        return [row, column]
      }
    }

    return undefined
  }
}

type Box = [x: number, y: number, width: number, height: number]

interface Group extends Piece {
  first: number
  count: number
}

/** Merges neighbouring pieces if there are too many to draw. */
function group (pieces: readonly Piece[]): Group[] {
  const count = Math.ceil(pieces.length / MAX_SHAPES)

  return Array.from({ length: count === 0 ? 0 : Math.ceil(pieces.length / count) }, (_, i) => {
    const some = pieces.slice(i * count, (i + 1) * count)

    return {
      start: some[0]?.start ?? 0,
      length: some.reduce((sum, { length }) => sum + length, 0),
      first: i * count,
      count: some.length
    }
  })
}

function name (kind: string, first: number, count: number): string {
  return count === 1 ? `${kind} ${first + 1}` : `${kind} ${first + 1} to ${first + count}`
}
