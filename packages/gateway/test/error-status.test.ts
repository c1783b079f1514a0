import { NotFoundError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity as identityHash } from 'multiformats/hashes/identity'
import { expect, it } from 'vitest'
import { reportFailure, respondError } from '../src/respond/error.ts'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

it('a block that only waits too long for others is unavailable, and not missing', () => {
  const busy = Object.assign(new Error('256 wait'), { name: 'DecodeQueueFullError' })
  const respond = (cause?: Error): Response =>
    respondError(new NotFoundError(cid, { cause }), new Request('http://localhost/ipfs/a'))

  expect(respond().status).toBe(404)
  expect(respond(busy).status).toBe(503)
  expect(respond(new NotFoundError(cid, { cause: busy })).headers.get('retry-after')).toBe('30')
})

it('a store that is away is unavailable, told to the operator, and not named to strangers', async () => {
  const cause = Object.assign(new Error('no answer from http://10.0.0.1:3900'), { name: 'S3NetworkError' })
  const err = Object.assign(new Error(`Could not read the block ${cid}: ${cause.message}`, { cause }), {
    name: 'GetFailedError'
  })
  const request = new Request('http://localhost/ipfs/a')
  const response = respondError(err, request)
  const reported: unknown[] = []
  reportFailure(err, request, { onError: err => { reported.push(err) } })

  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('30')
  expect(await response.text()).not.toContain('10.0.0.1')
  expect(reported).toEqual([err])
})

it.each(['text/plain', 'text/html'])('as %s, an error does not repeat a CID that holds a whole block', {
  tags: 'slow'
}, async accept => {
  const identity = CID.createV1(raw.code, identityHash.digest(new Uint8Array(1024 * 1024)))
  const response = respondError(new NotFoundError(identity), new Request('http://localhost/', { headers: { accept } }))

  expect((await response.text()).length).toBeLessThan(10_000)
})
