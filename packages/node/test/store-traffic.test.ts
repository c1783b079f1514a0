/** What is counted of the requests to a store. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import all from 'it-all'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Metrics } from '../src/gateway/metrics.ts'
import { directoryBackend, MARK_KEY, openBackend } from '@ipfsz/shared-store/places'
import type { AddressInfo } from 'node:net'
import type { StoreTraffic } from '@ipfsz/shared-store/objects'

/** Requests and bytes by kind and outcome. */
function counted ({ rows }: StoreTraffic): Record<string, [count: number, bytes: number]> {
  return Object.fromEntries(rows.map(({ kind, outcome, durations, bytes }) =>
    [`${kind} ${outcome}`, [durations.count, bytes]]))
}

describe('the traffic of a store', () => {
  it('counts objects of a directory by kind and outcome', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-traffic-'))
    onTestFinished(async () => { await rm(directory, { recursive: true }) })
    const backend = directoryBackend(directory)
    await backend.unmarked.put(MARK_KEY, new Uint8Array(1))
    const { objects } = backend

    await objects.put('a/b', new Uint8Array(10))
    await objects.get('a/b')
    await expect(objects.get('a/c')).rejects.toMatchObject({ name: 'NotFoundError' })
    await objects.stat('a/b')
    await objects.stat('a/c')
    await all(objects.list('a/'))
    await objects.delete(['a/b'])
    expect(counted(backend.traffic)).toEqual({
      'put ok': [1, 10],
      'get ok': [1, 10],
      'get missing': [1, 0],
      'has ok': [1, 0],
      'has missing': [1, 0],
      'list ok': [expect.any(Number), 0],
      'delete ok': [1, 0]
    })
  })

  it('counts each request to S3', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
    const server = createServer(({ method }, response) => {
      response.writeHead(method === 'HEAD' ? 404 : 403).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      server.close()
      vi.unstubAllEnvs()
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { objects, traffic } = await openBackend(`s3://bucket/site?endpoint=http://127.0.0.1:${port}&region=us-east-1`)

    // whether there is such a bucket it cannot tell either
    await expect(objects.stat('x')).rejects.toThrow()
    await expect(objects.put('x', new Uint8Array(100))).rejects.toThrow()

    expect(traffic.rows).toContainEqual(expect.objectContaining({ kind: 'has', outcome: 'missing' }))
    expect(traffic.rows).toContainEqual(expect.objectContaining({ kind: 'put', outcome: 'failed', bytes: 100 }))
  })

  it('is printed with the metrics', async () => {
    const metrics = new Metrics('1')
    expect(metrics.print()).not.toContain('ipfsz_store')

    const { traffic } = directoryBackend('/nowhere')
    metrics.watchStore(traffic)
    traffic.add('get', 'ok', { bytes: 100, seconds: 0.5 })
    traffic.cache.hits = 3

    for (
      const line of [
        'ipfsz_store_requests_total{kind="get",outcome="ok"} 1',
        'ipfsz_store_bytes_total{kind="get",outcome="ok"} 100',
        'ipfsz_store_request_duration_seconds_bucket{kind="get",outcome="ok",le="0.1"} 0',
        'ipfsz_store_request_duration_seconds_bucket{kind="get",outcome="ok",le="0.5"} 1',
        'ipfsz_store_request_duration_seconds_bucket{kind="get",outcome="ok",le="+Inf"} 1',
        'ipfsz_store_request_duration_seconds_sum{kind="get",outcome="ok"} 0.5',
        'ipfsz_store_request_duration_seconds_count{kind="get",outcome="ok"} 1',
        'ipfsz_store_cache_hits_total 3',
        'ipfsz_store_cache_misses_total 0'
      ]
    ) {
      expect(metrics.print().split('\n')).toContain(line)
    }
  })
})
