import { describe, expect, it } from 'vitest'
import { kindOf, Metrics } from '../src/gateway/metrics.ts'
import type { AccessEntry } from '../src/gateway/access-log.ts'

const END = { status: 200, bytes: 100, duration: 20, complete: true } as AccessEntry

/** The value of a metric, with its labels. */
function valueOf (metrics: Metrics, name: string): number {
  const line = metrics.print().split('\n').find(line => line.startsWith(`${name} `))

  return Number(line?.slice(name.length + 1))
}

describe('metrics', () => {
  it('count requests and bytes by kind and status', () => {
    const metrics = new Metrics('1.2.3')

    metrics.begin()
    metrics.begin()
    metrics.begin()
    metrics.end('stored', END)
    metrics.end('stored', { ...END, bytes: 1, complete: false })

    expect(metrics.inFlight).toBe(1)
    expect(valueOf(metrics, 'ipfsz_gateway_requests_total{kind="stored",status="200"}')).toBe(2)
    expect(valueOf(metrics, 'ipfsz_gateway_response_bytes_total{kind="stored",status="200"}')).toBe(101)
    expect(valueOf(metrics, 'ipfsz_gateway_incomplete_responses_total')).toBe(1)
    expect(valueOf(metrics, 'ipfsz_gateway_requests_in_flight')).toBe(1)
    expect(valueOf(metrics, 'ipfsz_info{version="1.2.3"}')).toBe(1)
  })

  it('print what a cache holds, if there is one', () => {
    const metrics = new Metrics('1')
    expect(metrics.print()).not.toContain('cache')

    metrics.watchCache({ bytes: 8192 })

    expect(valueOf(metrics, 'ipfsz_gateway_cache_bytes')).toBe(8192)
  })

  it('count decompressed bytes, fetched blocks and dropped lines', () => {
    const metrics = new Metrics('1')

    metrics.decompressed(10)
    metrics.decompressed(5)
    metrics.fetched(7)
    metrics.dropLine()

    expect(valueOf(metrics, 'ipfsz_gateway_decompressed_bytes_total')).toBe(15)
    expect(valueOf(metrics, 'ipfsz_gateway_fetched_blocks_total')).toBe(1)
    expect(valueOf(metrics, 'ipfsz_gateway_fetched_bytes_total')).toBe(7)
    expect(valueOf(metrics, 'ipfsz_gateway_log_lines_dropped_total')).toBe(1)
  })

  it('have a histogram whose buckets hold all shorter durations, and one for those beyond', () => {
    const metrics = new Metrics('1')

    for (const duration of [0.5, 1, 20, 40_000, 1_000_000]) {
      metrics.begin()
      metrics.end('file', { ...END, duration })
    }

    const bucket = (bound: string): number =>
      valueOf(metrics, `ipfsz_gateway_request_duration_seconds_bucket{le="${bound}"}`)

    expect(['0.001', '0.01', '0.05', '30', '60', '300', '+Inf'].map(bucket)).toEqual([2, 2, 3, 3, 4, 4, 5])
    expect(valueOf(metrics, 'ipfsz_gateway_request_duration_seconds_count')).toBe(5)
    expect(valueOf(metrics, 'ipfsz_gateway_request_duration_seconds_sum')).toBeCloseTo(1040.0215)
  })

  it('are printed in lines that Prometheus reads, each name with its help and type first', () => {
    const metrics = new Metrics('1')
    metrics.begin()
    metrics.end('error', { ...END, status: 404 })
    const lines = metrics.print().split('\n')

    expect(lines.pop()).toBe('')

    for (const line of lines) {
      expect(line).toMatch(line.startsWith('#')
        ? /^# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:counter|gauge|histogram))$/
        : /^[a-z_]+(?:\{(?:[a-z]+="[^"]*",?)+\})? [\d.e+-]+$/)
    }

    expect(lines.filter(line => line.startsWith('# HELP')).length)
      .toBe(lines.filter(line => line.startsWith('# TYPE')).length)
  })
})

describe('the kind of a response', () => {
  it.each<[string, Parameters<typeof kindOf>[0]]>([
    ['file', { status: 200, contentType: 'text/plain' }],
    ['stored', { status: 200, contentType: 'text/plain', contentEncoding: 'zstd' }],
    ['compressed', { status: 200, contentType: 'text/plain', contentEncoding: 'gzip', etag: 'W/"x.fast-gzip"' }],
    ['range', { status: 206, contentType: 'text/plain' }],
    ['block', { status: 200, contentType: 'application/vnd.ipld.raw', contentEncoding: 'gzip' }],
    ['car', { status: 200, contentType: 'application/vnd.ipld.car; version=1; order=dfs; dups=n' }],
    ['tar', { status: 200, contentType: 'application/x-tar' }],
    ['document', { status: 200, contentType: 'application/vnd.ipld.dag-json' }],
    ['record', { status: 200, contentType: 'application/vnd.ipfs.ipns-record' }],
    ['listing', { status: 200, contentType: 'text/html', etag: '"DirIndex-1_CID-bafy"' }],
    ['unchanged', { status: 304, contentType: 'application/x-tar' }],
    ['redirect', { status: 301 }],
    ['error', { status: 404, contentType: 'text/html' }],
    ['error', { status: 503 }],
    ['other', { status: 204 }]
  ])('is %s for %j', (kind, response) => {
    expect(kindOf(response)).toBe(kind)
  })
})
