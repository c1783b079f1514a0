import { formatBytes, h } from './dom.ts'

/** Part of a file, in bytes. */
export interface Range {
  offset: number
  length: number
}

/**
 * A bar as long as the file. Drag over it to choose a part, or move the two sliders at its
 * ends with the arrow keys, Page Up and Down, Home and End.
 */
export class RangeBar {
  readonly element: HTMLElement
  readonly #size: number
  readonly #onChange: (range: Range) => void
  readonly #chosen = h('div', { class: 'chosen' })
  readonly #ends: Record<'start' | 'end', HTMLElement>
  #start = 0
  #end = 0

  constructor (size: number, onChange: (range: Range) => void) {
    this.#size = size
    this.#onChange = onChange
    this.#ends = { start: this.#slider('start', 'First byte to read'), end: this.#slider('end', 'Read up to byte') }
    this.element = h('div', {
      'class': 'range-bar',
      'role': 'group',
      'aria-label': 'Choose the part of the file to read'
    }, this.#chosen, this.#ends.start, this.#ends.end)
    this.element.addEventListener('pointerdown', event => { this.#drag(event) })
    this.#draw()
  }

  #slider (which: 'start' | 'end', label: string): HTMLElement {
    return h('div', {
      'class': 'handle',
      'role': 'slider',
      'tabindex': 0,
      'aria-label': label,
      'aria-valuemin': 0,
      'aria-valuemax': this.#size,
      'onkeydown': event => { this.#step(which, event as KeyboardEvent) }
    })
  }

  #step (which: 'start' | 'end', event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
      Home: -100,
      End: 100
    }
    const step = steps[event.key]

    if (step == null) {
      return
    }

    event.preventDefault()
    const from = which === 'start' ? this.#start : this.#end
    const value = clamp(from + step * Math.max(this.#size / 100, 1), this.#size)

    if (which === 'start') {
      this.#set(value, Math.max(value, this.#end))
    } else {
      this.#set(Math.min(value, this.#start), value)
    }

    this.#changed()
  }

  #drag (event: PointerEvent): void {
    const { left, width } = this.element.getBoundingClientRect()
    const at = ({ clientX }: PointerEvent): number => clamp((clientX - left) / width * this.#size, this.#size)
    const from = at(event)
    const onMove = (event: PointerEvent): void => { this.#set(Math.min(from, at(event)), Math.max(from, at(event))) }

    this.element.setPointerCapture(event.pointerId)
    this.#set(from, from)
    this.element.addEventListener('pointermove', onMove)

    const end = (): void => {
      this.element.removeEventListener('pointermove', onMove)
      // a click is the shortest drag
      this.#set(this.#start, Math.max(this.#end, Math.min(this.#start + this.#size / 100, this.#size)))
      this.#changed()
    }

    this.element.addEventListener('lostpointercapture', end, { once: true })
  }

  #set (start: number, end: number): void {
    this.#start = Math.floor(start)
    this.#end = Math.ceil(end)
    this.#draw()
  }

  #changed (): void {
    this.#onChange({ offset: this.#start, length: this.#end - this.#start })
  }

  #draw (): void {
    const percent = (value: number): string => `${value / this.#size * 100}%`

    this.#chosen.style.left = percent(this.#start)
    this.#chosen.style.width = percent(this.#end - this.#start)

    for (const [which, value] of [['start', this.#start], ['end', this.#end]] as const) {
      const handle = this.#ends[which]

      handle.style.left = percent(value)
      handle.setAttribute('aria-valuenow', String(value))
      handle.setAttribute('aria-valuetext', formatBytes(value))
    }
  }
}

function clamp (value: number, max: number): number {
  return Math.min(Math.max(value, 0), max)
}
