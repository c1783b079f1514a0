import { NotFoundError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { respondError } from '../src/respond/error.ts'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

it('a block that only waits too long for others is unavailable, and not missing', () => {
  const busy = Object.assign(new Error('256 wait'), { name: 'DecodeQueueFullError' })
  const respond = (cause?: Error): Response =>
    respondError(new NotFoundError(cid, { cause }), new Request('http://localhost/ipfs/a'))

  expect(respond().status).toBe(404)
  expect(respond(busy).status).toBe(503)
  expect(respond(new NotFoundError(cid, { cause: busy })).headers.get('retry-after')).toBe('30')
})
