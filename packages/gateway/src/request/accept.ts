/** An entry of an `Accept` header. */
export interface AcceptedType {
  /** `type/subtype` in lower case, possibly with wildcards. */
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
 * The types that a client accepts, those it prefers first; equal ones as written. What cannot be
 * parsed is left out (RFC 9110, section 12.5.1). `negotiator` is not used: it drops the
 * parameters, and those of CARs choose between responses.
 */
export function parseAccept (header: string | null): AcceptedType[] {
  const types = (header?.match(ITEM) ?? []).flatMap(parseType)

  return types.filter(({ q }) => q > 0).toSorted((a, b) => b.q - a.q)
}

function parseType (item: string): AcceptedType[] {
  const [name = '', ...parts] = (item.match(PART) ?? []).map(part => part.trim())
  const type = name.toLowerCase()

  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) {
    return []
  }

  const { q = '1', ...parameters } = Object.fromEntries(parts.flatMap(parseParameter))
  const weight = Number(q)

  return [{ type, parameters, q: weight >= 0 && weight <= 1 ? weight : 0 }]
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
