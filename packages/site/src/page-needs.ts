import { join } from 'node:path'
import { isPage } from './keep.ts'
import { readStart } from './read-start.ts'

/** What plain pages of a site need, and is not plain. */
export interface MissingNeeds {
  /** The first page that needs something, or else the first style sheet or script. */
  page: string
  /** How many pages do. */
  pages: number
  /** Patterns that keep it, as in `.gitignore`. */
  patterns: string[]
}

/** Tags that load something, and the attributes that say what. None of these loops over the same characters twice. */
const TAG = /<(link|script|img|source|video|audio|track|input|image|use)\b([^<>]{0,10000})>/gi
const ATTRIBUTE = /\b(src|href|srcset|imagesrcset|poster)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gi
const LOADED_LINK = /\brel=["']?[^"'>]*\b(?:stylesheet|preload|modulepreload|icon|manifest)\b/i
const STYLE = /(?:\burl\(["']?|@import ["'])([^"')\s]+)/g
const IMPORT = /(?:\bfrom|\bimport)\s?\(?["'](\.{0,2}\/[^"'\n]+)["']/g

/** A host for addresses: those of others are not the site's. */
const HOST = 'http://site.invalid'

/**
 * Find out what plain pages need and would not get on a first visit, when no worker answers: styles, scripts, images.
 * Looks into pages, style sheets and scripts that are plain.
 *
 * @param directory - of the site
 * @param paths - of its files
 * @param kept - those that stay plain
 */
export async function missingNeeds (
  directory: string,
  paths: readonly string[],
  kept: readonly string[],
  signal: AbortSignal
): Promise<MissingNeeds | undefined> {
  const plain = new Set(kept)
  const all = new Set(paths)
  const patterns = new Set<string>()
  let page: string | undefined
  let pages = 0

  const sorted = kept.toSorted()
  const keptPages = sorted.filter(isPage)
  const others = keptPages.length === 0 ? [] : sorted.filter(path => !isPage(path))

  for (const path of [...keptPages, ...others]) {
    signal.throwIfAborted()
    const found = (await needsOf(directory, path)).filter(need => all.has(need) && !plain.has(need) && !isPage(need))

    if (found.length > 0) {
      page ??= path
      pages += isPage(path) ? 1 : 0
      found.forEach(need => { patterns.add(patternOf(need)) })
    }
  }

  return page == null ? undefined : { page, pages, patterns: [...patterns].toSorted() }
}

function finderFor (path: string): typeof inPage | undefined {
  if (isPage(path)) {
    return inPage
  }

  if (/\.css$/i.test(path)) {
    return inStyle
  }

  return /\.m?js$/i.test(path) ? inScript : undefined
}

/** The paths that a file loads, as far as they are written in it. */
async function needsOf (directory: string, path: string): Promise<string[]> {
  const find = finderFor(path)

  if (find == null) {
    return []
  }

  const base = new URL(path.split('/').map(encodeURIComponent).join('/'), `${HOST}/`)

  // a file that is gone by now needs nothing
  return find(await readStart(join(directory, path)).catch(() => '')).flatMap(address => {
    const url = URL.parse(address, base)

    return url?.origin === HOST ? [toPath(url.pathname)] : []
  })
}

function inPage (html: string): string[] {
  const loaded = [...html.matchAll(TAG)].flatMap(([, tag, attributes]) => (
    tag.toLowerCase() === 'link' && !LOADED_LINK.test(attributes) ? [] : addressesOf(attributes)
  ))

  return [...loaded, ...inStyle(html)]
}

function addressesOf (attributes: string): string[] {
  return [...attributes.matchAll(ATTRIBUTE)].flatMap(([, name, double, single, bare]) => {
    const value = (double ?? single ?? bare).replaceAll('&amp;', '&').trim()

    // of `a.png 1x, b.png 2x`, the first word of each
    return /srcset/i.test(name) ? value.split(',').map(image => image.trim().split(/\s/)[0]) : [value]
  })
}

function inStyle (css: string): string[] {
  return [...css.matchAll(STYLE)].map(([, address]) => address)
}

function inScript (script: string): string[] {
  return [...script.matchAll(IMPORT)].map(([, address]) => address)
}

function toPath (pathname: string): string {
  try {
    return decodeURIComponent(pathname).slice(1)
  } catch {
    return pathname.slice(1)
  }
}

/** All files of its type, or the file alone if its name does not say one. */
function patternOf (path: string): string {
  const [, extension] = /[^/](\.\w+)$/.exec(path) ?? []

  return extension == null ? `/${path.replaceAll(/[\\*?[\] ]/g, '\\$&')}` : `*${extension}`
}
