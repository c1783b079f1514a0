// Room: the gateway of a repo: its server, log, metrics, names, cache and fetching. `start-gateway.ts` puts it
// together; responses are those of `@ipfsz/gateway`.
import { hideSecretsIn } from '@ipfsz/utils/hide-secrets'

/** One request, once its response is over. */
export interface AccessEntry {
  /** When it arrived, in milliseconds since 1970. */
  time: number
  /** The address of the client, or of the proxy if that is not trusted. */
  address: string
  method: string
  /** The path and query as the client sent them, or `-`. */
  url: string
  /** As in `1.1`. */
  httpVersion: string
  host: string | undefined
  status: number
  /** Bytes of the body. */
  bytes: number
  /** In milliseconds. */
  duration: number
  /** The `Content-Encoding`, if there was one. */
  encoding: string | undefined
  /** Whether the response went out whole. */
  complete: boolean
  referer: string | undefined
  userAgent: string | undefined
}

/** Maximum number of characters of a client's text in a log line, without secrets. The rest is cut off. */
export const MAX_LOGGED = 1024

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Format an entry in the combined log format of Apache and nginx, in UTC. Whatever is not printable ASCII,
 * and quotes and backslashes, becomes `\xHH`.
 */
export function formatCombined (entry: AccessEntry): string {
  const { time, address, method, url, httpVersion, status, bytes, referer, userAgent } = entry
  const request = `${escape(method)} ${escape(url)} HTTP/${httpVersion}`

  return `${escape(address)} - - [${formatTime(time)}] "${request}" ${status} ${bytes === 0 ? '-' : bytes} ` +
    `"${escape(referer ?? '-')}" "${escape(userAgent ?? '-')}"`
}

/** The fields of an entry for JSON. Texts have the same bound as in the combined format. */
export function toJson (entry: AccessEntry): Record<string, unknown> {
  const { time, method, url, host, referer, userAgent, duration, ...rest } = entry

  return {
    event: 'request',
    time: new Date(time).toISOString(),
    method: cut(method),
    url: cut(url),
    duration: Math.round(duration * 1000) / 1000,
    ...rest,
    ...host == null ? {} : { host: cut(host) },
    ...referer == null ? {} : { referer: cut(referer) },
    ...userAgent == null ? {} : { userAgent: cut(userAgent) }
  }
}

function cut (sent: string): string {
  const text = hideSecretsIn(sent)

  return text.length > MAX_LOGGED ? `${text.slice(0, MAX_LOGGED)}...` : text
}

/** Node reads headers and URLs as Latin-1: a character is a byte. */
function escape (text: string): string {
  return cut(text).replaceAll(
    /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
    character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  )
}

/** As in `22/Nov/2026:12:40:58 +0000`. */
function formatTime (time: number): string {
  const date = new Date(time)
  const day = String(date.getUTCDate()).padStart(2, '0')

  return `${day}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:${date.toISOString().slice(11, 19)} +0000`
}
