import { expect, it } from 'vitest'
import { parseS3Url, S3Objects } from '../src/index.ts'
import { makeUrl } from '../src/request/attempt.ts'
import { Endpoints } from '../src/request/endpoints.ts'
import { parseRetryAfter, retryDelay } from '../src/request/backoff.ts'
import { findSettings } from '../src/request/settings.ts'
import { CREDENTIALS, fakeS3 } from '../../../test/support/fake-s3.ts'

it('parses the URL of a store', () => {
  expect(parseS3Url('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '' })
  expect(parseS3Url('s3://bucket?pathStyle=true')).toEqual({ bucket: 'bucket', prefix: '', pathStyle: true })
  expect(parseS3Url('s3://My_Bucket.1/a/b%20c/?endpoint=http://10.0.0.1:7480&endpoint=https://s3.example/&region=eu-1&' +
    'pathStyle=false')).toEqual({
    bucket: 'My_Bucket.1',
    prefix: 'a/b c/',
    endpoints: ['http://10.0.0.1:7480', 'https://s3.example'],
    region: 'eu-1',
    pathStyle: false
  })
})

it.each([
  'bucket', 'http://bucket', 's3://', 's3://-', 's3://b?endpoint=ftp://x', 's3://bucket?endpoint=http://x/path',
  's3://bucket?endpoint=http://x/?a=b', 's3://bucket?endpoint=x', 's3://bucket?region=a%0Ab', 's3://bucket?region=',
  's3://bucket?region=a&region=b', 's3://bucket?pathStyle=yes', 's3://bucket?other=1', 's3://bucket/%FF',
  's3://bucket/a//b', 's3://bucket/%00', `s3://bucket/${'a'.repeat(1025)}`
])('refuses %s', url => {
  expect(() => parseS3Url(url)).toThrow(expect.objectContaining({ name: 'S3UrlError' }))
})

it.each([
  's3://AKID:HUSH@bucket', 's3://HUSH@bucket', 's3://bucket?endpoint=http://AKID:HUSH@host',
  's3://bucket?secretAccessKey=HUSH', 's3://bucket?AWS_ACCESS_KEY_ID=HUSH', 's3://bucket?X-Amz-Signature=HUSH'
])('refuses credentials in %s, and does not repeat them', url => {
  expect(() => parseS3Url(url)).toThrow(/contains credentials/)
  expect(() => parseS3Url(url)).not.toThrow(/HUSH/)
})

it.each([
  [{ bucket: 'bucket', endpoints: ['http://s3.test:9000'] }, 'http://s3.test:9000/bucket/p/k%2B%C3%BC%21'],
  [{ bucket: 'bucket', endpoints: ['http://s3.test:9000'], pathStyle: false },
    'http://bucket.s3.test:9000/p/k%2B%C3%BC%21'],
  [{ bucket: 'bucket', region: 'eu-1', pathStyle: true }, 'https://s3.eu-1.amazonaws.com/bucket/p/k%2B%C3%BC%21']
])('addresses objects of %o', async (init, expected) => {
  const { endpoints: [endpoint], pathStyle } = await findSettings({ region: 'eu-1', ...init })

  expect(makeUrl({ endpoint, bucket: init.bucket, pathStyle, key: 'p/k+ü!' }).href).toBe(expected)
})

it('keeps to its prefix', async () => {
  const s3 = await fakeS3()
  const objects = new S3Objects({ bucket: 'bucket', prefix: '/a/b', endpoints: [s3.origin], credentials: CREDENTIALS })
  await objects.put('key', new Uint8Array(1))

  expect([...s3.objects.keys()]).toEqual(['a/b/key'])
  objects.close()
  await s3.close()
})

it('lets one request find out whether an endpoint is back', () => {
  let now = 0
  const endpoints = new Endpoints(['a', 'b'], () => now)
  const choose = (): string => endpoints.choose(new Set())
  endpoints.unreachable('a')

  expect([choose(), choose()]).toEqual(['b', 'b'])
  now = 30_000
  expect([choose(), choose()]).toEqual(['a', 'b'])
  endpoints.answered('a')
  expect([choose(), choose()]).toEqual(['a', 'a'])
})

it('asks the endpoint that has rested longest if none works', () => {
  let now = 0
  const endpoints = new Endpoints(['a', 'b'], () => now)
  endpoints.unreachable('b')
  now = 10
  endpoints.unreachable('a')

  expect(endpoints.choose(new Set())).toBe('b')
  expect(endpoints.choose(new Set())).toBe('a')
})

it('waits up to twice as long before each attempt, and as long as the store says, within bounds', () => {
  const longest = [1, 2, 3, 7, 100].map(attempt => retryDelay(attempt, 0, () => 1))

  expect(longest).toEqual([100, 200, 400, 5000, 5000])
  expect(retryDelay(5, 0, () => 0)).toBe(0)
  expect(retryDelay(1, 3000, () => 0.5)).toBe(3050)
  expect(retryDelay(1, 1e9, () => 0)).toBe(20_000)
})

it('reads Retry-After as seconds or as a date of the store', () => {
  const date = 'Mon, 23 Nov 2026 08:00:00 GMT'

  expect(parseRetryAfter('2', date)).toBe(2000)
  expect(parseRetryAfter('Mon, 23 Nov 2026 08:00:07 GMT', date)).toBe(7000)
  expect(parseRetryAfter('Mon, 23 Nov 2026 07:00:00 GMT', date)).toBe(0)
  expect([undefined, 'soon', ''].map(value => parseRetryAfter(value, date))).toEqual([0, 0, 0])
})
