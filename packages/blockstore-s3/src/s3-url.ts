import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { messageOf } from '@ipfsz/utils/message-of'
import { S3UrlError } from './errors.ts'
import { checkKey } from './keys.ts'
import type { S3ObjectsInit } from './contract.ts'

/** The options of S3Objects that a URL holds. */
export type S3UrlParts = Pick<S3ObjectsInit, 'bucket' | 'endpoints' | 'pathStyle' | 'prefix' | 'region'>

/** Those of AWS, and the older ones that Ceph has. */
const BUCKET = /^[\dA-Za-z][\w.-]{1,254}$/
const REGION = /^[\w-]{1,64}$/

const PARAMETERS = new Set(['endpoint', 'pathStyle', 'region'])
const PARAMETER = /^[a-z]{1,32}$/i
/** Names that people give to credentials. Their values are never repeated. */
const SECRET = /access|credential|key|pass|secret|sign|token|user/i

/**
 * Parse `s3://BUCKET/PREFIX?endpoint=URL&endpoint=URL&region=REGION&pathStyle=true`.
 *
 * @throws {S3UrlError} also if the URL has credentials: URLs are kept in settings, histories and logs
 */
export function parseS3Url (text: string): S3UrlParts {
  const url = parseUrl(text, 'the store')

  if (url.protocol !== 's3:') {
    throw new S3UrlError('The URL of a store must begin with s3://')
  }

  for (const name of url.searchParams.keys()) {
    checkParameter(name)
  }

  const endpoints = url.searchParams.getAll('endpoint').map(checkEndpoint)
  const pathStyle = single(url, 'pathStyle')

  if (pathStyle != null && pathStyle !== 'true' && pathStyle !== 'false') {
    throw new S3UrlError(`pathStyle must be true or false, not ${JSON.stringify(hideSecrets(pathStyle))}`)
  }

  return {
    bucket: checkBucket(url.host),
    prefix: checkPrefix(decode(url.pathname)),
    ...endpoints.length > 0 ? { endpoints } : {},
    ...url.searchParams.has('region') ? { region: checkRegion(single(url, 'region') ?? '') } : {},
    ...pathStyle == null ? {} : { pathStyle: pathStyle === 'true' }
  }
}

/** @throws {S3UrlError} */
export function checkBucket (bucket: string): string {
  if (!BUCKET.test(bucket)) {
    throw new S3UrlError(`${JSON.stringify(hideSecrets(bucket))} is not the name of a bucket`)
  }

  return bucket
}

/** @throws {S3UrlError} */
export function checkRegion (region: string): string {
  if (!REGION.test(region)) {
    throw new S3UrlError(`${JSON.stringify(hideSecrets(region))} is not the name of a region`)
  }

  return region
}

/**
 * @returns without a slash at its beginning, and with one at its end if it is not empty
 * @throws {S3UrlError}
 */
export function checkPrefix (prefix: string): string {
  const bare = prefix.replace(/^\//, '').replace(/\/$/, '')

  if (bare === '') {
    return ''
  }

  try {
    checkKey(bare)
  } catch (cause) {
    throw new S3UrlError(`The prefix cannot be used: ${messageOf(cause)}`, { cause })
  }

  return `${bare}/`
}

/**
 * @returns its origin
 * @throws {S3UrlError}
 */
export function checkEndpoint (text: string): string {
  const url = parseUrl(text, 'an endpoint')

  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new S3UrlError(`The URL of an endpoint must begin with http:// or https://, not ${url.protocol}`)
  }

  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new S3UrlError(`The endpoint ${url.origin} has a path or a query: use only the host and its port`)
  }

  return url.origin
}

/** @throws {S3UrlError} it is none, or it has credentials; the message never repeats it */
function parseUrl (text: string, what: string): URL {
  let url: URL

  try {
    url = new URL(text)
  } catch {
    throw new S3UrlError(`The URL of ${what} cannot be parsed`)
  }

  if (url.username !== '' || url.password !== '') {
    throw new S3UrlError(`The URL of ${what} contains credentials: ${ELSEWHERE}`)
  }

  return url
}

const ELSEWHERE = 'remove them, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use ~/.aws/credentials'

function checkParameter (name: string): void {
  if (PARAMETERS.has(name)) {
    return
  }

  // a name without a value may be anything
  throw new S3UrlError(SECRET.test(name) || !PARAMETER.test(name)
    ? `The URL of a store contains credentials: ${ELSEWHERE}`
    : `The URL of a store has no parameter ${JSON.stringify(name)}, only ${[...PARAMETERS].join(', ')}`)
}

function single (url: URL, name: string): string | undefined {
  const values = url.searchParams.getAll(name)

  if (values.length > 1) {
    throw new S3UrlError(`The URL of a store has ${name} more than once`)
  }

  return values[0]
}

function decode (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new S3UrlError('The prefix in the URL of the store is not UTF-8')
  }
}
