import { describe, expect, it } from 'vitest'
import { formatCombined, MAX_LOGGED, toJson } from '../src/gateway/access-log.ts'
import type { AccessEntry } from '../src/gateway/access-log.ts'

function entry (parts: Partial<AccessEntry> = {}): AccessEntry {
  return {
    time: Date.UTC(2026, 1, 3, 4, 5, 6, 789),
    address: '192.0.2.1',
    method: 'GET',
    url: '/ipfs/bafkqaaa?format=raw',
    httpVersion: '1.1',
    host: 'localhost:8080',
    status: 200,
    bytes: 1234,
    duration: 5.4321,
    encoding: 'zstd',
    complete: true,
    referer: undefined,
    userAgent: 'curl/8.0',
    ...parts
  }
}

describe('a line of the access log', () => {
  it('has the combined log format', () => {
    expect(formatCombined(entry())).toBe(
      '192.0.2.1 - - [03/Feb/2026:04:05:06 +0000] "GET /ipfs/bafkqaaa?format=raw HTTP/1.1" 200 1234 "-" "curl/8.0"'
    )
    expect(formatCombined(entry({ bytes: 0, referer: 'http://a/', userAgent: undefined })))
      .toMatch(/ 200 - "http:\/\/a\/" "-"$/)
  })

  it('escapes quotes, backslashes, control characters and all beyond ASCII', () => {
    const line = formatCombined(entry({ url: '/"\\\r\n\x1b[2J\x7f\x9b\xe9', userAgent: '" 200 1 "x' }))

    expect(line).toContain('"GET /\\x22\\x5c\\x0d\\x0a\\x1b[2J\\x7f\\x9b\\xe9 HTTP/1.1"')
    expect(line).toContain('"\\x22 200 1 \\x22x"')
    expect(line).toMatch(/^[\x20-\x7e]+$/)
  })

  it('is bounded, whatever a client sends', () => {
    const long = '\x01'.repeat(100_000)
    const texts = { url: long, referer: long, userAgent: long, method: long, host: long }

    expect(formatCombined(entry(texts)).length).toBeLessThan(5 * 4 * (MAX_LOGGED + 10))
    expect(JSON.stringify(toJson(entry(texts))).length).toBeLessThan(6 * 6 * (MAX_LOGGED + 10))
  })

  it('has all fields in JSON', () => {
    expect(toJson(entry({ referer: 'http://a/', complete: false }))).toEqual({
      event: 'request',
      time: '2026-02-03T04:05:06.789Z',
      address: '192.0.2.1',
      method: 'GET',
      url: '/ipfs/bafkqaaa?format=raw',
      httpVersion: '1.1',
      host: 'localhost:8080',
      status: 200,
      bytes: 1234,
      duration: 5.432,
      encoding: 'zstd',
      complete: false,
      referer: 'http://a/',
      userAgent: 'curl/8.0'
    })
  })
})
