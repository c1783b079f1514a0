import { DEFAULT_CACHE_SIZE } from '@ipfsz/node/gateway'
import { formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { ServedGateway, ServeGatewayOptions } from '@ipfsz/node/gateway'

/**
 * Print where a gateway is. Each line but that of the cache, whose directory may have a long name, fits into
 * 80 columns.
 */
export function printStarted (
  { url, otherUrls, subdomainUrl, metricsUrl, cached }: ServedGateway,
  { fetch = false, cache = DEFAULT_CACHE_SIZE, host: [host] = [] }: Omit<ServeGatewayOptions, 'listen'>,
  { output }: Context
): void {
  const cacheDirectory = cached?.directory
  const websites = host ?? (subdomainUrl == null ? undefined : 'localhost')
  const labelled = [
    // first what others can use
    ...[...otherUrls, ...otherUrls.includes(url) ? [] : [url]].map(url => ['Gateway', `${url}/ipfs/CID`] as const),
    ...subdomainUrl == null ? [] : [['Gateway', subdomainUrl.replace('//', '//CID.ipfs.')] as const],
    ...metricsUrl == null ? [] : [['Metrics', metricsUrl] as const],
    ...cacheDirectory == null ? [] : [['Cache', `${cacheDirectory}, at most ${formatSize(cache)}`] as const]
  ] as const
  const sentences = [
    ...otherUrls.length > 0 ? [] : ['Only this machine can connect.'],
    fetch
      ? 'It serves the repo, and fetches other content from other nodes.'
      : 'It serves only the repo: no other content is fetched.',
    websites == null
      ? 'All pages share one origin. For websites, use ipfsz gateway --host NAME.'
      : `For websites, use CID.ipfs.${websites}: there, each has its own origin.`
  ]

  output.labelled(
    { event: 'gateway', url, otherUrls, subdomainUrl, metricsUrl, cacheDirectory, fetch, pid: process.pid },
    labelled,
    ...sentences
  )
}
