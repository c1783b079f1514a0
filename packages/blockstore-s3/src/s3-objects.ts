import { DEFAULT_MAX_OBJECT_SIZE, MAX_KEYS } from './constants.ts'
import { NotFoundError, S3ResponseError } from './errors.ts'
import { checkKey } from './keys.ts'
import { S3Client } from './request/client.ts'
import * as requests from './requests.ts'
import { checkBucket, checkPrefix } from './s3-url.ts'
import type {
  DeleteOptions, ListOptions, ObjectInfo, RangeOptions, S3ObjectsInit, S3Options, S3Validity
} from './contract.ts'

/**
 * Objects by key, in an S3 bucket, below a prefix. Keys are without the prefix.
 *
 * Every method throws S3ResponseError if the store refuses, S3NetworkError if no endpoint answers, S3DamagedObjectError
 * if no answer has the checksum that the store names, S3CredentialsError without credentials, S3ClockSkewError if the
 * store does not accept the time, S3KeyError for a key that S3 cannot hold, and the reason of the signal.
 */
export class S3Objects {
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly #client: S3Client
  readonly #maxObjectSize: number
  /** Whether the bucket is known to be there: an answer 404 to HEAD does not say which of both is missing. */
  #bucketSeen = false

  /** @throws {S3UrlError} the bucket or the prefix is not valid. Endpoints are looked at by the first request. */
  constructor (init: S3ObjectsInit) {
    this.bucket = checkBucket(init.bucket)
    this.prefix = checkPrefix(init.prefix ?? '')
    this.#client = new S3Client(init)
    this.#maxObjectSize = init.maxObjectSize ?? DEFAULT_MAX_OBJECT_SIZE
  }

  /**
   * Read an object, or a part of it. The bytes have the length and the checksum that the store names.
   *
   * @throws {NotFoundError} there is no such object
   * @throws {S3ObjectTooLargeError}
   */
  async get (key: string, { offset = 0, length, signal }: RangeOptions & S3Options = {}): Promise<Uint8Array> {
    const whole = this.#whole(key)

    if (length === 0) {
      await this.#statOrThrow(key, signal)

      return new Uint8Array(0)
    }

    try {
      return await this.#client.send(requests.get(whole, { offset, length, maxBytes: this.#maxObjectSize, signal }))
    } catch (err) {
      if (!(err instanceof S3ResponseError)) {
        throw err
      }

      // the object ends before the offset
      if (err.status === 416) {
        return new Uint8Array(0)
      }

      throw err.code === 'NoSuchKey' ? notFound(this.bucket, whole, err) : err
    }
  }

  /** Write an object whole, or not at all. It replaces one that is there. */
  async put (key: string, bytes: Uint8Array, { signal }: S3Options = {}): Promise<void> {
    await this.#client.send(requests.put(this.#whole(key), bytes, signal))
    this.#bucketSeen = true
  }

  /** @returns undefined if there is no such object */
  async stat (key: string, { signal }: S3Options = {}): Promise<ObjectInfo | undefined> {
    try {
      const found = await this.#client.send(requests.head(this.#whole(key), signal))
      this.#bucketSeen = true

      return { key, ...found }
    } catch (err) {
      if (!(err instanceof S3ResponseError) || err.status !== 404) {
        throw err
      }

      if (!this.#bucketSeen) {
        await this.checkBucket({ signal })
      }

      return undefined
    }
  }

  /** Delete objects. Those that are not there are fine. */
  async delete (keys: readonly string[], options: DeleteOptions = {}): Promise<void> {
    const whole = keys.map(key => this.#whole(key))

    for (let start = 0; start < whole.length; start += MAX_KEYS) {
      await this.#client.send(requests.deleteMany(whole.slice(start, start + MAX_KEYS), options))
    }
  }

  /**
   * How long a delete is good, from now on, by the clock of each endpoint as its last answer told it. The store refuses
   * it later (`S3ResponseError`), be it that this process stood still, or that the network held it back.
   */
  validFor (milliseconds: number): S3Validity {
    return this.#client.validFor(milliseconds)
  }

  /** List objects whose key begins with `prefix`, in pages, ascending by the bytes of their keys. */
  async * list (prefix: string, { after, signal }: ListOptions<string> = {}): AsyncGenerator<ObjectInfo[]> {
    const from = `${this.prefix}${prefix}`
    let last = after == null ? undefined : `${this.prefix}${after}`

    for (;;) {
      const { objects, truncated } = await this.#client.send(requests.list(from, last, signal))

      if (objects.length > 0) {
        yield objects.map(object => ({ ...object, key: object.key.slice(this.prefix.length) }))
        last = objects.at(-1)?.key
      }

      if (!truncated) {
        return
      }
    }
  }

  /** @throws {S3ResponseError} with the code NoSuchBucket, if the bucket is not there */
  async checkBucket ({ signal }: S3Options = {}): Promise<void> {
    await this.#client.send(requests.checkBucket(signal))
    this.#bucketSeen = true
  }

  async createBucket ({ signal }: S3Options = {}): Promise<void> {
    await this.#client.send(requests.createBucket(signal))
    this.#bucketSeen = true
  }

  /** Close all connections. Call it when no request runs. Further requests open new ones. */
  close (): void {
    this.#client.close()
  }

  #whole (key: string): string {
    const whole = `${this.prefix}${key}`

    checkKey(whole)

    return whole
  }

  async #statOrThrow (key: string, signal: AbortSignal | null | undefined): Promise<void> {
    if (await this.stat(key, { signal }) == null) {
      throw notFound(this.bucket, this.#whole(key))
    }
  }
}

function notFound (bucket: string, key: string, cause?: unknown): NotFoundError {
  return Object.assign(new NotFoundError(`There is no object s3://${bucket}/${key}`), { cause })
}
