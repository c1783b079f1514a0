import type { FileTypes } from '../file-types.ts'

/** The bytes at the start of a file that its type is guessed from: what `file-type` looks at. */
export const SAMPLE_LENGTH = 4100

/** The type of bytes that nothing is known of. */
export const BINARY = 'application/octet-stream'

const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/ // eslint-disable-line no-control-regex

/** What text begins with, after white space and comments. Others are `text/plain`. */
const TEXT_TYPES: ReadonlyArray<[RegExp, string]> = [
  [/^<(?:!doctype html|html|head|body|script|style|title|table|iframe|h1|div|font|p|a|b|br)[\s>]/i, 'text/html'],
  [/^(?:<\?xml[^>]*\?>\s*)?(?:<!--[^>]*-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/i, 'image/svg+xml'],
  [/^<\?xml\s/i, 'text/xml']
]

const PREAMBLE = /^(?:\s|<!--[\s\S]*?-->)+/

/** How JSON begins that is cut off. */
const JSON_START = /^\s*(?:\{\s*"(?:[^"\\]|\\.)*"\s*:|\[\s*(?:["[{]|-?\d))/

/** What is known of the types of names, and of bytes that are no text. */
interface TypeTables {
  mime: { getType (path: string): string | null }
  /** @default they are of no type */
  magicType?: ((sample: Uint8Array) => Promise<string | undefined>) | undefined
}

export function fileTypes ({ mime, magicType = async () => undefined }: TypeTables): FileTypes {
  return {
    ofName (name) {
      // with a slash, or a file `html` would be a page
      const type = mime.getType(`/${name}`)

      return type == null ? undefined : withCharset(type)
    },

    ofBytes: async (sample, isWhole) => typeOfBytes(sample, isWhole, magicType)
  }
}

async function typeOfBytes (
  sample: Uint8Array,
  isWhole: boolean,
  magicType: Required<TypeTables>['magicType'] & {}
): Promise<string> {
  const text = decodeText(sample, isWhole)
  const begin = text?.replace(/^\ufeff/, '').replace(PREAMBLE, '') ?? ''
  const found = TEXT_TYPES.find(([pattern]) => pattern.test(begin))

  if (found != null) {
    return found[1]
  }

  if (text != null && isJson(text, isWhole)) {
    return 'application/json'
  }

  return await magicType(sample) ?? (text == null ? BINARY : 'text/plain; charset=utf-8')
}

/** The text of UTF-8 without control characters. Undefined: not text. */
function decodeText (sample: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: !isWhole })

    return CONTROL.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

function isJson (text: string, isWhole: boolean): boolean {
  if (!isWhole) {
    return JSON_START.test(text)
  }

  try {
    const value: unknown = JSON.parse(text)

    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** HTML and XML name their own encoding, which a header would overrule. Other text is mostly UTF-8. */
function withCharset (type: string): string {
  return type.startsWith('text/') && type !== 'text/html' && type !== 'text/xml' ? `${type}; charset=utf-8` : type
}
