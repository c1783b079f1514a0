import { InvalidRedirectsFileError } from '../errors.ts'

/** specs.ipfs.tech/http-gateways/web-redirects-file, "Max File Size". */
export const MAX_REDIRECTS_FILE_SIZE = 64 * 1024

/** Statuses that answer with another file, instead of sending the client there. */
const REWRITES = [200, 404, 410, 451] as const
const REDIRECTS = [301, 302, 303, 307, 308] as const
const STATUSES = new Map([...REWRITES, ...REDIRECTS].map(status => [String(status), status]))

const DEFAULT_STATUS = '301'

export type RewriteStatus = typeof REWRITES[number]
export type RedirectStatus = typeof REDIRECTS[number]

/** A line of a `_redirects` file. */
export interface RedirectRule {
  /** What each name of the path must be. */
  from: Segment[]
  /** What the last names must begin with, if the rule ends with `*`. */
  splat?: string
  /** A path, or a URL of a redirect, with placeholders. */
  to: string
  status: RewriteStatus | RedirectStatus
}

export type Segment = { name: string } | { placeholder: string }

/**
 * Parse a `_redirects` file (specs.ipfs.tech/http-gateways/web-redirects-file, "File Format").
 *
 * @throws {InvalidRedirectsFileError}
 */
export function parseRedirects (text: string): RedirectRule[] {
  const rules: RedirectRule[] = []

  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const fields = line.trim().split(/\s+/)

    if (fields[0] === '' || fields[0].startsWith('#')) {
      continue
    }

    const fail = (reason: string): never => {
      throw new InvalidRedirectsFileError(reason, { line: i + 1 })
    }

    const [from, to, status, ...more] = fields

    if (to == null || more.length > 0) {
      fail('a rule has the form "from to [status]"')
    }

    rules.push({ ...parseFrom(from, fail), ...parseTo(to, status, fail) })
  }

  return rules
}

function parseFrom (text: string, fail: (reason: string) => never): Pick<RedirectRule, 'from' | 'splat'> {
  if (!text.startsWith('/')) {
    fail('the path to redirect from must begin with a slash')
  }

  const names = text.split('/').slice(1)
  const last = names[names.length - 1]
  const splat = last.endsWith('*') ? decode(last.slice(0, -1)) : undefined

  if (splat != null) {
    names.pop()
  }

  if (names.some(name => name.includes('*')) || splat?.includes('*') === true) {
    fail('only the end of a path can be an asterisk')
  }

  const from = names.filter(Boolean).map((name): Segment => {
    return /^:./.test(name) ? { placeholder: name.slice(1) } : { name: decode(name) }
  })
  const placeholders = [
    ...from.flatMap(segment => 'placeholder' in segment ? [segment.placeholder] : []),
    ...splat == null ? [] : ['splat']
  ]

  if (placeholders.length > 1 && new Set(placeholders).size < placeholders.length) {
    fail('a placeholder occurs twice in the path to redirect from')
  }

  return { from, ...splat == null ? {} : { splat } }
}

function parseTo (
  text: string,
  status: string | undefined,
  fail: (reason: string) => never
): Pick<RedirectRule, 'to' | 'status'> {
  const known = STATUSES.get(status ?? DEFAULT_STATUS)

  if (known == null) {
    return fail(`the status must be one of ${[...STATUSES.keys()].join(', ')}`)
  }

  const isPath = /^\/(?![/\\])/.test(text)

  if (!isPath && (isRewrite(known) || !/^(?:https?|ip[fn]s):\/\/[^/?#\\]/i.test(text))) {
    fail(isRewrite(known)
      ? `with status ${known} the target must be a path`
      : 'the target must be a path, or a URL of http, https, ipfs or ipns')
  }

  return { to: text, status: known }
}

export function isRewrite (status: RewriteStatus | RedirectStatus): status is RewriteStatus {
  return (REWRITES as readonly number[]).includes(status)
}

/** Names are compared decoded. What is not percent-encoded is meant as it is. */
function decode (name: string): string {
  if (!name.includes('%')) {
    return name
  }

  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
