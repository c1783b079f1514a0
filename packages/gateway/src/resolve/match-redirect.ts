// Room: what a path leads to; `_redirects`; the file that a response reads (`opened-file.ts`).
import { InvalidRedirectsFileError } from '../errors.ts'
import { collapsePath, encodeName } from '../request/url-path.ts'
import { isRewrite } from './redirects-file.ts'
import type { RedirectRule, RedirectStatus, RewriteStatus } from './redirects-file.ts'

/**
 * Maximum characters of a target with its placeholders filled in, which a rule can repeat as often as it likes, and as
 * it stands in a header: proxies and clients refuse a response with longer ones.
 */
const MAX_TARGET_LENGTH = 8192

/** Maximum rules that are passed over because they lead back. To find that out takes longer than to compare a path. */
const MAX_LOOPS = 10

/** What a rule makes of a path. */
export type RedirectMatch =
  | { status: RewriteStatus, path: string }
  | { status: RedirectStatus, location: string }

/**
 * Find the first rule that a path matches (specs.ipfs.tech/http-gateways/web-redirects-file,
 * "Evaluation"). Takes time in proportion to the file's size.
 *
 * @param path - the decoded names
 * @param pathname - the path as it was written: a redirect that leads back to it is passed over
 * @param search - the query with its question mark, or empty. A redirect keeps it
 */
export function matchRedirect (
  rules: readonly RedirectRule[],
  path: readonly string[],
  pathname: string,
  search: string
): RedirectMatch | undefined {
  let loops = 0

  for (const rule of rules) {
    const values = matchFrom(rule, path, pathname.endsWith('/'))

    if (values == null) {
      continue
    }

    const { status } = rule
    const url = normalize(fillIn(rule.to, values))

    if (isRewrite(status)) {
      return { status, path: url.split(/[?#]/, 1)[0] }
    }

    const location = mergeQuery(url, search)

    if (location.split(/[?#]/, 1)[0] !== pathname) {
      // what a client adds to it is not for the site to bound
      checkLength(location.length - search.length)

      return { status, location }
    }

    if (++loops === MAX_LOOPS) {
      return undefined
    }
  }

  return undefined
}

function matchFrom (
  { from, splat }: RedirectRule,
  path: readonly string[],
  trailingSlash: boolean
): Map<string, string[]> | undefined {
  if (splat == null ? path.length !== from.length : path.length < from.length) {
    return undefined
  }

  const values = new Map<string, string[]>()

  for (const [i, segment] of from.entries()) {
    if ('placeholder' in segment) {
      values.set(segment.placeholder, [path[i]])
    } else if (segment.name !== path[i]) {
      return undefined
    }
  }

  if (splat == null) {
    return values
  }

  const [first, ...more] = path.slice(from.length)

  // "/posts/*" is not "/posts", but is "/posts/"
  if (first == null ? splat !== '' || !(trailingSlash || from.length === 0) : !first.startsWith(splat)) {
    return undefined
  }

  return values.set('splat', first == null ? [] : [first.slice(splat.length), ...more])
}

/**
 * Replace the placeholders of a target. Longer names win: `:year` does not take a part of `:yearly`.
 *
 * @throws {InvalidRedirectsFileError} the result is too long
 */
function fillIn (to: string, values: Map<string, string[]>): string {
  if (values.size === 0) {
    return to
  }

  const queryStart = to.search(/[?#]/)
  const names = [...values.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map(escapeForRegExp)
  const pattern = new RegExp(`:(${names.join('|')})(?![A-Za-z0-9_])`, 'g')
  let length = to.length

  return to.replaceAll(pattern, (_, name: string, at: number) => {
    const value = values.get(name) ?? []
    const text = queryStart >= 0 && at > queryStart
      ? encodeURIComponent(value.join('/').toWellFormed())
      : value.map(encodeName).join('/')
    length += text.length
    checkLength(length)

    return text
  })
}

function checkLength (length: number): void {
  if (length > MAX_TARGET_LENGTH) {
    throw new InvalidRedirectsFileError(`the URL of a rule exceeds the limit of ${MAX_TARGET_LENGTH} characters`)
  }
}

function escapeForRegExp (text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Resolve dots, and encode what a header cannot hold. A path stays one: `//host` would lead to another host. */
function normalize (to: string): string {
  if (!to.startsWith('/')) {
    return URL.canParse(to) ? new URL(to).href : '/'
  }

  const { pathname, search, hash } = new URL(`http://localhost${to}`)

  return `${collapsePath(pathname)}${search}${hash}`
}

/** Add a request's query to that of a target. Where both have a parameter, the request's replaces it. */
function mergeQuery (to: string, search: string): string {
  const dynamic = search.slice(1)

  if (dynamic === '') {
    return to
  }

  const [, path, query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(to) ?? []
  const names = new Set(new URLSearchParams(dynamic).keys())
  const fixed = query.split('&').filter(pair => {
    return pair !== '' && ![...new URLSearchParams(pair).keys()].some(name => names.has(name))
  })

  return `${path}?${[...fixed, dynamic].join('&')}${hash}`
}
