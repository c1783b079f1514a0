import { LruMap } from '@ipfsz/utils/lru-map'
import { InvalidRedirectsFileError } from '../errors.ts'
import { parseRedirects } from './redirects-file.ts'
import type { RedirectRule } from './redirects-file.ts'
import type { CID } from 'multiformats/cid'

/** Bytes of all files that are remembered. The largest takes 2.8 MB. */
const REMEMBERED_SIZE = 8 * 1024 * 1024

/** About what a rule, and a name in its path, take besides the text. Measured with V8. */
const RULE_SIZE = 160
const SEGMENT_SIZE = 48

interface Parsed {
  rules: readonly RedirectRule[]
  /** Why it has none. */
  err?: InvalidRedirectsFileError
  size: number
}

/** Files of redirects, by CID. To parse one of 64 KiB takes up to 20 ms, and each path that does not exist needs it. */
export class ParsedRedirects {
  readonly #files = new LruMap<string, Parsed>({ maxSize: REMEMBERED_SIZE, sizeOf: ({ size }) => size })

  /**
   * The rules of a file, which is parsed only once.
   *
   * @throws {InvalidRedirectsFileError}
   */
  async rulesOf (cid: CID, read: () => Promise<string>): Promise<readonly RedirectRule[]> {
    const key = cid.toString()
    let parsed = this.#files.get(key)

    if (parsed == null) {
      const text = await read()
      // what was asked at the same time may have parsed it meanwhile
      parsed = this.#files.get(key) ?? this.#parse(key, text)
    }

    if (parsed.err != null) {
      throw parsed.err
    }

    return parsed.rules
  }

  #parse (key: string, text: string): Parsed {
    const parsed = parse(text)
    const segments = parsed.rules.reduce((sum, { from }) => sum + from.length, 0)
    const size = 2 * (key.length + text.length) + (parsed.rules.length + 1) * RULE_SIZE + segments * SEGMENT_SIZE
    const file = { ...parsed, size }
    this.#files.set(key, file)

    return file
  }
}

function parse (text: string): Omit<Parsed, 'size'> {
  try {
    return { rules: parseRedirects(text) }
  } catch (err) {
    if (err instanceof InvalidRedirectsFileError) {
      return { rules: [], err }
    }

    throw err
  }
}
