import { createServer } from 'node:http'
import { Key } from 'interface-datastore'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../test/support/listen.ts'
import { ObjectDatastore } from '../src/records/object-datastore.ts'
import { s3Backend } from '../src/places/s3-backend.ts'
import type { RequestListener, ServerResponse } from 'node:http'

async function connect (answer: RequestListener): Promise<ReturnType<typeof s3Backend>> {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
  const { port, close } = await listen(createServer(answer))
  onTestFinished(async () => {
    await close()
    vi.unstubAllEnvs()
  })

  return s3Backend(`s3://bucket/site?endpoint=http://127.0.0.1:${port}&region=us-east-1`)
}

it('sends a delete of a record once, even if the connection breaks: another node may have put it again', async () => {
  const methods: string[] = []
  const { records } = await connect((request, response) => {
    methods.push(request.method ?? '')
    request.resume().on('end', () => {
      if (request.method === 'PUT') {
        response.setHeader('etag', '"93b885adfe0da089cdf634904fd59f71"').end()
      } else {
        request.socket.destroy()
      }
    })
  })

  await records.put('records/pin/x', new Uint8Array(1))
  await expect(records.delete(['records/pin/x'])).rejects.toMatchObject({ name: 'S3NetworkError' })
  expect(methods).toEqual(['PUT', 'POST'])
})

it('says until when the delete of a link is good: as long as a collection says, and 16 seconds by itself', async () => {
  const queries: Array<Record<string, string>> = []
  const { records } = await connect((request, response) => {
    queries.push(Object.fromEntries(new URL(request.url ?? '', 'http://store').searchParams))
    request.resume().on('end', () => {
      response.setHeader('date', new Date(60_000).toUTCString()).end('<DeleteResult></DeleteResult>')
    })
  })
  const init = { prefix: 'records', name: 'store' }

  await new ObjectDatastore(records, init).delete(new Key('/link'))

  expect(queries[0]).toMatchObject({ 'X-Amz-Expires': '16' })
})

it('takes a store for away whose mark is gone, and not one that answers others while a look fails', async () => {
  const looks: ServerResponse[] = []
  const { objects, watch } = await connect((request, response) => {
    if (request.url?.includes('ipfsz-store.json') !== true) {
      response.end('an answer')
    } else if (looks.push(response) === 3) {
      response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    }
  })

  const checked = watch.check()

  // both attempts of the look fail
  for (let look = 0; look < 2; look++) {
    await expect.poll(() => looks.length).toBe(look + 1)
    await objects.get('key')
    looks[look].destroy()
  }

  await checked
  await expect(watch.check()).rejects.toMatchObject({ name: 'StoreAwayError', cause: { name: 'StoreMissingError' } })
})
