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
  const signer = new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false })
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body
  }, { signingDate: date })

  return signed.headers
}
