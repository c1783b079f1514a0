import { describe, expect, it } from 'vitest'
import { acceptsCoding } from '../src/request/accept-encoding.ts'
import { isOnlyIfCached, matchesEtag, matchesIfRange } from '../src/request/conditions.ts'
import { parseRange } from '../src/request/range.ts'

describe('Accept-Encoding', () => {
  it.each<[string | undefined, string]>([
    ['gzip, deflate, br, zstd', 'br gzip zstd'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['x-gzip', 'gzip'],
    ['zstd;q=0.5, br;q=0.1', 'br zstd'],
    ['zstd;q=0, br', 'br'],
    ['gzip, *;q=0', 'gzip'],
    ['identity;q=0, zstd', 'zstd'],
    // prefers the bytes as they are
    ['identity', ''],
    ['identity;q=1, zstd;q=0.5', ''],
    // says nothing of what it can decode
    ['*', ''],
    ['*;q=0.1', ''],
    ['', ''],
    [undefined, ''],
    ['deflate, compress', ''],
    [';;;,,=', ''],
    ['zstd;q=x', '']
  ])('%s takes %s', (header, codings) => {
    const headers = new Headers(header == null ? {} : { 'accept-encoding': header })

    expect((['br', 'gzip', 'zstd'] as const).filter(coding => acceptsCoding(headers, coding)).join(' ')).toBe(codings)
  })
})

describe('Range', () => {
  it.each<[string | null, number, unknown]>([
    ['bytes=0-9', 100, { start: 0, end: 10 }],
    ['bytes=90-', 100, { start: 90, end: 100 }],
    ['bytes=-10', 100, { start: 90, end: 100 }],
    ['bytes=-1000', 100, { start: 0, end: 100 }],
    ['bytes=50-1000', 100, { start: 50, end: 100 }],
    [' Bytes=5-6 ', 100, { start: 5, end: 7 }],
    ['bytes=100- , 5-6', 100, { start: 5, end: 7 }],
    ['bytes=5 - 6', 100, undefined],
    ['bytes=6-16,0-4', 100, { start: 6, end: 17 }],
    ['bytes=100-,0-4', 100, { start: 0, end: 5 }],
    ['bytes=100-', 100, 'unsatisfiable'],
    ['bytes=-0', 100, 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 100, 'unsatisfiable'],
    ['bytes=0-', 0, undefined],
    ['bytes=9-5', 100, undefined],
    ['bytes=0-5,x', 100, undefined],
    ['bytes=-', 100, undefined],
    ['bytes=', 100, undefined],
    ['bytes', 100, undefined],
    ['frames=0-5', 100, undefined],
    ['bytes=1.5-5', 100, undefined],
    ['bytes=-5-6', 100, undefined],
    [null, 100, undefined]
  ])('%s of %d bytes', (header, size, range) => {
    expect(parseRange(header, size)).toEqual(range)
  })
})

describe('conditions', () => {
  it.each<[string | null, boolean]>([
    ['"cid"', true],
    ['W/"cid"', true],
    ['"a", "b,c" , "cid"', true],
    ['*', true],
    ['"cid.zstd"', false],
    ['cid', false],
    ['"a*b"', false],
    ['', false],
    [null, false]
  ])('If-None-Match: %s', (header, matches) => {
    expect(matchesEtag(header, '"cid"')).toBe(matches)
    expect(matchesEtag(header, 'W/"cid"')).toBe(matches)
  })

  it('let a range count only for the strong ETag', () => {
    expect(matchesIfRange(null, '"cid"')).toBe(true)
    expect(matchesIfRange('"cid"', '"cid"')).toBe(true)
    expect(matchesIfRange('W/"cid"', 'W/"cid"')).toBe(false)
    expect(matchesIfRange('"cid.zstd"', '"cid"')).toBe(false)
    expect(matchesIfRange('Sun, 22 Nov 2026 12:00:00 GMT', '"cid"')).toBe(false)
  })

  it('find only-if-cached among other directives', () => {
    expect(isOnlyIfCached(new Headers({ 'cache-control': 'max-age=0, Only-If-Cached' }))).toBe(true)
    expect(isOnlyIfCached(new Headers({ 'cache-control': 'no-cache' }))).toBe(false)
    expect(isOnlyIfCached(new Headers())).toBe(false)
  })
})
