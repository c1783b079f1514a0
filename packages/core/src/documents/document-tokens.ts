// Room: paths through DAG-CBOR and DAG-JSON, and their links, token by token: documents are never decoded as a whole.
import { Token, Tokenizer, Type } from 'cborg'
import { Tokenizer as JsonTokenizer } from 'cborg/json'
import { CID } from 'multiformats/cid'

const DAG_CBOR = 0x71
const DAG_JSON = 0x0129

/** The tag of a link (ipld.io/specs/codecs/dag-cbor/spec/#links). */
const LINK_TAG = 42

/**
 * Maximum characters of a CID that is not in base32. To decode other bases takes quadratic time: 60,000 characters of
 * base58 took 16 seconds. One with a digest of 64 bytes has 95.
 */
const MAX_LENGTH = 128

/** The rules of `@ipld/dag-cbor` and `@ipld/dag-json`. */
const OPTIONS = { allowIndefinite: false, allowNaN: false, allowInfinity: false, allowBigInt: true, strict: true }

/** What a document consists of. A link is one token, of the type `tag`, whose value is its text or bytes. */
export interface DocumentTokens {
  /** @throws {Error} it is no such document, or has ended */
  next (): Token
  done (): boolean
  /** How many bytes were read. */
  pos (): number
}

/** Whether a codec is one of documents with links: DAG-CBOR or DAG-JSON. */
export function isDocument ({ code }: Pick<CID, 'code'>): boolean {
  return code === DAG_CBOR || code === DAG_JSON
}

export function documentTokens ({ code }: Pick<CID, 'code'>, block: Uint8Array): DocumentTokens {
  return code === DAG_CBOR ? new CborTokens(block, OPTIONS) : new JsonTokens(block, OPTIONS)
}

/**
 * The links of a document, as they occur in it.
 *
 * @throws {Error} it is not valid, or a link is too long to be decoded
 */
export function * documentLinks (cid: Pick<CID, 'code'>, block: Uint8Array): Generator<CID> {
  for (const tokens = documentTokens(cid, block); !tokens.done();) {
    const token = tokens.next()

    if (token.type === Type.tag) {
      yield decodeLink(token)
    }
  }
}

/** @throws {Error} it is not a CID, or is too long to be decoded */
export function decodeLink ({ value }: Token): CID {
  if (value instanceof Uint8Array) {
    return CID.decode(value)
  }

  const text = String(value)

  if (text.length > MAX_LENGTH && !text.startsWith('b')) {
    throw new Error(`a link has ${text.length} characters: only base32 links may have more than ${MAX_LENGTH}`)
  }

  return CID.parse(text)
}

class CborTokens extends Tokenizer implements DocumentTokens {
  override next (): Token {
    const token = super.next()

    if (token.type !== Type.tag) {
      return token
    }

    const content = token.value === LINK_TAG ? super.next() : undefined

    if (content?.type !== Type.bytes || content.value[0] !== 0) {
      throw new Error(`it has the tag ${token.value} before something other than a link`)
    }

    return new Token(Type.tag, content.value.subarray(1))
  }
}

/** Reads some tokens ahead: a map of one key, `/`, is a link, or bytes (ipld.io/specs/codecs/dag-json/spec). */
class JsonTokens extends JsonTokenizer implements DocumentTokens {
  readonly #ahead: Token[] = []

  override done (): boolean {
    return this.#ahead.length === 0 && super.done()
  }

  override next (): Token {
    const token = this.#ahead.shift() ?? super.next()

    if (token.type !== Type.map || !this.#isText(0, '/')) {
      return token
    }

    if (this.#isText(1)) {
      return this.#replace(new Token(Type.tag, this.#peek(1).value), 3)
    }

    return this.#peek(1).type === Type.map && this.#isText(2, 'bytes') && this.#isText(3)
      ? this.#replace(new Token(Type.bytes, undefined), 6)
      : token
  }

  #peek (number: number): Token {
    while (this.#ahead.length <= number) {
      this.#ahead.push(super.next())
    }

    return this.#ahead[number]
  }

  #isText (number: number, text?: string): boolean {
    const { type, value } = this.#peek(number)

    return type === Type.string && (text == null || value === text)
  }

  /** Take tokens off. All behind the text end maps. */
  #replace (token: Token, length: number): Token {
    for (let i = length / 3 * 2; i < length; i++) {
      if (this.#peek(i).type !== Type.break) {
        throw new Error('it has other keys beside the key "/"')
      }
    }

    this.#ahead.splice(0, length)

    return token
  }
}
