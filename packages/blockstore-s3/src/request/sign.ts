import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'
import type { S3Credentials } from '../contract.ts'

export interface Unsigned {
  method: string
  url: URL
  headers: Record<string, string>
  body?: Uint8Array | undefined
}

/**
 * Sign a request, its body included: the store compares the body with the signature, so it notices one that was
 * damaged on its way.
 *
 * @returns the headers, signed
 */
export async function sign (
  { method, url, headers, body }: Unsigned,
  credentials: S3Credentials,
  region: string,
  date: Date
): Promise<Record<string, string>> {
  const request = requestOf({ method, url, headers, body })
  const signed = await signerOf(credentials, region).sign(request, { signingDate: date })

  return signed.headers
}

/**
 * Sign a request in its URL, which the store takes for so many seconds from the date on. The signature covers the
 * headers, and with `Content-MD5` among them the body too.
 *
 * @returns the query, signed
 */
export async function presign (
  { method, url, headers }: Unsigned,
  credentials: S3Credentials,
  region: string,
  { date, seconds }: { date: Date, seconds: number }
): Promise<Record<string, string>> {
  const request = requestOf({ method, url, headers: { ...headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } })
  const { query } = await signerOf(credentials, region).presign(request, { signingDate: date, expiresIn: seconds })

  return query as Record<string, string>
}

function signerOf (credentials: S3Credentials, region: string): SignatureV4 {
  return new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false })
}

function requestOf ({ method, url, headers, body }: Unsigned): Parameters<SignatureV4['presign']>[0] {
  return {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body
  }
}
