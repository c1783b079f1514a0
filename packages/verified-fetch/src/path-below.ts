import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import type { PluginContext, PluginOptions } from '@helia/verified-fetch'
import type { MultihashDigest } from 'multiformats/cid'

/**
 * The path below the CID that a URL leads to, percent-encoded, with a slash before each name. An IPNS name may lead to
 * a path below a CID. `@helia/verified-fetch` does not hand that path on, so the name is resolved again, from its
 * cache.
 */
export async function pathBelow (
  { url: { protocol, hostname, pathname }, signal }: Pick<PluginContext, 'url' | 'signal'>,
  { ipnsResolver }: Pick<PluginOptions, 'ipnsResolver'>
): Promise<string> {
  if (protocol !== 'ipns:') {
    return pathname
  }

  let path = ''

  // of records that lead to each other, the last one leads to the CID
  for await (const { value } of ipnsResolver.resolve(parseKey(hostname), signal == null ? {} : { signal })) {
    path = value.split('/').slice(3).filter(name => name !== '').map(name => `/${encodeURIComponent(name)}`).join('')
  }

  return path + pathname
}

/** The key of an IPNS name: a CID, or a peer id in base58. */
function parseKey (name: string): MultihashDigest {
  return /^[1Q]/.test(name) ? decode(base58btc.baseDecode(name)) : CID.parse(name).multihash
}
