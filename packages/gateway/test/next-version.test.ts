/** How a version of a site's service worker makes way for the next one. */
import { expect, it, vi } from 'vitest'
import { handOver } from '../src/service-worker/next-version.ts'

type Event = Parameters<typeof handOver>[0]
type Scope = Parameters<typeof handOver>[1]

it('lets the browser come to rest between offers, and shows its own page after five', async () => {
  const postMessage = vi.fn()
  let open = ['the page that is left']

  /** A navigation, and the seconds after which the page that answers it is loaded again. */
  async function navigate (id: string): Promise<string | undefined> {
    const event = { request: { destination: 'document' }, resultingClientId: id } as Event
    const matchAll = async (): Promise<unknown> => open.map(id => ({ id, frameType: 'top-level' }))
    const scope = { registration: { waiting: { postMessage } }, clients: { matchAll } } as never as Scope
    const answer = await handOver(event, scope)
    open = [id]

    return answer?.headers.get('refresh') ?? undefined
  }

  const refreshes: Array<string | undefined> = []

  for (let i = 0; i < 7; i++) {
    refreshes.push(await navigate(`empty ${i}`))
  }

  expect(refreshes).toEqual(['0', '0', '1', '1', '1', '1', undefined])
  expect(postMessage).toHaveBeenCalledTimes(5)
})
