/** How a version of a site's service worker makes way for the next one. */
import { beforeEach, expect, it, vi } from 'vitest'
import { createHandOver } from '../src/service-worker/next-version.ts'

type HandOver = ReturnType<typeof createHandOver>

const takeOver = vi.fn()
let open: string[]
let handOver: HandOver

/** A worker that has just started: it remembers nothing. */
function startWorker (): void {
  handOver = createHandOver({
    registration: { waiting: { postMessage: takeOver } },
    clients: { matchAll: async () => open.map(id => ({ id, frameType: 'top-level' })) }
  } as never as Parameters<typeof createHandOver>[0])
}

beforeEach(() => {
  takeOver.mockClear()
  open = ['the page that is left']
  startWorker()
})

/** A navigation, and the empty page that answers it, if one does. */
async function navigate (id: string, path = '/'): Promise<Response | undefined> {
  const request = { destination: 'document', url: `https://site.test${path}` }
  const event = { request, resultingClientId: id } as Parameters<HandOver>[0]
  const answer = await handOver(event)
  open = [id]

  return answer
}

/** The seconds after which the empty page of a navigation is loaded again. */
async function refreshOf (id: string): Promise<string | undefined> {
  const script = await (await navigate(id))?.text() ?? ''
  const [, milliseconds] = /location\.reload\(\),(\d+)\)/.exec(script) ?? []

  return milliseconds == null ? undefined : `${Number(milliseconds) / 1000}`
}

it('lets the browser come to rest after each offer, and shows its own page after four empty ones', async () => {
  const refreshes: Array<string | undefined> = []

  for (let i = 0; i < 6; i++) {
    refreshes.push(await refreshOf(`empty ${i}`))
  }

  expect(refreshes).toEqual(['0', '2', '2', '2', undefined, undefined])
  expect(takeOver).toHaveBeenCalledTimes(3)
})

it('tells the next version at once in a tab that is the only one, and then lets the browser come to rest', async () => {
  open = []
  expect(await refreshOf('empty 0')).toBe('2')
  expect(takeOver).toHaveBeenCalledTimes(1)
})

it('sends an empty page that is loaded again once it belongs to the next version', async () => {
  await navigate('empty 0')
  const answer = await navigate('empty 1')
  expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8')

  const [, script = ''] = /<script>([^]*)<\/script>/.exec(await answer?.text() ?? '') ?? []
  const serviceWorker = new EventTarget()
  const reload = vi.fn()
  // oxlint-disable-next-line no-new-func -- as the page runs it
  new Function('navigator', 'location', 'setTimeout', script)({ serviceWorker }, { reload }, () => {})
  expect(reload).not.toHaveBeenCalled()
  serviceWorker.dispatchEvent(new Event('controllerchange'))
  serviceWorker.dispatchEvent(new Event('controllerchange'))
  expect(reload).toHaveBeenCalledTimes(1)
})

it('shows its own page in the end where the browser does not say which page an answer is for', async () => {
  const answers: boolean[] = []

  for (let i = 0; i < 6; i++) {
    answers.push(await refreshOf('') != null)
    open = [`unknown ${i}`]
  }

  expect(answers).toEqual([true, true, true, true, false, false])
  expect(takeOver).not.toHaveBeenCalled()
})

it('offers again after it has forgotten its empty pages', async () => {
  await navigate('empty 0')
  startWorker()
  expect([await refreshOf('empty 1'), await refreshOf('empty 2')]).toEqual(['0', '2'])
  expect(takeOver).toHaveBeenCalledTimes(1)
})

it('counts from the start again once another page was open', async () => {
  for (let i = 0; i < 5; i++) {
    await navigate(`empty ${i}`)
  }

  open = ['one', 'another']
  expect(await navigate('page')).toBeUndefined()
  open = ['one']
  expect([await refreshOf('empty 5'), await refreshOf('empty 6')]).toEqual(['0', '2'])
})

it('leaves the page that is open where it is when something is downloaded', async () => {
  expect(await navigate('download', '/files/archive.zip')).toBeUndefined()
  expect(await navigate('page', '/docs.v2/')).toBeDefined()
  expect(await navigate('another', '/docs.v2/page.html')).toBeDefined()
})
