import { byId, failure, formatBytes, formatPercent, h } from '../page/dom.ts'
import { measureRelease } from './measure.ts'
import type { Release } from './measure.ts'

/** What a developer adds to a component between two releases. */
const CHANGE = '\nfunction orders(list){return list.map((one,i)=>`${i+1}. ${one.name.toUpperCase()}`).join(", ")}\n'

const inputs = { first: byId<HTMLInputElement>('first'), next: byId<HTMLInputElement>('next') }
const result = byId('result')

/** The largest script of this page. */
async function ownScript (): Promise<Uint8Array<ArrayBuffer>> {
  const scripts = (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
    .filter(({ name }) => name.endsWith('.js'))
    .toSorted((a, b) => b.decodedBodySize - a.decodedBodySize)

  return (await fetch(scripts[0]?.name ?? import.meta.url)).bytes()
}

/** The same with a function more, at the end of a line in its middle. */
function changed (bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(bytes)
  const middle = text.indexOf('\n', text.length / 2) + 1 || text.length

  return new TextEncoder().encode(text.slice(0, middle) + CHANGE + text.slice(middle))
}

function show ({ size, gzip, alone, changed, isRight }: Release): void {
  const row = (name: string, bytes: number): HTMLElement => h('tr', {},
    h('th', { scope: 'row' }, name), h('td', {}, formatBytes(bytes)), h('td', {}, formatPercent(bytes / gzip)))

  result.replaceChildren(h('table', {},
    h('caption', {}, isRight ? 'The next release, which was read back and is right' : 'The next release is wrong'),
    h('thead', {}, h('tr', {}, h('th', {}, 'downloaded'), h('th', {}, 'bytes'), h('th', {}, 'of gzip'))),
    h('tbody', {},
      row('as it is', size),
      row('with gzip', gzip),
      row('compressed by IPFSz, on a first visit', alone),
      changed == null
        ? h('tr', {}, h('th', { scope: 'row' }, 'what changed'), h('td', {}, 'too much: it is stored in full'), h('td'))
        : row('what changed, on a later visit', changed))))
  result.dataset.changed = String(changed ?? '')
  result.dataset.gzip = String(gzip)
}

async function run (first: Uint8Array, next: Uint8Array<ArrayBuffer>): Promise<void> {
  result.replaceChildren(h('p', {}, 'Compressing…'))
  show(await measureRelease(first, next))
}

async function chosen (): Promise<void> {
  const first = inputs.first.files?.[0]
  const next = inputs.next.files?.[0]

  if (first != null && next != null) {
    await run(await first.bytes(), await next.bytes())
  }
}

const report = (err: unknown): void => { result.replaceChildren(failure(err)) }

for (const input of Object.values(inputs)) {
  input.addEventListener('change', () => { chosen().catch(report) })
}

ownScript().then(async script => run(script, changed(script))).catch(report)
// the tests wait for this
document.body.dataset.ready = ''
