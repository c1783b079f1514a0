/** Makes elements without parsing HTML: text from files, peers and people stays text. */

import { placeBesideControls } from './place-status.ts'

export type Child = Node | string | null | undefined
export type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>

const SVG = 'http://www.w3.org/2000/svg'

export function h<Tag extends keyof HTMLElementTagNameMap> (
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children)
}

export function svg<Tag extends keyof SVGElementTagNameMap> (
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS(SVG, tag), attributes, children)
}

/** An element of index.html. */
export function byId<T extends HTMLElement> (id: string): T {
  return document.getElementById(id) as T
}

/** Show a message, also to screen readers. */
export function announce (text: string): void {
  const status = byId('status')

  status.textContent = text
  placeBesideControls(status)
  // the message fades, and each text restarts the animation
  status.getAnimations().forEach(animation => { animation.currentTime = 0 })
}

/** A text, and a button that copies it. */
export function copyable (label: string, text: string): HTMLElement {
  const button = h('button', {
    type: 'button',
    'aria-label': `Copy the ${label}`,
    onclick: () => { void copy(label, text) }
  }, 'Copy')

  return h('div', { class: 'copyable' }, h('span', { class: 'label' }, label), h('code', {}, text), button)
}

/** Copy a text, and announce whether the browser allowed it. */
export async function copy (label: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`Copied the ${label}`)
  } catch {
    announce('This browser blocks copying. Select the text instead')
  }
}

/** An error, shown where it happened and announced at once. */
export function failure (err: unknown): HTMLElement {
  return h('p', { role: 'alert', class: 'failure' }, explain(err))
}

/**
 * Show the result of some work, or its error.
 *
 * @param signal - aborted when something else is shown there
 */
export function inform (element: HTMLElement, work: () => Promise<HTMLElement[]>, signal?: AbortSignal): void {
  const show = async (): Promise<void> => {
    const children = await work()

    signal?.throwIfAborted()
    element.replaceChildren(...children)
  }

  show().catch(err => {
    if (signal?.aborted !== true) {
      element.replaceChildren(failure(err))
      announce(explain(err))
    }
  })
}

export function explain (err: unknown): string {
  // browsers report some failures as events, which say nothing
  return err instanceof Error ? err.message : err instanceof Event ? 'The connection failed' : String(err)
}

/** The label of a codec, which tells how a file is stored. */
export function codecLabel (codec: string): string {
  return codec === 'none' ? 'as it is' : codec
}

/** A number of bytes, in units of a thousand. */
export function formatBytes (bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const unit = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** unit

  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`
}

export function formatPercent (part: number): string {
  return `${part > 0 && part < 0.0995 ? (part * 100).toPrecision(2) : Math.round(part * 100)} %`
}

function fill<E extends Element> (element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value)
    } else if (typeof value === 'boolean') {
      element.toggleAttribute(name, value)
    } else if (value != null) {
      element.setAttribute(name, String(value))
    }
  }

  element.append(...children.filter(child => child != null))

  return element
}
