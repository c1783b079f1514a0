import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import type { KuboNode } from '../support/network-kubo.ts'
import type { AddressInfo } from 'node:net'

/** A pinning service: the part of the Pinning Service API 1.0.0 that adding and listing need, in front of a Kubo. */
export interface PinningService {
  url: string
  /** The CIDs that it was asked to pin. */
  asked: string[]
  close: () => Promise<void>
}

interface Pin {
  cid: string
  name?: string
}

interface PinStatus {
  requestid: string
  status: 'pinned' | 'failed'
  created: string
  pin: Pin
  delegates: string[]
}

/** @param kubo - fetches and pins what the service is asked to pin */
export async function pinningService (kubo: KuboNode): Promise<PinningService> {
  const pins = new Map<string, PinStatus>()

  const add = async (pin: Pin): Promise<PinStatus> => {
    service.asked.push(pin.cid)
    const status = await kubo.pin(pin.cid).then(() => 'pinned' as const, () => 'failed' as const)
    const added: PinStatus = {
      requestid: randomUUID(),
      status,
      created: new Date().toISOString(),
      pin,
      delegates: [kubo.address]
    }
    pins.set(added.requestid, added)

    return added
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const answer = (value: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }

    if (request.method === 'POST') {
      answer(await add(await json(request) as Pin), 202)
    } else if (pathname === '/pins') {
      const wanted = searchParams.get('cid')?.split(',')
      const results = [...pins.values()].filter(
        ({ pin, status }) =>
          wanted?.includes(pin.cid) !== false && searchParams.get('status')?.split(',').includes(status) !== false
      )
      answer({ count: results.length, results })
    } else {
      const pin = pins.get(pathname.slice('/pins/'.length))
      answer(pin ?? { error: { reason: 'NOT_FOUND' } }, pin == null ? 404 : 200)
    }
  })

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })

  const service: PinningService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    close: async () => new Promise(resolve => {
      server.closeAllConnections()
      server.close(() => { resolve() })
    })
  }

  return service
}
