import { messageOf } from '@ipfsz/codecs/internal'
import { CID } from 'multiformats/cid'
import { checkBlock } from '../../dag/hashes.ts'
import { blockKey } from '../../dag/block-key.ts'
import { BodyReader } from './body-reader.ts'
import { GatewayConnectionError, GatewayContentError } from './errors.ts'
import { MAX_BLOCK_SIZE, MAX_CAR_HEADER_SIZE, MAX_CID_SIZE } from './limits.ts'
import { openResponse } from './open-response.ts'
import type { Gateway } from './gateway.ts'
import type { RequestOptions } from './open-response.ts'

/** Depth first, as it is read, and each block once (IPIP-412). */
const CAR = 'application/vnd.ipld.car; version=1; order=dfs; dups=n'

/** A block that matches its CID. */
export interface CarBlock {
  /** See `blockKey`. */
  key: string
  /** The codec of its CID. */
  code: number
  bytes: Uint8Array
}

/** The blocks of a CAR that a gateway sends (Trustless Gateway, CAR Responses), one by one as they are read. */
export class CarStream {
  readonly gateway: Gateway
  readonly body: BodyReader
  readonly #stop: AbortController
  #first: CarBlock | undefined

  private constructor (gateway: Gateway, body: BodyReader, stop: AbortController) {
    this.gateway = gateway
    this.body = body
    this.#stop = stop
  }

  /**
   * Ask for a CAR, and wait for its first block.
   *
   * @param path - of the request, relative to the gateway's URL
   * @param stop - ends the response
   * @throws {GatewayContentError} it is no CAR, or its first block does not match its CID
   * @throws {GatewayConnectionError} there is no first block
   * @throws {Error} as `openResponse`
   */
  static async open (
    gateway: Gateway,
    path: string,
    stop: AbortController,
    { fetch, stallTimeout }: Omit<RequestOptions, 'signal'>
  ): Promise<CarStream> {
    const asked = performance.now()
    const request = { fetch, stallTimeout, signal: stop.signal }
    const response = await openResponse(gateway.url, path, CAR, request)
    const car = new CarStream(gateway, new BodyReader(gateway.url, response, request), stop)

    try {
      // it says nothing that is needed or could be trusted: what follows is a CAR of version 1 if its blocks match
      // their CIDs (ipld.io/specs/transport/car/carv1)
      if (await car.#section(MAX_CAR_HEADER_SIZE) == null) {
        throw new GatewayConnectionError(gateway.url, 'sent an empty CAR')
      }

      car.#first = await car.next()

      if (car.#first == null) {
        throw new GatewayConnectionError(gateway.url, 'sent a CAR without blocks')
      }
    } catch (err) {
      car.close()
      throw err
    }

    gateway.latency = performance.now() - asked

    return car
  }

  /**
   * The next block. Undefined: the CAR has ended, or was cut between two blocks, which looks the same.
   *
   * @throws {GatewayContentError} a block does not match its CID, or this is no CAR
   * @throws {GatewayConnectionError} the response was cut
   * @throws {GatewayStalledError}
   */
  async next (): Promise<CarBlock | undefined> {
    const first = this.#first

    if (first != null) {
      this.#first = undefined
      return first
    }

    const section = await this.#section(MAX_BLOCK_SIZE + MAX_CID_SIZE)

    if (section == null) {
      return undefined
    }

    const [cid, bytes] = this.#decode(section)

    // one that contains its block could be as long as that
    if (cid.byteLength > MAX_CID_SIZE) {
      throw this.#wrong(`a CID has more than ${MAX_CID_SIZE} bytes`)
    }

    if (bytes.byteLength > MAX_BLOCK_SIZE) {
      throw this.#wrong(`a block has more than ${MAX_BLOCK_SIZE} bytes`)
    }

    await checkBlock(cid, bytes).catch((err: unknown) => { throw this.#wrong(messageOf(err), err) })

    return { key: blockKey(cid), code: cid.code, bytes }
  }

  close (): void {
    this.#stop.abort()
  }

  #decode (section: Uint8Array): [CID, Uint8Array] {
    try {
      const [cid, bytes] = CID.decodeFirst(section)

      return [cid, bytes]
    } catch (err) {
      throw this.#wrong(`a section of its CAR does not begin with a CID: ${messageOf(err)}`, err)
    }
  }

  /** The next section without its length. Undefined at the end. */
  async #section (max: number): Promise<Uint8Array | undefined> {
    const length = await this.#varint(max)

    if (length == null) {
      return undefined
    }

    const section = await this.body.read(length)

    if (section.byteLength < length) {
      throw new GatewayConnectionError(this.gateway.url, 'ended its CAR in the middle of a block')
    }

    return section
  }

  /** The next length: little endian, seven bits a byte. Undefined at the end. */
  async #varint (max: number): Promise<number | undefined> {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = await this.body.byte()

      if (byte == null && scale === 1) {
        return undefined
      }

      if (byte == null) {
        throw new GatewayConnectionError(this.gateway.url, 'ended its CAR in the middle of a length')
      }

      value += (byte & 127) * scale

      if (value > max || scale > max) {
        throw this.#wrong(`a section of its CAR has more than ${max} bytes`)
      }

      if (byte < 128) {
        if (value === 0) {
          throw this.#wrong('a section of its CAR is empty')
        }

        return value
      }
    }
  }

  #wrong (reason: string, cause?: unknown): GatewayContentError {
    return new GatewayContentError(this.gateway.url, reason, { cause })
  }
}
