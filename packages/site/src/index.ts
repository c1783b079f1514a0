/**
 * @packageDocumentation
 *
 * Publishes a static site on IPFS, so that it is stored and sent compressed. Any gateway with subdomains shows it: its
 * pages are small loaders, which start a service worker that fetches, verifies and decompresses the files.
 *
 * @example Publish a built site from a repo of its own
 *
 * ```typescript
 * import { openRepo } from '@ipfsz/node'
 * import { publishSite } from '@ipfsz/site'
 * import { mkdir, writeFile } from 'node:fs/promises'
 *
 * await mkdir('dist', { recursive: true })
 * await writeFile('dist/index.html', '<!doctype html><title>Mine</title><h1>Hello</h1>')
 *
 * const repo = await openRepo('repo')
 * const { cid, size, storedSize } = await publishSite(repo, 'dist', { keep: ['/about/'] })
 * console.info(`${cid}: ${size} bytes stored as ${storedSize}`)
 * await repo.close()
 * ```
 *
 * @example Say what a page needs that is not plain
 *
 * ```typescript
 * import { publishSite } from '@ipfsz/site'
 *
 * async function publish (directory: string): Promise<string> {
 *   const { cid, missing } = await publishSite('repo', directory, { keep: ['*.html'] })
 *
 *   if (missing != null) {
 *     console.warn(`${missing.page} also needs ${missing.patterns.join(' ')}`)
 *   }
 *
 *   return cid.toString()
 * }
 * ```
 */
export { publishSite } from './publish-site.ts'
export type { PublishedSite, PublishSiteOptions } from './contract.ts'
export type { MadeSite } from './make-site.ts'
export type { MissingNeeds } from './page-needs.ts'
