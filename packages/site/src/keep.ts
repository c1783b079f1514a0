import { ignoreMatcher } from '@ipfsz/node/files'

/** What programs read that run no worker: crawlers, feed readers, and browsers before a page is loaded. */
const ALWAYS_KEPT = [
  'robots.txt', 'sitemap*.xml', 'favicon.*', 'apple-touch-icon*', '*.webmanifest', '/.well-known/', 'feed.xml',
  'rss.xml', 'atom.xml', '*.rss', '*.atom'
]

/** Whether a file stays plain at its path, too, by its path from the root of the site. */
export function keepMatcher (patterns: readonly string[]): (path: string) => boolean {
  const matches = ignoreMatcher([...ALWAYS_KEPT, ...patterns])

  return path => matches(path, false)
}

/** Whether a browser shows a file as a page. */
export function isPage (path: string): boolean {
  return /\.x?html?$/i.test(path)
}
