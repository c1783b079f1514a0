/** How a version of a site's service worker makes way for the next one. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHandOver } from '../src/service-worker/next-version.ts'

type HandOver = ReturnType<typeof createHandOver>
type Scope = Parameters<typeof createHandOver>[0]

interface Message {
  data: unknown
  source?: unknown
  waitUntil: (promise: Promise<unknown>) => void
}

const takeOver = vi.fn()
const skipWaiting = vi.fn(async () => {})

/** The next version, if one waits, and the ids of the pages that are open. */
let waiting: { postMessage: (message: unknown) => void } | null
let open: string[]

let handOver: HandOver
let receive: (message: Message) => void

/** A worker that has just started: it remembers nothing. */
function startWorker (): void {
  handOver = createHandOver({
    registration: { get waiting () { return waiting } },
    clients: {
      matchAll: async () => [
        ...open.map(id => ({ id, frameType: 'top-level' })),
        { id: 'a frame', frameType: 'nested' }
      ]
    },
    skipWaiting,
    addEventListener: (_: string, listener: typeof receive) => { receive = listener }
  } as never as Scope)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.clearAllMocks()
  waiting = { postMessage: takeOver }
  open = ['the page that is left']
  startWorker()
})

afterEach(() => {
  vi.useRealTimers()
})

/** @param head - what this version would answer */
async function navigate (
  { destination = 'document', head = answerOf() }: { destination?: string, head?: Promise<Response> } = {}
): Promise<Response | undefined> {
  return handOver({ request: { destination } as Request }, async () => head)
}

async function answerOf (status = 200, headers: HeadersInit = { 'content-type': 'text/html' }): Promise<Response> {
  return new Response(null, { status, headers })
}

interface HandOverPage {
  reload: () => void
  /** The next version took over. */
  change: () => void
  /** A message of the worker. */
  message: (data: unknown) => Promise<void>
}

/** Run the script of a hand-over page, and wait until the worker has answered it. */
async function openPage (answer: Response | undefined, id: string): Promise<HandOverPage> {
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(await answer?.text() ?? '') ?? []
  const events = new EventTarget()
  const reload = vi.fn()
  const serviceWorker = Object.assign(events, {
    onmessage: undefined as never as (event: { data: unknown }) => Promise<void>,
    getRegistration: async () => ({ waiting }),
    controller: { postMessage (data: unknown) { receive({ data, source, waitUntil: promise => { asked = promise } }) } }
  })
  const source = { id, postMessage: (data: unknown) => { answered = serviceWorker.onmessage({ data }) } }
  let asked: Promise<unknown> | undefined
  let answered: Promise<void> | undefined

  // oxlint-disable-next-line no-new-func -- as the browser runs it
  new Function('navigator', 'location', script)({ serviceWorker }, { reload })
  await asked
  await answered

  return {
    reload,
    change: () => { events.dispatchEvent(new Event('controllerchange')) },
    message: async data => serviceWorker.onmessage({ data })
  }
}

it('hands over when the only page is left, and not before nothing is on the way to it', async () => {
  const answer = await navigate()
  expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer?.headers.get('cache-control')).toBe('no-store')
  expect(takeOver).not.toHaveBeenCalled()

  open = ['hand-over']
  const page = await openPage(answer, 'hand-over')
  expect(takeOver.mock.calls).toEqual([['ipfsz:take-over']])
  expect(page.reload).not.toHaveBeenCalled()

  waiting = null
  page.change()
  expect(page.reload).toHaveBeenCalledTimes(1)
  expect(await navigate()).toBeUndefined()
})

it('has a hand-over page that requests nothing, not even an icon', async () => {
  const html = await (await navigate())?.text()
  expect(html).toContain('<link rel="icon" href="data:,">')
  expect(html?.match(/(?:src|href)="[^"]*"/g)).toEqual(['href="data:,"', 'href=""'])
})

it('hands over in a tab that is the only one from the start', async () => {
  open = []
  await openPage(await navigate(), 'hand-over')
  expect(takeOver).toHaveBeenCalledTimes(1)
})

it('answers itself while several pages are open', async () => {
  open = ['one', 'another']
  expect(await navigate()).toBeUndefined()
})

it('answers itself when the hand-over page was in another tab', async () => {
  const answer = await navigate()
  open = ['hand-over', 'the page that stays']
  const page = await openPage(answer, 'hand-over')
  expect(takeOver).not.toHaveBeenCalled()
  expect(page.reload).toHaveBeenCalledTimes(1)
  expect(await navigate()).toBeUndefined()
})

it('loads the page again when the next version took over before it was asked', async () => {
  const answer = await navigate()
  waiting = null
  open = ['hand-over']
  const page = await openPage(answer, 'hand-over')
  expect(page.reload).toHaveBeenCalledTimes(1)
  expect(await navigate()).toBeUndefined()
})

it('needs nothing that a worker remembers which the browser has ended', async () => {
  const answer = await navigate()
  startWorker()
  open = ['hand-over']
  await openPage(answer, 'hand-over')
  expect(takeOver).toHaveBeenCalledTimes(1)
})

it('shows its own page after two hand-over pages to which nothing happened, and then tries again', async () => {
  const handedOver: boolean[] = []

  for (let i = 0; i < 6; i++) {
    const answer = await navigate()
    handedOver.push(answer != null)

    if (answer != null) {
      open = [`hand-over ${i}`]
      const page = await openPage(answer, `hand-over ${i}`)
      vi.advanceTimersByTime(4999)
      expect(page.reload).not.toHaveBeenCalled()
      vi.advanceTimersByTime(1)
      expect(page.reload).toHaveBeenCalledTimes(1)
    }
  }

  expect(handedOver).toEqual([true, true, false, true, true, false])
})

it('repeats a navigation that the browser has lost, later each time, and not for ever', async () => {
  const page = await openPage(await navigate(), 'hand-over')
  const times: number[] = []

  for (let i = 0; i < 600; i++) {
    vi.mocked(page.reload).mockClear()
    vi.advanceTimersByTime(1000)

    if (vi.mocked(page.reload).mock.calls.length > 0) {
      times.push(i + 1)
    }
  }

  expect(times).toEqual([5, 15, 35, 75])
})

it('leaves messages alone that are for others', async () => {
  const answer = await navigate()
  open = ['hand-over', 'another']
  const page = await openPage(answer, 'hand-over')
  vi.mocked(page.reload).mockClear()
  await page.message({ type: 'ipfsz:take-over' })
  await page.message('news')
  receive({ data: 'something else', waitUntil: () => {} })
  expect(page.reload).not.toHaveBeenCalled()
  expect(takeOver).not.toHaveBeenCalled()
  expect(skipWaiting).not.toHaveBeenCalled()
})

it('takes over when the version before tells it to, or a page', () => {
  receive({ data: 'ipfsz:take-over', waitUntil: () => {} })
  expect(skipWaiting).toHaveBeenCalledTimes(1)
})

it.each(['iframe', 'style'])('leaves a request for a %s to this version, since its page stays', async destination => {
  expect(await navigate({ destination })).toBeUndefined()
})

it.each<[what: string, head: () => Promise<Response>, handsOver: boolean]>([
  ['a page', answerOf, true],
  ['a download by type', async () => answerOf(200, { 'content-type': 'application/zip' }), false],
  ['what has no type', async () => answerOf(200, {}), false],
  ['a page as a download', async () => answerOf(200, {
    'content-type': 'text/html',
    'content-disposition': 'attachment; filename="page.html"'
  }), false],
  ['a page that is missing', async () => answerOf(404), true],
  ['an answer that fails', async () => answerOf(504, {}), true],
  ['nothing', async () => { throw new TypeError('no network') }, true]
])('hands over or not where this version would answer %s', async (_, head, handsOver) => {
  expect(await navigate({ head: head() }) != null).toBe(handsOver)
})

it('shows its own page also after more navigations at once than there are hand-over pages', async () => {
  await navigate()
  await Promise.all([navigate(), navigate(), navigate()])
  expect([await navigate(), await navigate(), await navigate()]).toContain(undefined)
})
