import { gzipSync } from 'node:zlib'
import { gzipSizeOfFiles } from './gzip-size.ts'
import { isPage } from './keep.ts'
import { missingNeeds } from './page-needs.ts'
import { loaderPage } from './loader-page.ts'
import { TREE_NAME, WORKER_FILE, withConfig, workerScriptFile } from './site-config.ts'
import type { MissingNeeds } from './page-needs.ts'
import type { SiteConfig } from './site-config.ts'
import type { AddAllOptions, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface MakeSiteInit {
  /** The directory of the site. */
  directory: string
  title: string
  /** The compressed tree: its marked CID, and the paths of its files. */
  tree: { cid: CID, plainCid: CID, paths: readonly string[] }
  /** Whether a file stays plain, too. */
  keeps (path: string): boolean
  scripts: { loader: string, worker: string }
  signal: AbortSignal
}

export interface MadeSite {
  /** Of the directory that any gateway shows. */
  cid: CID
  /** Pages that the loader stands for. */
  pages: number
  /** Files that stay plain, too. */
  kept: number
  /** What pages among them need, and is not. */
  missing: MissingNeeds | undefined
  /** Bytes of the loader and of the worker. */
  loaderSize: number
  workerSize: number
  /** What a server sends that compresses with gzip: of the loader and the worker, and of the site if it is plain. */
  gzip: { scripts: number, plain: number }
}

/** Gateways that know `_redirects` answer every other path with the loader, so that deep links work. */
const REDIRECTS_FILE = '_redirects'
const REDIRECTS = '/* /index.html 200\n'

/** Where gateways find it that know no `_redirects`, or not at the address asked for: its status is 404 there. */
const NOT_FOUND_FILE = 'ipfs-404.html'

type Candidate = Parameters<Ipfsz['addAll']>[0] extends AsyncIterable<infer T> | Iterable<infer T> ? T : never

/** Make the directory to publish: the loader for each page, what is kept, the worker, and the compressed tree. */
export async function makeSite (files: Ipfsz, init: MakeSiteInit): Promise<MadeSite> {
  const { directory, title, tree, keeps, scripts, signal } = init
  const config: SiteConfig = { root: tree.cid.toString(), worker: `/${WORKER_FILE}` }
  // the same in each release: the pages of a release then take nothing
  const loader = new TextEncoder().encode(loaderPage(title, { worker: config.worker }, scripts.loader))
  const script = new TextEncoder().encode(scripts.worker)
  const scriptFile = workerScriptFile(script)
  // of each release, so it is small: the script stays the same, and browsers keep it
  const worker = new TextEncoder().encode(withConfig(config, `importScripts(${JSON.stringify(`/${scriptFile}`)})`))
  // the site's own redirects are its worker's
  const kept = tree.paths.filter(path => path !== REDIRECTS_FILE && keeps(path))
  const pages = tree.paths.filter(path => isPage(path) && !keeps(path))
  const added = new Map([
    [WORKER_FILE, worker],
    [scriptFile, script],
    [REDIRECTS_FILE, new TextEncoder().encode(REDIRECTS)],
    ...tree.paths.includes(NOT_FOUND_FILE) ? [] : [[NOT_FOUND_FILE, loader] as const]
  ])
  const candidates = function * (): Generator<Candidate> {
    for (const path of [...pages, ...kept, ...added.keys()].toSorted(depthFirst)) {
      const content = added.get(path) ?? (keeps(path) ? stored(files, tree.cid, path, signal) : loader)

      yield { path: `site/${path}`, content }
    }
  }
  // each directory is written when it is complete, so that memory does not hold all of them
  const plain: AddAllOptions = { compression: { codec: 'none' }, depthFirst: true, signal }
  let root: CID | undefined

  for await (const { cid } of files.addAll(candidates(), plain)) {
    root = cid
  }

  return {
    // the root comes last
    cid: await files.cp(tree.plainCid, root as CID, TREE_NAME, { signal }),
    pages: pages.length,
    kept: kept.length,
    missing: await missingNeeds(directory, tree.paths, kept, signal),
    loaderSize: loader.byteLength,
    workerSize: worker.byteLength + script.byteLength,
    gzip: {
      scripts: gzipSync(loader).byteLength + gzipSync(worker).byteLength + gzipSync(script).byteLength,
      plain: await gzipSizeOfFiles(directory, tree.paths, signal)
    }
  }
}

/** Orders paths so that what is below a directory stands together: no name has a null character. */
function depthFirst (a: string, b: string): number {
  const [first, second] = [a, b].map(path => path.replaceAll('/', '\0'))

  return first < second ? -1 : Number(first > second)
}

/** The bytes of a file as they were stored: by now, the one on disk may be another. */
async function * stored (files: Ipfsz, tree: CID, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield * files.cat(tree, { path, signal })
}
