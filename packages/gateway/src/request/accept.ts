/** An entry of an `Accept` header, or of one like it. */
export interface Accepted {
  /** In lower case, possibly with wildcards: `type/subtype` of an `Accept` header. */
  type: string
  /** By name in lower case, without `q`. */
  parameters: Readonly<Record<string, string>>
  /** The weight, above 0 and up to 1. */
  q: number
}

/** A list item or a parameter, with quoted strings as a whole. */
const ITEM = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const PART = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g

/**
 * What a client accepts, that which it prefers first; equal ones as written. What cannot be parsed is left out (RFC
 * 9110, section 12.4). `negotiator` is not used: it drops the parameters, and those of CARs choose between responses.
 */
export function parseAccepted (header: string | null): Accepted[] {
  const all = (header?.match(ITEM) ?? []).map(parseItem)

  return all.filter(({ type, q }) => type !== '' && q > 0).toSorted((a, b) => b.q - a.q)
}

/** The types of an `Accept` header, as `parseAccepted` has them (RFC 9110, section 12.5.1). */
export function parseAccept (header: string | null): Accepted[] {
  return parseAccepted(header).filter(({ type }) => /^[^\s/]+\/[^\s/]+$/.test(type))
}

function parseItem (item: string): Accepted {
  const [name = '', ...parts] = (item.match(PART) ?? []).map(part => part.trim())
  const { q = '1', ...parameters } = Object.fromEntries(parts.flatMap(parseParameter))
  const weight = Number(q)

  return { type: name.toLowerCase(), parameters, q: weight >= 0 && weight <= 1 ? weight : 0 }
}

function parseParameter (part: string): Array<[string, string]> {
  const at = part.indexOf('=')

  if (at < 1) {
    return []
  }

  const value = part.slice(at + 1).trim()
  const quoted = /^"(.*)"$/s.exec(value)

  return [[part.slice(0, at).trim().toLowerCase(), quoted == null ? value : quoted[1].replace(/\\(.)/gs, '$1')]]
}
