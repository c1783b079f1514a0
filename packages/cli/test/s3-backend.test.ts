import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../test/support/listen.ts'
import { s3Backend } from '../src/store/s3-backend.ts'

it('sends a delete of a record once, even if the connection breaks: another node may have put it again', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
  const methods: string[] = []
  const server = createServer((request, response) => {
    methods.push(request.method ?? '')
    request.resume().on('end', () => {
      if (request.method === 'PUT') {
        response.setHeader('etag', '"93b885adfe0da089cdf634904fd59f71"').end()
      } else {
        request.socket.destroy()
      }
    })
  })
  const { port, close } = await listen(server)
  onTestFinished(async () => {
    await close()
    vi.unstubAllEnvs()
  })
  const { records } = s3Backend(`s3://bucket/site?endpoint=http://127.0.0.1:${port}&region=us-east-1`)

  await records.put('records/pin/x', new Uint8Array(1))
  await expect(records.delete(['records/pin/x'])).rejects.toMatchObject({ name: 'S3NetworkError' })
  expect(methods).toEqual(['PUT', 'POST'])
})
